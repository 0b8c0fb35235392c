from __future__ import annotations

import enum
import json
from typing import Any, Literal

import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.quick_form import read_json
from hopstop.program.reply_form import JSONReplies, PlainReplies
from hopstop.signatures import Decide, Prune, Rewrite


class Kind(enum.Enum):
    FILM = "film"


class Others(dspy.Signature):
    """Fields of the types that the signatures of this package do not have."""

    texts: str = dspy.InputField()
    number: int = dspy.InputField()
    pairs: dict[str, list[int]] = dspy.InputField()
    kind: Kind = dspy.OutputField()
    year: int = dspy.OutputField()
    rank: Literal[1, 2] = dspy.OutputField()


ADAPTERS = [(JSONReplies(), dspy.JSONAdapter()), (PlainReplies(), dspy.ChatAdapter())]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def value_of(annotation: object) -> st.SearchStrategy[Any]:
    return st.lists(TEXT, max_size=3) if annotation == list[str] else TEXT


@pytest.mark.parametrize("signature", [Decide, Prune, Rewrite])
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_prompts_are_those_of_dspy(signature: type[dspy.Signature], data: st.DataObject) -> None:
    names = data.draw(st.sets(st.sampled_from(sorted(signature.input_fields))))
    inputs = {name: data.draw(value_of(signature.input_fields[name].annotation)) for name in names}
    for mine, plain in ADAPTERS:
        assert mine.format(signature, [], inputs) == plain.format(signature, [], inputs)


def test_values_of_other_types_are_written_as_dspy_writes_them() -> None:
    inputs = {"texts": ["a", "b"], "number": 3, "pairs": {"ä": [1]}}
    for mine, plain in ADAPTERS:
        assert mine.format(Others, [inputs], inputs) == plain.format(Others, [inputs], inputs)


@pytest.mark.parametrize(
    "reply",
    [
        '{"kind": "film", "year": 1979, "rank": 2}',
        '{"kind": "film", "year": "1979", "rank": "2"}',
        '{"rank": 1, "year": 1979.0, "kind": "FILM", "more": 1}',
        '```json\n{"kind": "film", "year": 1979, "rank": 1}\n```',
        '{"kind": "film", "year": 1979, "rank": 1',
        '{"kind": "film", "year": 1979}',
        '{"kind": "film", "year": "soon", "rank": 1}',
        '{"kind": "film", "year": 1979, "rank": 3}',
        '["kind"]',
        "",
    ],
)
def test_replies_are_read_as_dspy_reads_them(reply: str) -> None:
    assert outcome(JSONReplies(), Others, reply) == outcome(dspy.JSONAdapter(), Others, reply)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.fixed_dictionaries({"need": TEXT, "quote": TEXT, "follows_from": st.lists(TEXT)}), max_size=2), TEXT)
def test_decisions_are_read_as_dspy_reads_them_without_its_help(needed: list[dict[str, Any]], answer: str) -> None:
    reply = json.dumps({"verdict": "STOP", "needed": needed, "answer": answer})
    assert read_json(Decide, reply) == dspy.JSONAdapter().parse(Decide, reply)


def test_a_field_of_the_wrong_type_is_left_to_dspy() -> None:
    assert read_json(Decide, '{"needed": "none", "answer": "x", "verdict": "STOP"}') is None
    assert read_json(Rewrite, '{"query": 3}') == {"query": "3"}


def outcome(adapter: dspy.Adapter, signature: type[dspy.Signature], reply: str) -> dict[str, Any] | str:
    try:
        found: dict[str, Any] = adapter.parse(signature, reply)
    except AdapterParseError as error:
        return str(error).replace("JSONReplies", "JSONAdapter")
    return found
