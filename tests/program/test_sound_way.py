import pytest

from hopstop.program import BM25Index, IterativeQA, OfflinePolicy, Outcome, Passage

ROLES = (
    "CR-512 was drafted by Ines Roth and checked by Paul Venn.",
    "Drafted by Ines Roth, checked by Paul Venn.",
    "Ines Roth drafted CR-512 and Paul Venn checked it.",
    "Ines Roth drafted CR-512; Paul Venn checked it.",
    "CR-512 was checked by Paul Venn after Ines Roth had declined.",
    "CR-512 was checked by Paul Venn, drafted by Ines Roth.",
    "Drafter: Ines Roth. Checker: Paul Venn.",
)


def ask(question: str, *passages: tuple[str, str]) -> Outcome:
    index = BM25Index.build([Passage(f"p{at}", text, title=title) for at, (title, text) in enumerate(passages)])
    policy = OfflinePolicy(index)
    return IterativeQA(index, policy, policy.limits)(question)


def people(first: str) -> tuple[tuple[str, str], ...]:
    return (
        ("CR-512", first),
        ("Paul Venn", "Paul Venn is a welder in the Heron team."),
        ("Ines Roth", "Ines Roth is a welder in the Plover team."),
    )


@pytest.mark.parametrize("first", ROLES)
def test_of_two_people_in_one_sentence_the_one_asked_for_is_followed(first: str) -> None:
    assert ask("Which team does the checker of CR-512 belong to?", *people(first)).answer in ("Heron", None)


@pytest.mark.parametrize("first", ROLES[:6])
def test_it_is_followed_to_the_answer_where_the_sentence_says_the_word_asked_for(first: str) -> None:
    assert ask("Which team does the person who checked CR-512 belong to?", *people(first)).answer == "Heron"


@pytest.mark.parametrize("first", ROLES[:4])
def test_the_other_one_is_followed_when_asked_for(first: str) -> None:
    assert ask("Which team does the person who drafted CR-512 belong to?", *people(first)).answer == "Plover"


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        (
            "Which team is Nora Falke in?",
            [("Nora Falke", "Nora Falke is product owner of Kite."), ("Kite", "Kite belongs to the Sorrel team.")],
        ),
        (
            "Which team does Nora Falke belong to?",
            [("Nora Falke", "Nora Falke is product owner of Kite."), ("Kite", "Kite belongs to the Sorrel team.")],
        ),
        (
            "Which company does Bert Unger work for?",
            [
                ("Bert Unger", "Bert Unger is married to Lisa Unger-Daum."),
                ("Lisa Unger-Daum", "Lisa Unger-Daum works for the Ostra company."),
            ],
        ),
        (
            "Where was Bert Unger born?",
            [("Bert Unger", "Bert Unger reports to Ella Moos."), ("Ella Moos", "Ella Moos was born in Bergen.")],
        ),
        (
            "Which team does the checker of the repair of fault 6120 belong to?",
            [
                ("Fault 6120", "The duty officer was Omar Weiss. The repair was filed as CR-77."),
                ("Omar Weiss", "Omar Weiss is a fitter in the Plover team."),
            ],
        ),
    ],
)
def test_nothing_is_left_over_a_relation_that_the_question_does_not_name(
    question: str, passages: list[tuple[str, str]]
) -> None:
    assert ask(question, *passages).answer is None


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        (
            "Which company runs the rail yard where Tern parks?",
            [("Tern", "Tern parks in the Ossendorf rail yard.")],
        ),
        (
            "Who does the duty officer of fault 6120 answer to?",
            [("Fault 6120", "The duty officer of fault 6120 was Omar Weiss.")],
        ),
        (
            "Which team owns the service that rate-card depends on?",
            [("Service rate-card", "The Plover team owns rate-card. rate-card depends on tax-book.")],
        ),
        (
            "Which team owns the service that tax-book depends on?",
            [("Service rate-card", "The Plover team owns rate-card. rate-card depends on tax-book.")],
        ),
        (
            "Which team owns the service that fault 6120 hit?",
            [
                ("Fault 6120", "Fault 6120 hit tax-book."),
                ("Service rate-card", "The Plover team owns rate-card. rate-card depends on tax-book."),
            ],
        ),
        (
            "Which team does the manager of Ida Kern belong to?",
            [
                ("Tom Adler", "The manager of Tom Adler is Ida Kern."),
                ("Ida Kern", "Ida Kern belongs to the Heron team."),
            ],
        ),
    ],
)
def test_what_lies_on_the_way_is_not_the_answer(question: str, passages: list[tuple[str, str]]) -> None:
    assert ask(question, *passages).answer is None


