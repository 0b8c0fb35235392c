"""Forms of English words: whether two are forms of one verb ("wrote" and "written"), and which forms a word has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

# The irregular verbs by which texts tell who did what, each line present, past and participle. General English.
_IRREGULAR = """
    write wrote written; lead led; run ran; win won; make made; build built; sell sold; buy bought; hold held
    rebuild rebuilt; draw drew drawn; sing sang sung; speak spoke spoken; teach taught; give gave given
    take took taken; wear wore worn; choose chose chosen; find found
    send sent; leave left; begin began begun; become became; keep kept; lose lost
    meet met; pay paid; say said; see saw seen; set; shoot shot; spend spent; stand stood; think thought; tell told
    know knew known; grow grew grown; fly flew flown; fight fought; beat beaten; bring brought; catch caught
    come came; cut; deal dealt; drive drove driven; feel felt; get got gotten; hide hid hidden; hit; lend lent; let
    mean meant; put; read; ride rode ridden; rise rose risen; steal stole stolen; strike struck; swim swam swum
    throw threw thrown; wed; oversee oversaw overseen; undertake undertook undertaken; overtake overtook overtaken
    feed fed; breed bred; shed; split; spread; bear bore borne; forge; go went gone; cast; broadcast; use used; die died
    fall fell fallen; sit sat; cost; break broke broken; lay laid; grind ground; weave wove woven; freeze froze frozen
    tear tore torn; sink sank sunk; withdraw withdrew withdrawn; bind bound; seek sought; dig dug; blow blew blown
    hang hung; do did done; rewrite rewrote rewritten; wind wound; swear swore sworn; shake shook shaken; hear heard
    sweep swept; understand understood; overthrow overthrew overthrown; override overrode overridden; spin spun; quit
"""
_BASE = {form: row[0] for line in _IRREGULAR.replace("\n", ";").split(";") if (row := line.split()) for form in row}
UNCHANGED = frozenset({"hit", "set", "cut", "put", "let", "read", "cost", "quit"})
"""Verbs that are in the past as they are in the present."""
_SAME_PARTICIPLE = frozenset({"run", "come", "become"})
PAST = frozenset(form for form, base in _BASE.items() if form != base) | UNCHANGED
"""Past forms and participles of the irregular verbs."""
SHORTEST = 3  # letters of a verb or noun that has other forms
_HISSING = ("s", "x", "z", "ch", "sh", "o")  # "-es" behind these
_CONSONANT_Y = re.compile("[^aeiou]y$")
_ONE_SHORT_VOWEL = re.compile("[^aeiou]*[aeiou][bdgklmnprt]$")  # doubles its end: "planned", "stopped"
_DOUBLED = re.compile(r"[^aeiou][aeiou]([bdgkmnprt])\1$")
_LONG_LL = re.compile("[aeiou][^aeiou]+[aeiou]ll$")  # "controlled"; "fill" is no form of "file"
_ENDINGS = ("ing", "ed", "es", "s", "e")


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """What all forms of a regular verb share, and the first form of an irregular one.

    >>> root("acquired") == root("acquires"), root("wrote"), root("planned") == root("plans")
    (True, 'write', True)
    """
    low = word.casefold()
    if low in _BASE:
        return _BASE[low]
    ending = next((end for end in _ENDINGS if low.endswith(end) and len(low) - len(end) >= SHORTEST), "")
    kept = low if low.endswith(("ss", "eed")) else low.removesuffix(ending)
    if ending not in ("", "s") and _ONE_SHORT_VOWEL.match(kept):
        return f"{kept}e"  # "scraped" and "scrapes" are of "scrape": of "scrap" they would be "scrapped" and "scraps"
    kept = kept[:-1] if _LONG_LL.search(kept) or (ending in ("ed", "ing") and _DOUBLED.search(kept)) else kept
    kept = f"{kept[:-1]}y" if kept.endswith("i") else kept
    return next((base for base in (kept, f"{kept}e") if _BASE.get(base) == base), kept)


@lru_cache(maxsize=4096)
def forms(word: str) -> frozenset[str]:
    """A lower-case word and its other forms, as a verb or a noun; some of them are no words.

    >>> forms("owns") >= {"own", "owns", "owned", "owning"}, forms("wrote") >= {"write", "writing", "written"}
    (True, True)
    >>> "won" in forms("wine")
    False
    """
    bases = {base for base in _bases(word) if len(base) >= SHORTEST}
    return frozenset({word}).union(*map(_inflected, bases))


def _bases(word: str) -> Iterator[str]:
    """What a word may be a form of: itself, if it has no ending."""
    if word in _BASE:
        yield _BASE[word]
    elif word.endswith(("ies", "ied")):
        yield from (f"{word[:-3]}y", word[:-1])
    elif word.endswith("s") and not word.endswith("ss"):
        yield from (word[:-1], *([word[:-2]] if word[:-2].endswith(_HISSING) else []))
    elif word.endswith(("ed", "ing")) and not word.endswith("eed"):
        kept = word.removesuffix("ed").removesuffix("ing")
        yield f"{kept}e"
        if not _ONE_SHORT_VOWEL.match(kept):
            yield kept
        if _DOUBLED.search(kept) or _LONG_LL.search(kept):
            yield kept[:-1]
    else:
        yield word


def _inflected(base: str) -> Iterator[str]:
    silent = base.endswith("e")
    kept = base[:-1] if silent else base
    yield from (base, f"{base}es" if base.endswith(_HISSING) else f"{base}s", f"{kept}ing")
    if _BASE.get(base) == base:
        yield from (form for form, first in _BASE.items() if first == base)
    elif _CONSONANT_Y.search(base):
        yield from (f"{base[:-1]}ies", f"{base[:-1]}ied")
    else:
        yield f"{kept}ed"
    if _ONE_SHORT_VOWEL.match(base):
        yield from (f"{base}{base[-1]}ing", f"{base}{base[-1]}ed")


def is_finite(word: str) -> bool:
    """Whether a lower-case word may be a verb that says what somebody does or did: "owns", "acquired", "wrote"."""
    return word.islower() and (word in PAST or word.endswith("ed") or (word.endswith("s") and not word.endswith("ss")))


def is_participle(word: str) -> bool:
    """Whether a word may be a verb behind "was": "acquired", "written", "led"."""
    ending = word.endswith(("ed", "en", "wn", "rn", "rne", "de", "lt", "ght"))
    return ending or word.casefold() in PAST | _SAME_PARTICIPLE
