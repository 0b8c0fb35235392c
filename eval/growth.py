"""How time and size grow with the corpus: `python -m hopstop.eval.growth CORPUS QUESTIONS`.

A larger corpus is made of copies in which every name and number is replaced, the same one by the same one, so that a
copy keeps the statistics of the corpus and its links, and yet answers no question. (Scripts without capitals stay.)
"""

from __future__ import annotations

import json
import random
import re
import resource
import string
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np

from hopstop.eval.datasets import read_questions
from hopstop.eval.questions import Question
from hopstop.program.bm25 import BM25Index
from hopstop.program.corpus import read_corpus
from hopstop.program.errors import HopstopError
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.records import Passage
from hopstop.program.sentences import sentence_spans
from hopstop.program.units import fold, unit_of, upper_share

_WORD = re.compile(r"\w+")
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxyz"


@dataclass(frozen=True, slots=True)
class Growth:
    """What one size of the corpus costs.

    Attributes:
        factor: Copies of the corpus, the original included.
        passages: In all of them.
        build_seconds: To build the index in memory, CPU time.
        save_seconds: To write it to a folder, CPU time.
        index_bytes: Size of the saved folder.
        load_seconds: To open it by memory map, wall clock.
        ms_p50: Median of one question, CPU time.
        ms_p95: 95th percentile of it.
        corpus_peak_bytes: Memory of this process at its highest before the index is built: passages and program.
        peak_bytes: The same after it was built; both are of the largest factor so far, if they ascend of this one.
    """

    factor: int
    passages: int
    build_seconds: float
    save_seconds: float
    index_bytes: int
    load_seconds: float
    ms_p50: float
    ms_p95: float
    corpus_peak_bytes: int
    peak_bytes: int


def names_of(passages: Sequence[Passage]) -> frozenset[str]:
    """The folded words that stand mostly with a capital where no sentence forces one; see `upper_share`."""
    sentences = (passage.text[start:end] for passage in passages for start, end in sentence_spans(passage.text))
    share = upper_share(map(unit_of, sentences))
    return frozenset(term for term, part in share.items() if part >= 0.5)


def renamed(passage: Passage, names: Collection[str], copy: int) -> Passage:
    """A passage of a copy: its names and all that holds a digit replaced.

    Args:
        passage: Of the original.
        names: See `names_of`.
        copy: Number of the copy; 0 is the original itself.
    """
    if copy == 0:
        return passage
    table = _table(copy)

    def other(match: re.Match[str]) -> str:
        word = match.group()
        is_name = fold(word) in names or any(char.isdigit() for char in word)
        return _replaced(word, table, copy) if is_name else word

    title, text = _WORD.sub(other, passage.title), _WORD.sub(other, passage.text)
    return replace(passage, id=f"{passage.id}~{copy}", title=title, text=text)


def copies(passages: Sequence[Passage], factor: int) -> Iterator[Passage]:
    """The passages and factor - 1 copies of each."""
    names = names_of(passages)
    return (renamed(passage, names, copy) for copy in range(factor) for passage in passages)


def measure(passages: Sequence[Passage], questions: Sequence[Question], factor: int) -> Growth:
    """Build, save, load and ask at one size.

    Raises:
        BadCorpus: There is no passage with a word.
    """
    grown = list(copies(passages, factor))
    before = _peak()
    start = time.process_time()
    index = BM25Index.build(grown)
    build, peak = time.process_time() - start, _peak()
    with TemporaryDirectory() as folder:
        saved = Path(folder) / "index"
        start = time.process_time()
        index.save(saved)
        save = time.process_time() - start
        size = sum(path.stat().st_size for path in saved.rglob("*") if path.is_file())
        del index
        begun = time.perf_counter()
        loaded = BM25Index.load(saved)
        load = time.perf_counter() - begun
        times = _times(loaded, questions)
    p50, p95 = (float(np.percentile(times, part)) for part in (50, 95))
    return Growth(factor, len(grown), build, save, size, load, p50, p95, before, peak)


def _times(index: BM25Index, questions: Sequence[Question]) -> list[float]:
    """Milliseconds of each question; one is asked before, since the first one opens what is opened lazily."""
    policy = OfflinePolicy(index)
    program = IterativeQA(index, policy, policy.limits)
    program(questions[0].question, groups=questions[0].groups)
    times = []
    for item in questions:
        start = time.process_time()
        program(item.question, groups=item.groups)
        times.append((time.process_time() - start) * 1000)
    return times


def _table(copy: int) -> dict[int, int]:
    """A permutation of the vowels, one of the consonants and one of the digits, of its own for each copy."""
    rng = random.Random(copy)
    table: dict[int, int] = {}
    for letters in (_VOWELS, _CONSONANTS, string.digits):
        others = "".join(rng.sample(letters, len(letters)))
        table |= str.maketrans(letters + letters.upper(), others + others.upper())
    return table


def _replaced(word: str, table: dict[int, int], copy: int) -> str:
    other = word.translate(table)
    return other if other != word else f"{word}x{copy}"  # a word of other letters, or one that the table leaves alone


def _peak() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("questions", type=click.Path(path_type=Path))
@click.option("--factors", default="1,10,100", show_default=True, metavar="N,N,...", help="Sizes, in ascending order.")
@click.option("--passages", type=click.IntRange(min=1), metavar="N", help="Only the first N passages of the corpus.")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, metavar="N", help="Questions.")
def main(corpus: Path, questions: Path, factors: str, passages: int | None, limit: int) -> None:
    """Measure how build time, size, load time and time of a question grow; print JSON, one size after the other."""
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", factors):
        raise click.UsageError(f"--factors takes whole numbers >= 1 with commas between them, not {factors!r}")
    try:
        found = read_corpus([corpus])[:passages]
        asked = read_questions(questions).sample(limit).questions
        rows = [asdict(measure(found, asked, int(factor))) for factor in factors.split(",")]
    except HopstopError as error:
        raise click.ClickException(str(error)) from error
    click.echo(json.dumps({"corpus": corpus.name, "questions": len(asked), "growth": rows}, indent=2))


if __name__ == "__main__":
    main()
