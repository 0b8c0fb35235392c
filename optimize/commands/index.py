"""`hopstop index`: from files to a folder that can be searched."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import click

from hopstop.optimize.options import json_option, print_json


@click.command("index", short_help="Make files searchable.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", type=click.Path(path_type=Path))
@click.option("--out", required=True, metavar="INDEX", type=click.Path(path_type=Path), help="Folder of the index.")
@json_option
def command(sources: tuple[Path, ...], out: Path, *, as_json: bool) -> None:
    """Index passages, so that they can be searched.

    A SOURCE is a file of JSON lines (.jsonl, .jsonl.gz: "id" and "text", and if you like "title" and "groups", the
    groups that may read it), a text or Markdown file, or a folder of such text files. An older index in INDEX is
    replaced.

    \b
    Examples:
      hopstop index notes/ --out notes.index
      hopstop index incidents.jsonl contracts.jsonl.gz --out desk.index
    """
    from hopstop.optimize.show import stderr, stdout, typed
    from hopstop.program.bm25 import BM25Index
    from hopstop.program.corpus import passed_over, read_corpus

    start = time.perf_counter()
    with stderr().status("reading and indexing"):
        index = BM25Index.build(read_corpus(sources))
        index.save(out)
    seconds = time.perf_counter() - start
    info = index.info
    unread = sum((passed_over(source) for source in sources), Counter[str]())
    if as_json:
        counts = {"passages": info.passages, "restricted": info.restricted, "tokens": info.tokens}
        counts["files_not_read"] = unread.total()
        print_json({"index": str(out), **counts, "corpus_hash": info.corpus_hash, "seconds": seconds})
        return
    restricted = f", {info.restricted:,} of them for some groups only" if info.restricted else ""
    console = stdout()
    if unread:
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in unread.most_common())
        console.print(f"Not read, as folders give only text and Markdown: {kinds}", soft_wrap=True)
    plural = "" if info.passages == 1 else "s"
    console.print(f"Indexed {info.passages:,} passage{plural}{restricted} in {seconds:.1f} s: {out}", soft_wrap=True)
    console.print(f'Next: {typed("hopstop")} ask "..." --index {out}', soft_wrap=True)
