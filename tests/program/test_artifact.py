"""Compiled programs are kept and loaded again, or refused with the name of what differs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import dspy
import pytest

from compiled import LIMITS, compiled, requests, searching, snapshot, walking
from fakes import FILMS, PROOF, QUESTION, ScriptedPolicy, WordRetriever, scripted_lm
from hopstop.program import BM25Index, IterativeQA, LMPolicy, Training, load, save
from hopstop.program.analyzer import Analyzer
from hopstop.program.errors import BadInput
from hopstop.program.predictor_state import type_name

RELEASED = Path(__file__).parent / "released"


def test_a_loaded_program_asks_the_very_same(tmp_path: Path) -> None:
    lm, again = scripted_lm(searching), scripted_lm(searching)
    program = compiled(lm)
    loaded = load(save(program, tmp_path, name="films"), retriever=program.retriever, lm=again)
    assert loaded.limits == LIMITS
    assert loaded(QUESTION).reason == program(QUESTION).reason
    assert requests(again) == requests(lm)
    assert len(requests(lm)) > 4
    assert any("“quoted”" in request for request in requests(again))


def test_a_new_process_asks_the_very_same(tmp_path: Path) -> None:
    lm = scripted_lm(searching)
    program = compiled(lm)
    folder = save(program, tmp_path, name="films")
    program(QUESTION)
    code = (
        "import sys, compiled, fakes\n"
        "from hopstop.program import BM25Index, load\n"
        "lm = fakes.scripted_lm(compiled.searching)\n"
        "load(sys.argv[1], retriever=BM25Index.build(fakes.FILMS), lm=lm)(fakes.QUESTION)\n"
        "sys.stdout.write(repr(compiled.requests(lm)))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", code, str(folder)]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert printed == repr(requests(lm))


def test_a_loaded_program_is_kept_in_the_same_bytes(tmp_path: Path) -> None:
    first = save(compiled(), tmp_path / "a", name="films", origin={"seed": 1})
    second = save(
        load(first, retriever=BM25Index.build(FILMS), lm=scripted_lm(searching)),
        tmp_path / "b",
        name="films",
        origin={"seed": 1},
    )
    assert snapshot(first) == snapshot(second)


def test_modules_marked_as_compiled_are_kept(tmp_path: Path) -> None:
    program = compiled()
    program.policy._compiled = program.policy.decider._compiled = True
    state = json.loads((save(program, tmp_path, name="films") / "state.json").read_bytes())
    assert list(state) == ["decider", "pruner", "rewriter"]
    assert [len(state[name]["demos"]) for name in state] == [1, 0, 1]


def test_versions_count_up_and_none_is_ever_changed(tmp_path: Path) -> None:
    program = compiled()
    first = save(program, tmp_path, name="films")
    before = snapshot(first)
    (tmp_path / "films" / "v007").mkdir()
    with ThreadPoolExecutor(4) as pool:
        later = list(pool.map(lambda _: save(program, tmp_path, name="films"), range(8)))
    assert sorted(path.name for path in later) == [f"v{number:03d}" for number in range(8, 16)]
    assert snapshot(first) == before
    assert all(json.loads((path / "manifest.json").read_bytes())["version"] == path.name for path in later)
    assert [path.name for path in (tmp_path / "films").iterdir() if path.name.startswith(".")] == []


def test_examples_hold_the_fields_of_their_predictor_only(tmp_path: Path) -> None:
    folder = save(compiled(), tmp_path, name="films")
    assert "not for prompts" not in repr(snapshot(folder))


def test_what_the_manifest_says(tmp_path: Path) -> None:
    training = Training("films", "ab" * 32, ("q1", "q2"))
    folder = save(compiled(), tmp_path, name="films", training=training, scores={"f1": 0.5}, origin={"seed": 3})
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert manifest["limits"] == asdict(LIMITS)
    assert manifest["training"] == {"name": "films", "hash": "ab" * 32, "ids": ["q1", "q2"]}
    assert (manifest["policy"], manifest["lm"], manifest["scores"]) == ("lm", "scripted/test", {"f1": 0.5})
    assert manifest["analyzer"] == Analyzer().settings()
    assert manifest["predictors"]["rewriter"]["outputs"] == [{"name": "query", "type": "str"}]
    needed = {"name": "needed", "type": "list[FactClaim(need: str, quote: str, follows_from: list[str])]"}
    assert manifest["predictors"]["decider"]["outputs"][0] == needed
    assert not re.search(r"\d{4}-\d\d-\d\d", repr(manifest))


def test_no_key_and_no_address_gets_into_the_folder(tmp_path: Path) -> None:
    planted = {"api_key": "sk-planted-4471", "api_base": "https://planted.example.org/v1"}
    lm = dspy.LM("openai/small", extra_headers={"X-Auth": "Bearer planted-9"}, **planted)
    program = compiled(lm)
    program.policy.rewriter.lm = dspy.LM("openai/small", api_key="sk-planted-of-one-predictor")
    folder = save(program, tmp_path, name="films")
    assert "planted" not in repr(snapshot(folder))
    assert json.loads((folder / "manifest.json").read_bytes())["lm"] == "openai/small"


@pytest.mark.parametrize("place", ["demo", "instruction", "origin"])
def test_a_key_that_stands_in_a_prompt_or_note_is_refused_without_being_shown(tmp_path: Path, place: str) -> None:
    secret = 'sk-"planted"-4471'
    program = compiled(dspy.LM("openai/small", api_key=secret))
    decider = program.policy.decider
    if place == "demo":
        decider.demos[0]["question"] = f"what is {secret}"
    if place == "instruction":
        decider.signature = decider.signature.with_instructions(f"Use {secret}")
    origin = {"command": f"compile --key {secret}"} if place == "origin" else {}
    with pytest.raises(BadInput, match="key or address") as error:
        save(program, tmp_path, name="films", origin=origin)
    assert "planted" not in str(error.value)
    assert snapshot(tmp_path) == {}


def test_loading_leaves_dspy_settings_alone(tmp_path: Path) -> None:
    folder = save(compiled(), tmp_path, name="films")
    before = dict(dspy.settings.config)
    load(folder, retriever=BM25Index.build(FILMS))
    assert dict(dspy.settings.config) == before


def test_without_an_lm_the_one_of_the_app_is_asked(tmp_path: Path) -> None:
    lm = scripted_lm(searching)
    loaded = load(save(compiled(), tmp_path, name="films"), retriever=BM25Index.build(FILMS))
    with dspy.context(lm=lm):
        loaded(QUESTION)
    assert len(requests(lm)) > 4


def test_the_form_of_replies_is_kept_and_can_be_overridden(tmp_path: Path) -> None:
    program = IterativeQA(BM25Index.build(FILMS), LMPolicy(scripted_lm(searching), schema=True))
    folder = save(program, tmp_path, name="films")
    schemas = [
        load(folder, retriever=program.retriever, schema=schema).policy.caller.schema for schema in (None, False)
    ]
    assert schemas == [True, False]


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "a b", "x" * 101])
def test_names_that_are_no_folder_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="artifact name"):
        save(compiled(), tmp_path, name=name)


def test_what_could_not_be_loaded_again_is_not_saved(tmp_path: Path) -> None:
    renamed = compiled()
    renamed.policy.pruner = dspy.Predict("question -> useful: list[str]")
    configured = compiled()
    configured.policy.pruner = dspy.Predict(configured.policy.pruner.signature, temperature=0.7)
    surrogate = compiled()
    surrogate.policy.decider.demos[0]["question"] = "\ud800"
    own = IterativeQA(WordRetriever(FILMS), ScriptedPolicy([PROOF]))
    faulty = ((renamed, "pruner"), (configured, "config"), (surrogate, "state.json"), (own, "'scripted'"))
    for program, message in faulty:
        with pytest.raises(BadInput, match=message):
            save(program, tmp_path, name="films")
    with pytest.raises(BadInput, match=r"manifest\.json"):
        save(compiled(), tmp_path, name="films", scores={"f1": float("nan")})
    assert snapshot(tmp_path) == {}


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "films").write_text("a file", encoding="utf-8")
    with pytest.raises(BadInput, match="films cannot be written"):
        save(compiled(), tmp_path, name="films")


def test_types_are_named_alike_in_every_python() -> None:
    assert type_name(int | None) == "int | NoneType"
    assert type_name(dict[str, list[int]]) == "dict[str, list[int]]"


def test_the_weights_of_the_offline_policy_are_kept_to_the_last_bit(tmp_path: Path) -> None:
    index = BM25Index.build(FILMS)
    program = walking(index)
    folder = save(program, tmp_path, name="offline", scores={"all_support": 0.9})
    loaded = load(folder, retriever=index, lm=scripted_lm(searching))
    assert (loaded.policy.state(), loaded.limits) == (program.policy.state(), program.limits)
    first, second = (replace(qa(QUESTION), seconds=0.0, rounds=()) for qa in (program, loaded))
    assert first == second
    assert len(first.evidence) == 3


def golden(lm: dspy.LM) -> list[dict[str, Any]]:
    """What the model was sent, without the schema of nested replies, whose words belong to the code."""
    return [
        {
            "system": re.sub(r"(adhere to the JSON schema): .*", r"\1", str(request.system)),
            "messages": [[item.role, "\n".join(part.text for part in item.parts)] for item in request.messages],
        }
        for request in lm.engine.requests
    ]


def ask_each_predictor(program: IterativeQA, lm: dspy.LM) -> None:
    inputs = {"question": "Who fixed 4471?", "passages": "P1 Fix\nP1.1 Ann fixed 4471.", "facts": "F1 who fixed 4471"}
    more = {"queries": ["4471"], "draft": "", "objection": "not shown: F1"}
    again = {"titles": ["Fix"], "queries": ["4471"], "missing": "who fixed 4471", "faults": ""}
    with dspy.context(lm=lm, adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
        program.policy.decider(**inputs, **more)
        program.policy.pruner(**inputs)
        program.policy.rewriter(question=inputs["question"], facts=inputs["facts"], **again)


def test_the_released_artifact_still_loads_and_asks_the_same() -> None:
    lm = scripted_lm(searching)
    program = load(RELEASED / "v001", retriever=BM25Index.build(FILMS), lm=lm)
    assert program.limits == LIMITS
    ask_each_predictor(program, lm)
    assert golden(lm) == json.loads((RELEASED / "golden.json").read_text(encoding="utf-8"))
