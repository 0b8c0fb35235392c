"""Words that name a kind, not a thing: "a person", "the city", "more information"."""

from __future__ import annotations

from hopstop.program.text import content_words

# What "who", "where", "when" and "what" ask for, and what searching is called, in English, German, French, Spanish and
# Russian: words that would fit any question. Pairs of characters for Chinese and Japanese.
_KINDS = """
    person people man woman men women human somebody someone anybody anyone nobody individual
    place location somewhere city town country area region
    time date year day month thing object something anything item entity kind type sort name
    number amount quantity value several many few various
    company organisation organization group
    person personen mensch mann frau jemand ort stadt land zeit datum jahr ding etwas name
    personne homme femme quelqu'un quelque lieu endroit ville pays temps chose nom
    persona hombre mujer alguien lugar ciudad país tiempo fecha año cosa algo nombre
    человек кто-то место город страна время дата год имя
    人物 人間 場所 誰か ある 情報 名前
"""
_SEARCH = """
    information info informationen informations información informaciones details detail détails detalles detail
    answer answers question questions fact facts find search look lookup tell give show know please help additional
    further weitere mehr plus más relevant related about unknown unclear mentioned stated specified given available
    correct passage text
    информация ответ вопрос подробности
"""
KINDS = frozenset(content_words(_KINDS))
FILLERS = frozenset(content_words(_SEARCH))


def is_generic(word: str) -> bool:
    """Whether a case-folded content word, or its singular, names a kind or speaks of the search itself."""
    return not {word, word.removesuffix("s")}.isdisjoint(KINDS | FILLERS)


def is_filler(word: str) -> bool:
    """Whether a case-folded content word speaks of the search itself ("information", "please")."""
    return not {word, word.removesuffix("s")}.isdisjoint(FILLERS)
