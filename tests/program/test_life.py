from __future__ import annotations

import pytest

from hopstop.program.life import Life, Shown, read_life


def said(shown: Shown | None) -> str | None:
    return shown.text if shown is not None else None


@pytest.mark.parametrize(
    ("text", "born", "born_in", "died", "died_in"),
    [
        ("Ada Roe (5 May 1901 – 2 June 1970) was a poet.", "5 May 1901", None, "2 June 1970", None),
        ("Ada Roe (born May 5, 1901 in Graz) is a poet.", "May 5, 1901", "Graz", None, None),
        ("Ada Roe ( 5 May 1901, Graz – 2 June 1970, Linz) was a poet.", "5 May 1901", "Graz", "2 June 1970", "Linz"),
        ("Ada Roe (Graz, 5 May 1901 – Linz, 2 June 1970) was a poet.", "5 May 1901", "Graz", "2 June 1970", "Linz"),
        ("Ada Roe (died 2 June 1970) was a poet.", None, None, "2 June 1970", None),
        ("She was born in May 1901 in Graz, Austria.", "May 1901", "Graz, Austria", None, None),
        ("Born in Graz, Roe began to write early.", None, "Graz", None, None),
        ("He died at Linz on 2 June 1970.", None, None, "2 June 1970", "Linz"),
        ("Ada Roe (* 5. Mai 1901 in Graz; † 2. Juni 1970 in Linz)", "5. Mai 1901", "Graz", "2. Juni 1970", "Linz"),
        ("The mill (rebuilt 1901) stands in Graz.", None, None, None, None),
        ("The fair (1901, 1905 and 1911) was in Graz.", None, None, None, None),
    ],
)  # fmt: skip
def test_a_life_is_read_from_brackets_and_sentences(
    text: str, born: str | None, born_in: str | None, died: str | None, died_in: str | None
) -> None:
    life = read_life([text])
    assert [said(life.born), said(life.born_in), said(life.died), said(life.died_in)] == [born, born_in, died, died_in]


def test_each_part_names_the_sentence_that_says_it() -> None:
    life = read_life(["Ada Roe was a poet.", "She was born on 5 May 1901.", "She died in Linz."])
    assert life.born == Shown("5 May 1901", 1, life.born.date if life.born else None)
    assert life.died_in == Shown("Linz", 2)


def test_nothing_said_is_nothing_known() -> None:
    assert read_life([]) == read_life(["A mill."]) == Life()
