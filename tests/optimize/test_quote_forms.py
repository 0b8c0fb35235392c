from __future__ import annotations

import re

import pytest

from fakes import chat, scripted_lm
from hopstop.eval.desk import make_desk
from hopstop.optimize.labels import Amount
from hopstop.optimize.material import Material
from hopstop.optimize.quote_forms import Model, measure
from hopstop.program.bm25 import BM25Index

LABEL = re.compile(r'"quote": "P\d+\.\d+"')


def copying(_signature: str, prompt: str) -> str:
    """One quote in the form of the examples: a label that exists, or words that stand nowhere."""
    quote = "P1.1" if LABEL.search(prompt) else "Words that stand nowhere, made up by a model."
    return chat(needed=[{"need": "Words of a fact", "quote": quote}], answer="", verdict="SEARCH")


@pytest.fixture(scope="module")
def material() -> Material:
    desk = make_desk(seed=3)
    return Material(desk, BM25Index.build(desk.passages))


def test_both_forms_are_asked_of_the_same_labels_with_examples_in_their_form(material: Material) -> None:
    lm = scripted_lm(copying)
    told: list[int] = []
    document = measure(Model(lm, examples=2), material, Amount(train=6, dev=4), told.append)
    words, labels = document["forms"]["words"], document["forms"]["labels"]
    assert document["n"] == 4
    assert told == [1, 2, 3, 4]
    assert len(lm.engine.requests) == 8
    assert (words["quotes"], words["found"], words["precision"]) == (1, 0, 0)
    assert labels["quotes"] == 1
    assert document["difference"]["output_tokens"]["value"] < 0
    assert words["unread"] == labels["unread"] == 0


def test_a_reply_that_cannot_be_read_counts_as_such_and_quotes_nothing(material: Material) -> None:
    document = measure(
        Model(scripted_lm(lambda *_: "no fields"), examples=1), material, Amount(train=3, dev=2), lambda _: None
    )
    assert document["forms"]["words"]["unread"] == 1
    assert document["forms"]["labels"]["precision"] is None
