from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "text",
    [
        "It rained. | It stopped! | Did it? | Yes.",
        "Brown v. Board was heard in c. 1953. | It was decided by A. Warren (b. 1891).",
        "Dr. Ortiz met Mr. J. R. R. Tolkien in the U.S. Senate. | He left.",
        "The price is 3.5 dollars. | It rose by 12. | Then it fell.",
        "She said “Stop.” | Then she left (at last). | “Why?” he asked.",
        "He won in 1999. | 2000 was better.",
        "Er kam am 5. Mai 1999 nach Köln. | Das war z.B. Absicht, bzw. Zufall. | Ende.",
        "M. Dupont est né à Paris. | « Où ? » | Élise ne sait pas. | Qui est-ce ? | Lui.",
        "修正はオルティスが確認した。|会議は中止された！|「なぜ？」|誰も知らない。",
        "यह पहला वाक्य है। | यह दूसरा है।",
        "من هو؟ | هذا هو المدير. | نعم.",
        "Это первое. | Это второе.",
        "Wait... and see. | Well... | Then go.",
        "Is it No. 5? | Yes, etc. and so on.",
        "Ask e.g. Dana, i.e. the reviewer. | Done.",
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str) -> None:
    parts = [part.strip() for part in text.split("|")]
    assert sentences(text.replace(" | ", " ").replace("|", "")) == parts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "# Title\n\n- first item\n- second item.\n1. Third item\n",
            ["# Title", "- first item", "- second item.", "1. Third item"],
        ),
        ("a = 1\nb = f(a)\nreturn b", ["a = 1", "b = f(a)", "return b"]),
        (
            "The fix of the incident with number 4471 was reviewed\nby Dana Ortiz. It held.\n",
            ["The fix of the incident with number 4471 was reviewed\nby Dana Ortiz.", "It held."],
        ),
        ("no end", ["no end"]),
        ("", []),
        (" \n\t ", []),
        ("\r\nOne.\r\nTwo.\r\n", ["One.", "Two."]),
    ],
)
def test_lines_of_lists_and_code_stand_alone_and_wrapped_prose_does_not(text: str, found: list[str]) -> None:
    assert sentences(text) == found


PROSE = st.lists(
    st.sampled_from(["Dr.", "A.", "5.", "Mai", "end.", "?!", "。", "\n", " ", "\n\n", "e\u0301", "(x)", '"', "…", "न।"])
)


@settings(deadline=None)
@given(st.one_of(st.text(), PROSE.map(" ".join), PROSE.map("".join)))
def test_every_visible_character_is_in_exactly_one_sentence_in_order(text: str) -> None:
    spans = sentence_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    outside = set(range(len(text))) - {at for start, end in spans for at in range(start, end)}
    assert all(text[at].isspace() for at in outside)
    assert all(not text[start].isspace() and not text[end - 1].isspace() for start, end in spans)


@pytest.mark.parametrize("piece", ["A. ", "." * 10, '."', "word ", "Word. ", "\n", " ", "5. "])
def test_long_texts_take_linear_time(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    start = time.process_time()
    sentence_spans(text)
    assert time.process_time() - start < 1
