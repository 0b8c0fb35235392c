"""The two names that a question compares."""

from __future__ import annotations

import re

from hopstop.program import question_words as english
from hopstop.program.text import FUNCTION_WORDS

_SPLIT = re.compile(r"\S+")


def sides(text: str) -> tuple[str, ...]:
    """The two names around "or", or around "and" in a question about both; empty if there are none."""
    text = english.SAME_AS.sub(" and ", english.REPEATED.sub(r" \1 ", text))
    tokens = [match.group() for match in _SPLIT.finditer(text)]
    joins = ("or", "and") if _compares(text) else ("or",)
    for join in joins:
        for at in (place for place, token in enumerate(tokens) if token == join):
            left, right = _name_before(tokens, at), _name_after(tokens, at + 1)
            noun = _repeated_noun(tokens, at, left)
            if noun:
                left, right = f"{noun} {left}", f"{noun} {_name_after(tokens, at + 2)}"
            if left and right:
                return left, right
    return ()


def _repeated_noun(tokens: list[str], at: int, left: str) -> str:
    """The lower-case noun before both names ("incident 12 or incident 14"); "" if there is none."""
    start = at - len(left.split()) - 1
    return tokens[start] if left and start >= 0 and tokens[at + 1 : at + 2] == [tokens[start]] else ""


def _compares(text: str) -> bool:
    low = text.casefold()
    return bool(english.AUXILIARY.match(low) or english.OF_BOTH.search(low))


def _is_name(token: str) -> bool:
    bare = token.strip("\"'([{,;:?!.")
    if token.rstrip(",?").endswith(")"):
        return True
    return bool(bare) and (bare[0].isupper() or bare[0].isdigit() or not bare[0].isascii())


def _is_link(token: str) -> bool:
    return token.strip("\"',()").casefold() in english.NAME_LINKS or not any(char.isalnum() for char in token)


def _name_before(tokens: list[str], at: int) -> str:
    """The run of capitalised words that ends here; not the first word of the question if that is a function word."""
    start = at
    place = at - 1
    while place >= 0:
        token = tokens[place]
        if _is_name(token) and not (place == 0 and token.casefold().strip(",:") in FUNCTION_WORDS):
            start = place
        elif not _is_link(token) or token.endswith((",", ":")) or start - place > 2:
            break
        place -= 1
    return _clean(tokens[start:at])


def _name_after(tokens: list[str], at: int) -> str:
    end = at
    place = at
    while place < len(tokens):
        token = tokens[place]
        if _is_name(token) or _opens_name(tokens, place, at):
            end = place + 1
            if token.endswith(("?", ",")) and not (place + 1 < len(tokens) and _is_name(tokens[place + 1])):
                break
        elif not _is_link(token) or place - end >= 2:
            break
        place += 1
    return _clean(tokens[at:end])


def _opens_name(tokens: list[str], place: int, at: int) -> bool:
    """A second side may begin with a lower-case article."""
    return place == at and tokens[place] in ("the", "a") and place + 1 < len(tokens) and _is_name(tokens[place + 1])


def _clean(tokens: list[str]) -> str:
    text = " ".join(tokens).strip(" ,:;?")
    text = english.BEFORE_NAME.sub("", text) if " " in text else text
    return text.strip("\"'") if text.count('"') % 2 == 0 and text.count("'") % 2 == 0 else text
