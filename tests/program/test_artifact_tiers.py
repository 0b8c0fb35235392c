from __future__ import annotations

import json
from pathlib import Path

import dspy
import pytest

from compiled import compiled, searching
from fakes import FILMS, scripted_lm
from hopstop.program import BM25Index, IterativeQA, LMPolicy, describe, diff, load, save
from hopstop.program.artifact_folder import read_version
from hopstop.program.errors import ArtifactMismatch, BadInput

RELEASED = Path(__file__).parent / "released"
DIGESTS = {
    "v001": "6a8eff29c64fd2ad06091650413d9eec305583550e6e50fa71f95bc13356ce06",
    "offline/v001": "4c20f54b288250679f52e272d02f53269883277434f3cd023f1e026086f0ea6e",
    "offline/v002": "24b26de74770487a9d90cdb8581250e193fbb118c635d4719364994c4928d4d5",
}


def tiered(*, decide_lm: dspy.LM | None = None, answer_lm: dspy.LM | None = None) -> IterativeQA:
    program = compiled()
    program.policy.route(decide_lm, answer_lm)
    return program


def model(name: str) -> dspy.LM:
    return scripted_lm(searching, model=f"scripted/{name}")


def test_the_manifest_names_every_model(tmp_path: Path) -> None:
    folder = save(tiered(decide_lm=model("large"), answer_lm=model("reader")), tmp_path, name="films")
    manifest = json.loads((folder / "manifest.json").read_bytes())
    told = {name: manifest[name] for name in ("lm", "decide_lm", "answer_lm")}
    assert told == {"lm": "scripted/test", "decide_lm": "scripted/large", "answer_lm": "scripted/reader"}
    assert read_version(folder).manifest.tiers == {"decide_lm": "scripted/large", "answer_lm": "scripted/reader"}
    assert "policy lm, scripted/test, decide_lm scripted/large, answer_lm scripted/reader" in describe(folder).text()


def test_one_model_for_all_is_named_once(tmp_path: Path) -> None:
    for number, program in enumerate((compiled(), tiered(decide_lm=model("test")))):
        manifest = json.loads((save(program, tmp_path, name=f"films{number}") / "manifest.json").read_bytes())
        assert manifest["lm"] == "scripted/test"
        assert manifest.keys() & {"decide_lm", "answer_lm"} == set()


def test_a_difference_of_tiers_is_told(tmp_path: Path) -> None:
    before = save(tiered(decide_lm=model("large")), tmp_path, name="films")
    after = save(tiered(answer_lm=model("reader")), tmp_path, name="films")
    changes = diff(before, after)
    assert changes.about == {"decide_lm": ("scripted/large", None), "answer_lm": (None, "scripted/reader")}
    assert "decide_lm: scripted/large -> None" in changes.text()


def test_the_lm_that_is_loaded_with_does_all_until_the_page_of_the_artifact_is_followed(tmp_path: Path) -> None:
    folder = save(tiered(decide_lm=model("large")), tmp_path, name="films")
    lm = model("mine")
    program = load(folder, retriever=BM25Index.build(FILMS), lm=lm)
    assert program.policy.decide_lm is lm
    assert program.policy.answer_lm is None
    page = (folder / "README.md").read_text(encoding="utf-8")
    line = next(line for line in page.splitlines() if line.startswith("program.policy"))
    exec(line, {"program": program, "dspy": dspy})
    assert (program.policy.decide_lm.model, program.policy.answer_lm) == ("scripted/large", None)


@pytest.mark.parametrize("tier", ["decide_lm", "answer_lm"])
def test_the_key_of_a_tier_gets_into_no_file(tier: str, tmp_path: Path) -> None:
    lm = dspy.LM("openai/large", api_key="sk-planted-4471", api_base="https://planted.example.org/v1")
    program = tiered(**{tier: lm})
    folder = save(program, tmp_path, name="films")
    assert not any(b"planted" in path.read_bytes() for path in folder.iterdir())
    with pytest.raises(BadInput, match="would hold a key or address"):
        save(program, tmp_path, name="films", origin={"note": "made with sk-planted-4471"})
    assert len(list((tmp_path / "films").iterdir())) == 1


@pytest.mark.parametrize("place", DIGESTS)
def test_released_artifacts_keep_their_digest(place: str) -> None:
    assert read_version(RELEASED / place).manifest.digest() == DIGESTS[place]


@pytest.mark.parametrize("place", ["v001", "offline/v002"])
def test_an_artifact_of_before_there_were_tiers_names_none(place: str) -> None:
    manifest = read_version(RELEASED / place).manifest
    assert (manifest.decide_lm, manifest.answer_lm, manifest.tiers) == (None, None, {})


@pytest.mark.parametrize("tier", ["decide_lm", "answer_lm"])
def test_a_tier_that_is_no_name_is_refused(tier: str, tmp_path: Path) -> None:
    folder = save(compiled(), tmp_path, name="films")
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_text(json.dumps({**manifest, tier: ["scripted/large"]}), encoding="utf-8")
    with pytest.raises(ArtifactMismatch, match=f"field '{tier}' must be a string or null"):
        read_version(folder)


@pytest.mark.parametrize("reply_schema", [True, False])
def test_what_one_server_takes_says_nothing_about_another(tmp_path: Path, *, reply_schema: bool) -> None:
    program = IterativeQA(BM25Index.build(FILMS), LMPolicy(model("test"), schema=reply_schema))
    folder = save(program, tmp_path, name="films")

    def schema(lm: dspy.LM | None, **asked: bool) -> bool | None:
        found: bool | None = load(folder, retriever=BM25Index.build(FILMS), lm=lm, **asked).policy.caller.schema
        return found

    assert schema(model("test")) is schema(None) is reply_schema
    assert schema(model("other")) is None
    assert schema(model("other"), schema=True) is True
    with dspy.context(lm=model("other")):
        assert schema(None) is None
