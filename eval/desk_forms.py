"""How the desk company writes: several sentence forms for each fact, filler, and several forms of each question."""

from __future__ import annotations

from collections.abc import Mapping

FACTS: Mapping[str, tuple[str, ...]] = {
    "service": (
        "Incident {s} hit {o}.",
        "Users of {o} noticed incident {s} first.",
        "The alert for incident {s} came from {o}.",
    ),
    "duration": (
        "Incident {s} lasted {o}.",
        "It took {o} to contain incident {s}.",
        "From alert to all-clear, incident {s} ran for {o}.",
    ),
    "opened": ("Incident {s} was opened on {o}.", "On {o} the desk opened incident {s}."),
    "cause": (
        "The root cause of incident {s} was {o}.",
        "Incident {s} was caused by {o}.",
        "Logs show that {o} caused incident {s}.",
    ),
    "origin": (
        "Incident {s} began with an outage at {o}.",
        "An outage at {o} set off incident {s}.",
        "Incident {s} goes back to an outage at our supplier {o}.",
    ),
    "fix": (
        "Incident {s} was resolved by change {o}.",
        "The fix for incident {s} shipped as {o}.",
        "With {o} in production, incident {s} was closed.",
    ),
    "reviewer": (
        "{o} reviewed {s} before it went out.",
        "The reviewer of {s} was {o}.",
        "Change {s} was reviewed and approved by {o}.",
    ),
    "author": ("{o} wrote {s}.", "The author of {s} is {o}.", "Change {s} was written by {o}."),
    "team": (
        "{s} works in the {o} team.",
        "{s} is a member of the {o} team.",
        "The {o} team counts {s} among its engineers.",
    ),
    "lead": ("{o} leads the {s} team.", "The {s} team is led by {o}.", "Head of the {s} team is {o}."),
    "owner": (
        "Service {s} is owned by the {o} team.",
        "The {o} team is responsible for {s}.",
        "Ownership of {s} lies with the {o} team.",
    ),
    "city": ("{s} has its head office in {o}.", "The head office of {s} is in {o}.", "{s} is based in {o}."),
    "manager": (
        "{o} is our account manager for {s}.",
        "On our side, {o} looks after the account of {s}.",
        "The account of {s} is managed by {o}.",
    ),
    "contract": (
        "{s} delivers under contract {o}.",
        "Contract {o} was signed with {s}.",
        "Our agreement with {s} is filed as contract {o}.",
    ),
    "fee": ("The monthly fee of contract {s} is {o}.", "Contract {s} costs {o} a month."),
    "penalty": (
        "The penalty in contract {s} is {o} for each breach.",
        "Each breach of contract {s} carries a penalty of {o}.",
        "Contract {s} sets the penalty at {o} for each breach.",
    ),
}
"""Sentence forms: {s} is what the fact is about, {o} what is said of it."""

FILLER: Mapping[str, tuple[str, ...]] = {
    "incident": (
        "The first page went out at {time} and was acknowledged within {n} minutes.",
        "Support counted {n} calls while incident {s} was open.",
        "The status page was updated at {time}.",
        "No customer data was lost.",
        "A second dashboard for incident {s} stayed green, which cost some time.",
        "The bridge call was closed at {time}.",
    ),
    "analysis": (
        "The write-up was shared with the desk on {day}.",
        "Two earlier theories about incident {s} were ruled out.",
        "The timeline of incident {s} has {n} entries.",
        "An alert threshold was lowered afterwards.",
        "The logs of that hour are kept for another {n} months.",
    ),
    "resolution": (
        "The graphs were flat again by {time}.",
        "A follow-up on incident {s} is planned for {day}.",
        "Support sent the all-clear to {n} customers.",
        "The workaround for incident {s} was switched off at {time}.",
        "The ticket stays readable for the auditors.",
    ),
    "change": (
        "{s} touches {n} files and no schema.",
        "The rollout of {s} took {n} minutes.",
        "The canary ran clean until {time}.",
        "A rollback plan is attached to {s}.",
        "{s} went out in the window of {day}.",
    ),
    "person": (
        "{s} joined the company in {year}.",
        "{s} is usually reachable until {time}.",
        "On {day} mornings {s} gives the logging course for newcomers.",
        "{s} keeps the plants in the corridor alive.",
        "Before that, {s} worked {n} years in logistics software.",
    ),
    "team": (
        "The {s} team sits on floor {digit}.",
        "The {s} team plans its week on {day}.",
        "The {s} team was formed in {year}.",
        "There are {n} open tickets on its board.",
    ),
    "service": (
        "Service {s} went live in {year}.",
        "At peak, {s} handles about {n} thousand requests an hour.",
        "The runbook of {s} was last tested on a {day}.",
        "Its logs are rotated at {time}.",
    ),
    "supplier": (
        "We have worked with {s} since {year}.",
        "{s} sends its service report on the first {day} of the month.",
        "{s} has about {n} people.",
        "The hotline of {s} opens at {time}.",
    ),
    "contract": (
        "The paper copy lies in cabinet {digit}.",
        "It runs for {n} months and renews itself.",
        "The terms were last read through in {year}.",
        "A notice period of {n} days applies.",
    ),
    "minutes": (
        "The meeting started at {time} and ended early.",
        "Coffee on floor {digit} is back.",
        "{n} people joined remotely.",
        "The next meeting is on {day}.",
        "The room on floor {digit} needs a new screen.",
        "Nothing else was decided.",
    ),
}
"""Sentences that state none of the facts asked for. Slots: {s}, {n}, {digit}, {day}, {time}, {year}."""

MENTIONS: Mapping[str, tuple[str, ...]] = {
    "incident": (
        "Incident {s} was on the agenda again, without news.",
        "The write-up of incident {s} should be shorter next time.",
        "Somebody asked for the dashboards of incident {s}.",
    ),
    "change": (
        "{s} was named as an example of a tidy change note.",
        "The rollout of {s} is shown in the next newcomer course.",
    ),
    "supplier": (
        "The newsletter of {s} was passed around.",
        "{s} has announced new price lists for {year}.",
        "A visit to {s} is being planned.",
    ),
    "service": ("The load test of {s} moves to {day}.", "The logo of {s} will be redrawn."),
    "person": ("{s} took the minutes.", "{s} brought cake for the last release.", "{s} asked for a quieter room."),
    "contract": ("The scan of contract {s} is hard to read and will be made again.",),
}
"""Sentences of minutes that name something and say nothing that is asked for."""

TITLES: Mapping[str, str] = {
    "incident": "Incident {s}",
    "analysis": "Root cause analysis of incident {s}",
    "resolution": "Closing note, incident {s}",
    "change": "Change {s}",
    "person": "{s}",
    "team": "{s} team",
    "service": "Service {s}",
    "supplier": "Supplier {s}",
    "contract": "Contract register: {s}",
    "penalty": "Terms of contract {s}",
    "minutes": "Minutes of {s}",
}
