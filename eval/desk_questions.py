"""The kinds of question that are asked of the desk corpus, as chains of facts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chain:
    """A kind of question: start at a subject, follow one fact after the other.

    Attributes:
        kind: Its name.
        relations: The facts to follow, in order.
        forms: Forms of the question; {s} is the subject.
        asked: Answerable questions of this kind at size 1.
        open: Questions at size 1 whose chain breaks off because a fact is stated nowhere.
        restricted: Pairs at size 1: a user who may read every fact, and one who may not.
    """

    kind: str
    relations: tuple[str, ...]
    forms: tuple[str, ...]
    asked: int
    open: int = 0
    restricted: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """A kind of question that follows the same chain from two subjects and compares what it finds.

    Attributes:
        kind: Its name.
        relations: The facts to follow from each subject.
        forms: Forms of the question; {a} and {b} are the subjects.
        asked: Questions of this kind at size 1.
        yes_no: Whether it asks if both are the same (answer yes or no), not which is larger (answer a subject).
        label: How the answer may be written besides the bare subject; {s} is the subject.
    """

    kind: str
    relations: tuple[str, ...]
    forms: tuple[str, ...]
    asked: int
    yes_no: bool = False
    label: str = "{s}"


CHAINS = (
    Chain(
        "cause",
        ("cause",),
        ("What was the root cause of incident {s}?", "What caused incident {s}?"),
        asked=5,
        open=2,
        restricted=2,
    ),
    Chain("reviewer", ("reviewer",), ("Who reviewed {s}?", "Who was the reviewer of change {s}?"), asked=5),
    Chain("penalty", ("penalty",), ("How high is the penalty in contract {s}?",), asked=4, restricted=2),
    Chain("owner", ("owner",), ("Which team owns {s}?", "Which team is responsible for {s}?"), asked=4),
    Chain(
        "fix_reviewer",
        ("fix", "reviewer"),
        ("Who reviewed the fix for incident {s}?", "Who approved the change that resolved incident {s}?"),
        asked=12,
        open=4,
    ),
    Chain(
        "service_owner",
        ("service", "owner"),
        (
            "Which team owns the service that incident {s} hit?",
            "Which team runs the system that incident {s} hit?",
        ),
        asked=6,
    ),
    Chain(
        "origin_city",
        ("origin", "city"),
        ("In which city is the supplier based whose outage set off incident {s}?",),
        asked=5,
    ),
    Chain(
        "supplier_penalty",
        ("contract", "penalty"),
        ("How much does {s} owe us for each breach of its contract?", "What is the penalty in our contract with {s}?"),
        asked=5,
        open=3,
        restricted=2,
    ),
    Chain(
        "manager_team",
        ("manager", "team"),
        (
            "In which team does our account manager for {s} work?",
            "Which team does the person who looks after {s} work in?",
        ),
        asked=5,
    ),
    Chain(
        "fix_reviewer_team",
        ("fix", "reviewer", "team"),
        (
            "Which team does the reviewer of the fix for incident {s} belong to?",
            "In which team is the person who approved the change that resolved incident {s}?",
        ),
        asked=11,
        open=4,
    ),
    Chain(
        "service_owner_lead",
        ("service", "owner", "lead"),
        ("Who leads the team whose system incident {s} hit?",),
        asked=6,
    ),
    Chain(
        "origin_penalty",
        ("origin", "contract", "penalty"),
        (
            "What penalty is agreed with the supplier whose outage set off incident {s}?",
            "How much does one breach cost the supplier whose outage led to incident {s}?",
        ),
        asked=6,
        open=2,
        restricted=2,
    ),
    Chain(
        "origin_manager_team",
        ("origin", "manager", "team"),
        ("Which team does our account manager for the supplier behind incident {s} work in?",),
        asked=5,
    ),
    Chain(
        "fix_reviewer_team_lead",
        ("fix", "reviewer", "team", "lead"),
        (
            "Who leads the team of the person who reviewed the fix for incident {s}?",
            "Who is the head of the team that the reviewer of the fix for incident {s} belongs to?",
        ),
        asked=12,
    ),
    Chain(
        "origin_manager_team_lead",
        ("origin", "manager", "team", "lead"),
        ("Who leads the team of our account manager for the supplier whose outage set off incident {s}?",),
        asked=6,
    ),
)

COMPARISONS = (
    Comparison(
        "longer_incident",
        ("duration",),
        ("Which lasted longer, incident {a} or incident {b}?", "Which of the incidents {a} and {b} took longer?"),
        asked=5,
        label="incident {s}",
    ),
    Comparison(
        "higher_penalty",
        ("penalty",),
        (
            "Which contract has the higher penalty, {a} or {b}?",
            "Of contracts {a} and {b}, which has the higher penalty?",
        ),
        asked=6,
        label="contract {s}",
    ),
    Comparison(
        "higher_supplier_penalty",
        ("contract", "penalty"),
        ("Which supplier faces the higher penalty for a breach of its contract, {a} or {b}?",),
        asked=5,
    ),
    Comparison(
        "same_reviewer",
        ("fix", "reviewer"),
        ("Were the fixes for incidents {a} and {b} reviewed by the same person?",),
        asked=6,
        yes_no=True,
    ),
)
