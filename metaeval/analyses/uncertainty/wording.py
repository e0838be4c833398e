"""How well machines agree with people, given how far people agree: as a question, and its answer in a sentence."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import after, because, interval, name, number
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.uncertainty.result import MachineStratum, UncertaintyResult


def answer(result: UncertaintyResult) -> str:
    """The machine that agrees with people's typical label most, beside how far people agree."""
    rows = [row for row in result.strata if row.grouping == "all"]
    known = [row for row in rows if row.alpha.typical is not None]
    if not known:
        return _people_alone(result, rows)
    best = max(known, key=lambda row: row.alpha.typical or 0.0)
    alpha = best.alpha
    level = float(result.parameters.get("level", 0.95))
    bounds = after(interval(alpha.typical_low, alpha.typical_high, level))
    found = f"alpha {number(alpha.typical or 0.0)}{bounds}"
    lead = f"{name(best.machine)} agrees with the typical answer of {result.people}"
    if len(known) > 1:
        lead = f"Of {len(known)} machines, {lead} best"
    among = "" if alpha.people is None else f"; {result.people} agree among themselves at {number(alpha.people)}"
    return f"{lead}: {found}{among}."


def _people_alone(result: UncertaintyResult, rows: list[MachineStratum]) -> str:
    """Where no machine can be compared: how far people agree."""
    people = next((row for part in result.people_strata for row in part.rows if row.grouping == "all"), None)
    if rows:
        reason = rows[0].alpha.reasons.get("typical", "")
        return f"No machine can be compared with the {result.people}: {because(reason)}"
    if people is None or people.alpha is None:
        return f"Agreement is undefined: {because(people.reason if people else '')}"
    bounds = after(interval(people.low, people.high, float(result.parameters.get("level", 0.95))))
    return f"No machine is compared. The {result.people} agree at alpha {number(people.alpha)}{bounds}."


WORDS = PlainWords(
    question="Do machines agree with people as well as people agree with each other?",
    group="The experts",
    shows="The agreement of machines with people beside that of people, where people are certain and where they are "
    "not. It needs texts that two people or more have judged.",
    place=10,
    needs={SubjectKind.STUDY: ("preferences",), SubjectKind.DATASET: ("annotations",)},
    compared=("units", "systems", "label", "metrics", "nearness", "partitions", "include_pilot"),
    statistics=("least_annotations", "resamples", "level", "draws"),
    answer=answer,
)
