"""The official files of HotpotQA, 2WikiMultihopQA and MuSiQue, one record at a time.

Forms: HotpotQA, https://hotpotqa.github.io ("JSON Format"); 2WikiMultihopQA, https://github.com/Alab-NII/2wikimultihop
("Input/Output"); MuSiQue, https://github.com/StonyBrookNLP/musique. The paragraphs shown with each question become
passages; the same title and text is the same passage, whichever question shows it.
"""

from __future__ import annotations

import hashlib
from typing import Any

from hopstop.eval.json_records import Record
from hopstop.eval.questions import Question, Support
from hopstop.program.records import Passage

Read = tuple[Question, tuple[Passage, ...]]

TWO_WIKI_HOPS = {"bridge_comparison": 4}  # the other kinds rest on two facts (Ho et al., COLING 2020, section 2)


def passage_of(title: str, text: str) -> Passage:
    """A passage whose id is a hash of its title and text, the same in every file and process."""
    digest = hashlib.sha256(f"{title}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()
    return Passage(id=f"p-{digest[:16]}", text=text, title=title)


def read_hotpotqa(record: Record) -> Read:
    """One record of a HotpotQA file in the distractor setting: two facts, gold sentences.

    Raises:
        BadDataset: A field is missing or not of the official form, or a gold title is not in the context.
    """
    return _read_titled(record, hops=2, meta_names=("level",))


def read_2wiki(record: Record) -> Read:
    """One record of a 2WikiMultihopQA file: HotpotQA's form with `evidences`, triples (subject, relation, object).

    Raises:
        BadDataset: A field is missing or not of the official form, or a gold title is not in the context.
    """
    hops = TWO_WIKI_HOPS.get(record.get("type", str), 2)
    return _read_titled(record, hops=hops, meta_names=("evidences",))


def read_musique(record: Record) -> Read:
    """One record of a MuSiQue file: gold paragraphs, decomposition, answer with aliases.

    An unanswerable record of MuSiQue-Full has the id of its answerable twin and lacks a paragraph that the twin shows:
    it gets the id `<id>__unans` and `meta["twin_of"]`, and is valid against its own `context_ids` only.

    Raises:
        BadDataset: A field is missing or not of the official form.
    """
    name = record.get("id", str)
    answerable = bool(record.fields.get("answerable", True))
    steps = [step for step in record.get("question_decomposition", list) if isinstance(step, dict)]
    aliases = record.get("answer_aliases", list) if "answer_aliases" in record.fields else []
    answers = _texts(record, "answer_aliases", [record.get("answer", str), *aliases])
    paragraphs = [_paragraph(record, item) for item in record.get("paragraphs", list)]
    by_idx = {item["idx"]: passage.id for item, passage in paragraphs}
    twin = {} if answerable else {"twin_of": name, "original_answers": answers}
    question = Question(
        id=name if answerable else f"{name}__unans",
        question=record.get("question", str),
        answers=tuple(dict.fromkeys(answers)) if answerable else (),
        type=name.split("__")[0] if "__" in name else f"{len(steps)}hop",
        hops=len(steps) or None,
        answerable=answerable,
        supports=_passage_supports([passage for item, passage in paragraphs if item["is_supporting"]]),
        context_ids=_ids([passage for _, passage in paragraphs]),
        meta={"decomposition": [_step(step, by_idx) for step in steps], **twin},
    )
    return question, tuple(passage for _, passage in paragraphs)


def _read_titled(record: Record, *, hops: int, meta_names: tuple[str, ...]) -> Read:
    context = [_titled(record, item) for item in record.get("context", list)]
    passages = tuple(passage_of(title, " ".join(filter(None, sentences))) for title, sentences in context)
    question = Question(
        id=record.get("_id", str),
        question=record.get("question", str),
        answers=(record.get("answer", str),),
        type=record.get("type", str),
        hops=hops,
        supports=_sentence_supports(record, context, passages),
        context_ids=_ids(list(passages)),
        meta={name: record.fields[name] for name in meta_names if name in record.fields},
    )
    return question, passages


def _titled(record: Record, item: Any) -> tuple[str, list[str]]:  # noqa: ANN401 - JSON
    match item:
        case [str(title), list(sentences)] if all(isinstance(sentence, str) for sentence in sentences):
            return title, [sentence.strip() for sentence in sentences]
    raise record.wrong("context", "must be a list of [title, [sentence, ...]]")


def _sentence_supports(
    record: Record, context: list[tuple[str, list[str]]], passages: tuple[Passage, ...]
) -> tuple[Support, ...]:
    shown = {title: (passage, sentences) for (title, sentences), passage in zip(context, passages, strict=True)}
    gold: dict[str, list[str]] = {}
    for item in record.get("supporting_facts", list):
        match item:
            case [str(title), int(index)]:
                pass
            case _:
                raise record.wrong("supporting_facts", "must be a list of [title, sentence index]")
        if title not in shown:
            raise record.wrong(
                "supporting_facts", "names a title that is not in 'context' (a full-wiki file? use the distractor file)"
            )
        passage, sentences = shown[title]
        found = gold.setdefault(passage.id, [])
        # HotpotQA itself holds indices behind the last sentence; the passage is gold all the same.
        if 0 <= index < len(sentences) and sentences[index] and sentences[index] not in found:
            found.append(sentences[index])
    return tuple(Support(name, tuple(sentences)) for name, sentences in gold.items())


def _paragraph(record: Record, item: Any) -> tuple[dict[str, Any], Passage]:  # noqa: ANN401 - JSON
    match item:
        case {"idx": int(), "title": str(title), "paragraph_text": str(text), "is_supporting": bool()}:
            return item, passage_of(title, text.strip())
    raise record.wrong("paragraphs", "must be a list of {idx, title, paragraph_text, is_supporting}")


def _step(step: dict[str, Any], by_idx: dict[int, str]) -> dict[str, Any]:
    idx = step.get("paragraph_support_idx")
    gold = by_idx.get(idx) if isinstance(idx, int) else None
    return {"question": step.get("question"), "answer": step.get("answer"), "passage_id": gold}


def _passage_supports(passages: list[Passage]) -> tuple[Support, ...]:
    return tuple(Support(name) for name in _ids(passages))


def _ids(passages: list[Passage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(passage.id for passage in passages))


def _texts(record: Record, name: str, values: list[Any]) -> list[str]:
    if not all(isinstance(value, str) for value in values):
        raise record.wrong(name, "must be a list of texts")
    return values
