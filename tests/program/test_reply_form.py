from __future__ import annotations

import json
import re
from typing import Any

import dspy
import pydantic
import pytest

from hopstop.program.reply_form import LABEL_FORMS, JSONReplies, PlainReplies, reply_model
from hopstop.signatures import Decide, Prune, Rewrite


@pytest.mark.parametrize("signature", [Decide, Prune, Rewrite])
def test_what_is_made_once_is_what_dspy_makes_each_time(signature: type[dspy.Signature]) -> None:
    fields: dict[str, Any] = {name: (item.annotation, ...) for name, item in signature.output_fields.items()}
    anew = pydantic.create_model("Reply", __config__=pydantic.ConfigDict(extra="forbid"), **fields)
    for _ in range(2):
        assert reply_model(signature).model_json_schema() == anew.model_json_schema()
        for mine, plain in ((JSONReplies(), dspy.JSONAdapter()), (PlainReplies(), dspy.ChatAdapter())):
            assert mine.format_system_message(signature) == plain.format_system_message(signature)
    assert reply_model(signature) is reply_model(signature)


def test_changed_instructions_and_a_changed_schema_are_seen() -> None:
    changed = Rewrite.with_instructions("Write a query.")
    before = JSONReplies().format_system_message(changed)
    changed.instructions = "Write two words."
    assert before != JSONReplies().format_system_message(changed)
    reply_model(Rewrite).model_json_schema()["properties"].clear()
    assert reply_model(Rewrite).model_json_schema()["properties"]


def test_a_schema_with_labels_holds_fields_to_their_patterns_and_lets_none_be_left_out() -> None:
    for signature, patterns in ((Decide, 2), (Prune, 3), (Rewrite, 0)):
        schema = reply_model(signature, labels=True).model_json_schema()
        assert json.dumps(schema).count('"pattern"') == patterns
        for part in (schema, *schema.get("$defs", {}).values()):
            assert part["required"] == list(part["properties"])
    claim = reply_model(Decide, labels=True).model_json_schema()["$defs"]["FactClaim"]["properties"]
    assert (claim["quote"]["pattern"], claim["follows_from"]["maxItems"]) == (LABEL_FORMS["quote"], 4)


@pytest.mark.parametrize(
    ("field", "right", "wrong"),
    [
        ("direct", ["P1", "P12"], ["", "P", "1", "P1.1", "P1: Title", "Title"]),
        ("quote", ["", "P2.1", "P10.12"], ["P2", "its words", "P2.1 its words"]),
        ("follows_from", ["F1", "F12"], ["", "1", "P1", "F1, F2"]),
    ],
)
def test_patterns_take_labels_and_nothing_else(field: str, right: list[str], wrong: list[str]) -> None:
    assert all(re.search(LABEL_FORMS[field], text) for text in right)
    assert not any(re.search(LABEL_FORMS[field], text) for text in wrong)
