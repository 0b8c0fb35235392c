from __future__ import annotations

from typing import Any

import dspy
import pydantic
import pytest

from hopstop.program.reply_form import JSONReplies, PlainReplies, reply_model
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