@pytest.mark.parametrize(
    ("question", "passages", "answer"),
    [
        (
            "Which team owns the service that fault 6120 hit?",
            [
                ("Fault 6120", "Fault 6120 hit tax-book."),
                ("Service tax-book", "The Heron team owns tax-book. tax-book depends on rate-card."),
                ("Service rate-card", "The Plover team owns rate-card."),
            ],
            "Heron",
        ),
        (
            "Which team does the checker of the repair of fault 6120 belong to?",
            [
                ("Fault 6120", "The duty officer was Omar Weiss. The repair was filed as CR-77."),
                ("CR-77", "CR-77 was drafted by Ines Roth and checked by Paul Venn."),
                ("Paul Venn", "Paul Venn is a welder in the Heron team."),
                ("Ines Roth", "Ines Roth is a welder in the Plover team."),
                ("Omar Weiss", "Omar Weiss is a fitter in the Sorrel team."),
            ],
            "Heron",
        ),
        (
            "Who manages the team that maintains tax-book?",
            [
                ("Service tax-book", "tax-book is maintained by the Heron team."),
                ("Heron team", "The Heron team is managed by Vera Lund."),
            ],
            "Vera Lund",
        ),
        (
            "Which team does the manager of Tom Adler belong to?",
            [
                ("Tom Adler", "The manager of Tom Adler is Ida Kern."),
                ("Ida Kern", "Ida Kern belongs to the Heron team."),
            ],
            "Heron",
        ),
        (
            "Who checked CR-77?",
            [("CR-77", "CR-77 was checked and approved by Paul Venn.")],
            "Paul Venn",
        ),
    ],
)
def test_a_way_over_the_relations_asked_for_is_an_answer(
    question: str, passages: list[tuple[str, str]], answer: str
) -> None:
    assert ask(question, *passages).answer == answer


YARDS = (
    ("Tern", "Tern parks in the Linz rail yard."),
    ("Snipe", "Snipe parks in the Ossendorf rail yard. It is towed to Linz every night."),
    ("Rail yards", "The Linz rail yard is run by Bahnau. The Ossendorf rail yard is run by Norda."),
)


def test_ends_of_two_sides_are_what_is_compared() -> None:
    outcome = ask("Do Tern and Snipe park in the same rail yard?", *YARDS)
    assert outcome.answer in ("no", None)
    assert all("towed" not in citation.quote.text for citation in outcome.citations)


def test_a_side_is_not_judged_by_the_sentence_of_the_other() -> None:
    passages = (
        ("Tom Adler", "The manager of Tom Adler is Ida Kern."),
        ("Ida Kern", "Ida Kern belongs to the Heron team."),
    )
    assert ask("Are Tom Adler and Ida Kern in the same team?", *passages).answer is None


@pytest.mark.parametrize(
    "text",
    [
        "Vera Lund is the sister of Max Lund. He was born in Linz.",
        "Vera Lund works with Carl Stern in the Oslo office. Stern was born in Linz.",
    ],
)
def test_what_is_said_of_another_in_a_passage_is_no_answer_about_its_title(text: str) -> None:
    assert ask("Where was Vera Lund born?", ("Vera Lund", text)).answer is None


def test_the_proof_holds_no_fact_that_the_way_does_not_need() -> None:
    passages = (
        ("Fault 6120", "The duty officer was Omar Weiss. The repair was filed as CR-77."),
        ("Omar Weiss", "Omar Weiss is a fitter in the Sorrel team."),
        ("CR-77", "CR-77 was drafted by Ines Roth and checked by Paul Venn."),
        ("Paul Venn", "Paul Venn is a welder in the Heron team."),
        ("Ines Roth", "Ines Roth is a welder in the Plover team."),
    )
    outcome = ask("Which team does the checker of the repair of fault 6120 belong to?", *passages)
    assert outcome.answer == "Heron"
    assert [citation.quote.passage_id for citation in outcome.citations] == ["p0", "p2", "p3"]
