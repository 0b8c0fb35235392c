from __future__ import annotations

from dataclasses import replace

from hopstop.eval.questions import Question, Support
from hopstop.optimize.ideal import Reader
from hopstop.optimize.made_stops import LABELLED, RIGHT, UNSHOWN, StopMaker
from hopstop.optimize.right_stops import right_stop, says
from hopstop.optimize.steps import steps_of
from hopstop.program.bm25 import BM25Index
from hopstop.program.reading import Reading
from hopstop.program.records import Passage

FERRY = Passage("ferry", "It is old. The Ferry was painted by Lena Voss. Visitors like it.", "The Ferry")
VOSS = Passage("voss", "Lena Voss was a painter. She was born in Graz. She liked tea.", "Lena Voss")
OTHER = Passage("x", "Uwe Sand sold boats.", "Uwe Sand")
QUESTION = Question(
    "q",
    "Where was the painter of The Ferry born?",
    ("Graz, Austria", "Graz"),
    supports=(Support("ferry", ("It is old.", "The Ferry was painted by Lena Voss.")), Support("voss", ())),
)


def made(question: Question) -> dict[str, tuple[bool, list[str], list[str], str]]:
    maker = StopMaker.of(question, BM25Index.build([FERRY, VOSS, OTHER]))
    assert maker is not None
    return {
        stop.kind: (
            stop.decision.stop,
            [claim.need for claim in stop.decision.claims],
            [claim.quote for claim in stop.decision.claims],
            stop.decision.draft,
        )
        for stop in maker.make()
    }


def test_sentence_that_says_the_fact_is_quoted_and_the_answer_as_it_stands_there() -> None:
    stop, needs, quotes, draft = made(QUESTION)[RIGHT]
    assert stop
    assert quotes == ["The Ferry was painted by Lena Voss.", "She was born in Graz."]
    assert needs == ["The Ferry: painter Ferry born", "Lena Voss: painter born"]
    assert draft == "Graz"
    assert LABELLED in made(QUESTION)
    assert UNSHOWN not in made(QUESTION)


def test_label_whose_quotes_do_not_say_the_answer_is_counted_apart() -> None:
    wrong = replace(QUESTION, answers=("Uwe Sand",), meta={"decomposition": [
        {"question": "painter of The Ferry", "answer": "Lena Voss", "passage_id": "ferry"},
        {"question": "birthplace of #1", "answer": "Uwe Sand", "passage_id": "voss"},
    ]})  # fmt: skip
    steps = steps_of(wrong, {"ferry": FERRY, "voss": VOSS})
    reader = Reader(wrong, steps)
    found = right_stop(reader, reader.start(Reading((FERRY, VOSS))))
    assert not found.shown
    assert [claim.need for claim in found.decision.claims] == ["painter of The Ferry", "birthplace of Lena Voss"]


def test_text_says_a_name_by_the_first_letters_of_its_words_and_a_number_whole() -> None:
    assert says("an Indian filmmaker", "film, India")
    assert says("in 1999", "1999")
    assert not says("in 1999", "199")
    assert not says("an Irish actor", "India")
