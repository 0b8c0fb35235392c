"""The data of one question: what goes in, what happens in each round, what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopstop.program.errors import BadCorpus
from hopstop.program.limits import Limits as Limits  # these are records of a run as well, and imported from here
from hopstop.program.limits import StopBy as StopBy
from hopstop.program.stop_reason import StopReason as StopReason
from hopstop.program.usage import NO_USAGE
from hopstop.program.usage import Usage as Usage

NO_GROUPS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage of the corpus.

    Attributes:
        id: Unique in its index.
        text: What is searched and quoted. Offsets of quotes count its characters.
        title: Searched with the text, never quoted.
        groups: Who may read it; empty means everyone. One string raises BadCorpus: its letters are no groups.
    """

    id: str
    text: str
    title: str = ""
    groups: frozenset[str] = NO_GROUPS

    def __post_init__(self) -> None:
        if isinstance(self.groups, str):
            raise BadCorpus(f"passage {self.id!r}: groups must be a set of names, e.g. frozenset({{{self.groups!r}}})")

    def readable_by(self, groups: frozenset[str]) -> bool:
        """Whether a user of these groups may read the passage."""
        return not self.groups or not self.groups.isdisjoint(groups)


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a search returned.

    Attributes:
        passage: The passage.
        score: Higher is better; comparable only within one search. Always > 0.
        source: Which retriever found it.
    """

    passage: Passage
    score: float
    source: str = "bm25"


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that stand in a passage: `passage.text[start:end] == text`, checked by code."""

    passage_id: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that the question needs.

    Attributes:
        need: What is needed, in words.
        quote: The verified words that show it, or None while it is open.
        follows_from: Needs of other facts from which code or the model derives this one; such a fact has no quote.
    """

    need: str
    quote: Quote | None = None
    follows_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact as a policy states it, before code has looked for its quote.

    Attributes:
        need: What is needed, in words.
        passage: Label ("P2") or id of the passage that shows it; empty if open.
        quote: The words, or the label of the sentence ("P2.1"); empty if open.
        follows_from: Needs of the facts that this one is derived from.
        replaces: Need of the open fact whose place this one takes. For code alone: no words of a model drop a fact.
    """

    need: str
    passage: str = ""
    quote: str = ""
    follows_from: tuple[str, ...] = ()
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy makes of the evidence.

    Attributes:
        stop: Whether the policy would stop here.
        claims: The facts that are open, new or to be taken back, each with its quote if there is one.
        draft: The shortest answer so far; empty if there is none.
        whole: Whether the claims of a STOP are the whole proof: facts of earlier rounds beside them are dead ends. For
            code alone.
    """

    stop: bool
    claims: tuple[Claim, ...] = ()
    draft: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What code makes of a decision.

    Attributes:
        accepted: Whether a STOP on this decision would count.
        facts: All facts, proven ones with verified quotes.
        coverage: Proven or soundly derived facts / facts, in [0, 1]; 0 without facts.
        sufficiency: Sentences of the draft whose content words stand in the quotes / sentences, in [0, 1].
        objections: Each gap in words that a policy can act on; empty when accepted.
    """

    accepted: bool
    facts: tuple[Fact, ...]
    coverage: float
    sufficiency: float
    objections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was searched.

    Attributes:
        text: What was searched.
        need: The open fact that it is for; the question itself in round 1.
        faults: Faults found in the tries before this text was accepted, in words.
        fallback: Whether the plain query (need and anchors) ran because every try had a fault.
        warnings: Faults that do not send a query back, in words.
    """

    text: str
    need: str
    faults: tuple[str, ...] = ()
    fallback: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A STOP that code refused for its answer alone, and that was asked again in the same round."""

    draft: str
    objections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """One round, as it happened.

    Attributes:
        number: From 1.
        queries: What was searched.
        hits: Ids that the searches returned, best first.
        new: Ids that had not been seen before, in the order read.
        kept: Ids that Decide read.
        stop: Whether the policy wanted to stop; None if it was not asked.
        draft: Its draft answer.
        objections: Why code refused a STOP, or what is open.
        dropped: Ids that Prune dropped after the decision.
        refused: STOPs of this round before the last decision.
        fallback: Ids that came from the fallback retriever.
        usage: LM usage of the round.
        seconds: Wall clock of the round.
    """

    number: int
    queries: tuple[Query, ...]
    hits: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    stop: bool | None = None
    draft: str = ""
    objections: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    fallback: tuple[str, ...] = ()
    usage: Usage = NO_USAGE
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run.

    Attributes:
        question: As it was asked.
        reason: Why the run ended.
        answer: The answer; None unless `reason` is ANSWERED.
        facts: What the question needs, proven facts with their verified quotes.
        draft: The last draft answer, proven or not.
        evidence: Every passage that was read, in the order read.
        rounds: What happened.
        usage: LM usage of the run.
        seconds: Wall clock of the run.
        policy: Which policy decided, e.g. "offline" or "lm:anthropic/claude-...".
        ranking: Ids of `evidence`, the most useful first.
        note: What a user should know besides, e.g. the kind of an LM error.
        priced_by: Where the prices come from, with their version; empty if nothing was billed or no price is known.
    """

    question: str
    reason: StopReason
    answer: str | None = None
    facts: tuple[Fact, ...] = ()
    draft: str = ""
    evidence: tuple[Passage, ...] = ()
    rounds: tuple[Round, ...] = ()
    usage: Usage = NO_USAGE
    seconds: float = 0.0
    policy: str = ""
    ranking: tuple[str, ...] = ()
    note: str = ""
    priced_by: str = ""

    @property
    def citations(self) -> tuple[Fact, ...]:
        """The facts that have a verified quote."""
        return tuple(fact for fact in self.facts if fact.quote is not None)

    @property
    def missing(self) -> tuple[str, ...]:
        """Needs of the facts that are neither quoted nor derived from quoted ones."""
        return open_needs(self.facts)

    def explain(self) -> str:
        """One paragraph for a person: what was searched, read and found, and what is missing."""
        searches = sum(len(item.queries) for item in self.rounds)
        text = f"Searched {_count(searches, 'time')} in {_count(len(self.rounds), 'round')}"
        elsewhere = sum(len(item.fallback) for item in self.rounds)
        text += f" and read {_count(len(self.evidence), 'passage')}"
        text += f" ({elsewhere} of them from the fallback source); " if elsewhere else "; "
        if self.answer is not None and not self.missing:
            text += f"every fact has a quote or follows from facts that have one, so the answer is: {self.answer}."
            return text + self._plain_words()
        shown = "; ".join(f'{fact.need} ("{" ".join(fact.quote.text.split())}")' for fact in self.facts if fact.quote)
        text += f"found: {shown}; " if shown else ""
        if self.missing:
            text += f"no passage read says: {'; '.join(self.missing)}. "
        else:
            text += (
                "these quotes do not say the answer for certain. "
                if self.facts
                else "no fact of the question could be named. "
            )
        text += f"The answer is: {self.answer}." if self.answer is not None else f"Ended with {self.reason}."
        return f"{text}{self._plain_words()} {self.note}".strip()

    def _plain_words(self) -> str:
        plain = [query for item in self.rounds for query in item.queries if query.fallback]
        if not plain:
            return ""
        told = "; ".join(dict.fromkeys(fault for query in plain for fault in query.faults))
        return f" {_count(len(plain), 'time')} every query had a fault, so plain words were searched: {told}."


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def open_needs(facts: Sequence[Fact]) -> tuple[str, ...]:
    """Needs of the facts that are neither quoted nor soundly derived from quoted ones."""
    shown = sound_needs(facts)
    return tuple(fact.need for fact in facts if fact.need not in shown)


def sound_needs(facts: Sequence[Fact]) -> frozenset[str]:
    """Needs of the facts that are quoted or follow, over any number of steps, from quoted ones alone.

    A fact that follows from itself, from an unknown fact or from an open one is not among them.
    """
    shown = {fact.need for fact in facts if fact.quote is not None}
    while more := {fact.need for fact in facts if fact.follows_from and shown.issuperset(fact.follows_from)} - shown:
        shown |= more
    return frozenset(shown)
