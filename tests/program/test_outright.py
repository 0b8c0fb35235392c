from __future__ import annotations

import pytest

from hopstop.program.asked_role import asked_role
from hopstop.program.bm25 import BM25Index
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.outright import outright
from hopstop.program.records import Passage


@pytest.mark.parametrize(
    ("question", "sentence", "other", "answer"),
    [
        ("Who wrote CHG-818?", "CHG-818 was written by Ada Roe and reviewed by Ben Oak.", "CHG-818", "Ada Roe"),
        ("Who reviewed CHG-818?", "CHG-818 was written by Ada Roe and reviewed by Ben Oak.", "CHG-818", "Ben Oak"),
        ("What does Foo own?", "Foo owns Bar Works.", "Foo", "Bar Works"),
        ("Who owns Foo?", "Team Beacon owns Foo.", "foo", "Team Beacon"),
        ("Who does Cy Poe report to?", "Cy Poe reports to Dee Fox.", "Cy Poe", "Dee Fox"),
        ("Who leads Fen?", "Fen sits in Graz and is led by Ada Roe.", "Fen", "Ada Roe"),
        ("Who leads Fen?", "Ada Roe lives in Graz and leads the Fen team.", "Fen", "Ada Roe"),
        ("Who sells Fen?", "Fen was made by Ben Oak in 1997 and is sold by Ada Roe.", "Fen", "Ada Roe"),
        ("Who leads Fen?", "In 2019, the Fen team was led jointly by Ada Roe.", "Fen", "Ada Roe"),
        ("Who founded Fen?", "Fen is a studio in the city of Linz, founded in 1968 by Ada Roe.", "Fen", "Ada Roe"),
        ("Who founded Fen?", "Fen is a studio in Linz founded by Ada Roe.", "Fen", "Ada Roe"),
        ("Who leads Fen?", "Fen has 600 students and has been led since 2019 by Ada Roe.", "Fen", "Ada Roe"),
    ],
)
def test_verb_with_both_on_their_sides_is_outright(question: str, sentence: str, other: str, answer: str) -> None:
    asked = asked_role(question)
    assert asked is not None
    assert outright(asked, sentence, other, answer)


@pytest.mark.parametrize(
    ("question", "sentence", "other", "answer"),
    [
        ("Who owns Foo?", "Foo owns Bar Works.", "Foo", "Bar Works"),
        ("Who wrote CHG-818?", "CHG-818 was written by Ada Roe and reviewed by Ben Oak.", "CHG-818", "Ben Oak"),
        ("Who owns Foo?", "Team Beacon owns Fern.", "Foo", "Team Beacon"),
        ("Who owns Foo?", "Foo was once owned by Team Beacon.", "Foo", "Team Beacon"),
        ("Who leads Foo?", "Foo was led by Ada Roe until 2001.", "Foo", "Ada Roe"),
        ("Who owns Foo?", "Team Beacon owns Foo.", "", "Team Beacon"),
        ("Who owns Foo?", "Foo calls Fern and Fern is owned by Ada Roe.", "Foo", "Ada Roe"),
        ("Who owns Foo?", "Foo, whose sister is owned by Ada Roe, is closed.", "Foo", "Ada Roe"),
        ("Who owns Foo?", "Ada Roe will own Foo.", "Foo", "Ada Roe"),
        ("Who owns Foo?", "Foo is owned by friends of Ada Roe.", "Foo", "Ada Roe"),
        ("Who leads Foo?", "Ada Roe asked Ben Oak to lead Foo.", "Foo", "Ben Oak"),
        ("Who wrote Foo?", "After Foo, Fern was written by Ada Roe.", "Foo", "Ada Roe"),
        ("Who reports to Foo?", "Ada Roe reports Foo.", "Foo", "Ada Roe"),
        ("Who founded Fen?", "Fen is a part of Acme founded by Ada Roe.", "Fen", "Ada Roe"),
    ],
)
def test_other_side_other_thing_or_other_time_is_not(question: str, sentence: str, other: str, answer: str) -> None:
    asked = asked_role(question)
    assert asked is not None
    assert not outright(asked, sentence, other, answer)


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("Foo owns Bar Works. It lies in Graz.", "What does Foo own?", "Bar Works"),
        ("Foo owns Bar Works. It lies in Graz.", "Who owned Bar Works?", "Foo"),
        ("Foo was once owned by Cy Poe and is now owned by Dee Fox.", "Who owns Foo?", None),
        ("Foo is not owned by Cy Poe.", "Who owns Foo?", None),
    ],
)
def test_what_alone_is_said_outright_is_answered(text: str, question: str, answer: str | None) -> None:
    index = BM25Index.build([Passage("foo", text, "Foo"), Passage("fern", "Fern Works is a mill.", "Fern Works")])
    policy = OfflinePolicy(index)
    assert IterativeQA(index, policy, policy.limits)(question).answer == answer


@pytest.mark.parametrize(
    ("title", "text", "question", "answer"),
    [
        ("Quill", "Quill keeps the books. It was written by Ada Roe with Ben Oak.", "Who wrote Quill?", "Ada Roe"),
        (
            "Fern Works",
            "Fern Works lies in Graz near Linz. It is owned by Dee Fox, whose sister Ann Fox lives in Bern.",
            "Who owns Fern Works?",
            "Dee Fox",
        ),
    ],
)
def test_a_pronoun_stands_for_the_title(title: str, text: str, question: str, answer: str) -> None:
    other = Passage("other", "Birch Depot lies in Bern. It is managed by Cy Poe.", "Birch Depot")
    index = BM25Index.build([Passage("one", text, title), other])
    policy = OfflinePolicy(index)
    assert IterativeQA(index, policy, policy.limits)(question).answer == answer
