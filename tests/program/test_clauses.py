import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program.clauses import clause_texts, clauses


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Drafted by Ines Roth, checked by Paul Venn.", ["Drafted by Ines Roth", ", checked by Paul Venn."]),
        ("Ines Roth drafted it and Paul Venn checked it.", ["Ines Roth drafted it", " and Paul Venn checked it."]),
        ("Ines Roth drafted it; Paul Venn checked it.", ["Ines Roth drafted it", "; Paul Venn checked it."]),
        ("It was checked by Venn after Roth declined.", ["It was checked by Venn", " after Roth declined."]),
        ("It was built by Roth and led by Venn.", ["It was built by Roth", " and led by Venn."]),
        ("Plover owns rate-card. rate-card calls tax.", ["Plover owns rate-card", ". rate-card calls tax."]),
    ],
)
def test_clauses_part(text: str, parts: list[str]) -> None:
    assert clause_texts(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "It was written and directed by Ines Roth.",
        "It was led by Ines Roth and Paul Venn.",
        "It is in Linz, Austria, near the river.",
        "It was led by Ines Roth, Paul Venn and Tom Adler.",
        "She is a cousin of Ines Roth and current chair Paul Venn.",
        "The band played rock and roll in Linz.",
    ],
)
def test_lists_and_asides_do_not_part(text: str) -> None:
    assert clause_texts(text) == [text]


@given(st.text(max_size=200))
def test_clauses_cover_the_sentence(text: str) -> None:
    assert "".join(text[start:end] for start, end in clauses(text)) == text
