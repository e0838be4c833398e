"""What a reader must not conclude, given how the study went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metaeval.analyses.base.wording import counted
from metaeval.analyses.inputs import StudyInputs
from metaeval.jobs.planning import PLANNED

FEW_SYSTEMS, FEW_EXPERTS = 20, 5


def limits(inputs: StudyInputs, results: Sequence[dict[str, Any]], *, stale: int, shares_dataset: bool) -> list[str]:
    """The limits of this study, the most serious first."""
    found = []
    if inputs.is_simulated:
        found.append("The study holds simulated data or simulated experts: its numbers say nothing about real people.")
    if inputs.state != "closed":
        found.append(
            f"The study is {inputs.state}: answers may still come in and change every number. Anyone who "
            "reads this has seen unblinded data before the study closed, and its history says so."
        )
    if stale:
        found.append(f"{stale} of the results were computed from earlier data than those counted here; they say so.")
    exploratory = sum((result.get("plan") or {}).get("status") != PLANNED for result in results)
    if exploratory:
        found.append(
            f"{exploratory} of {len(results)} results were not planned before the study opened: they are exploratory, "
            "and their p-values do not account for the analyses that are not shown."
        )
    found += _of_units(results)
    found += _of_power(results)
    found += _of_design(inputs)
    if shares_dataset:
        found.append("Other studies use the same dataset; their results are not independent of these.")
    found.append(
        "Preference fractions are based on a limited number of judgements by few people; unless a result "
        "says that it takes this into account, its p-values are about other systems or methods and treat "
        "the fractions as exact."
    )
    return found


def _of_units(results: Sequence[dict[str, Any]]) -> list[str]:
    """What the unit of analysis of a result does not allow to conclude."""
    found = []
    units = [result["unit"] for result in results if result.get("unit")]
    for unit in (one for one in units if "cannot_reject" in one):  # the unit of power is about future tests
        if unit["cannot_reject"]:
            found.append(f"{unit['cannot_reject']} So if a test does not reject, that says nothing.")
        if unit["exchangeable"] == "systems" and not unit["by_default"]:
            found.append(f"In one result, systems were exchanged freely because this was requested. {unit['words']}")
    return list(dict.fromkeys(found))


def _of_power(results: Sequence[dict[str, Any]]) -> list[str]:
    """Whether a study as planned, or as judged, is too small for any answer to be significant."""
    powers = [result for result in results if result.get("analysis") == "power"]
    units = [part.get("unit") for power in powers for part in (power, power.get("observed") or {})]
    return list(dict.fromkeys(unit["warning"] for unit in units if unit and unit["warning"]))


def _texts(count: int) -> str:
    return f"{counted(count, 'text')} {'was' if count == 1 else 'were'}"


def _of_design(inputs: StudyInputs) -> list[str]:
    answers = inputs.answers
    kept = answers.counting(answers.is_answered).kept
    found = []
    experts = len(set(answers.expert[kept].tolist()))
    if len(inputs.systems) < FEW_SYSTEMS:
        found.append(
            f"{len(inputs.systems)} systems are few: a correlation over them is detected only if it is "
            "strong, and one system can produce it."
        )
    if experts < FEW_EXPERTS:
        found.append(
            f"{experts} {'expert is' if experts == 1 else 'experts are'} few: others may not share what these have "
            "in common."
        )
    if open_places := int((~answers.is_answered & ~answers.is_skipped).sum()):
        found.append(f"{_texts(open_places)} assigned and never answered.")
    if skipped := int(answers.is_skipped.sum()):
        found.append(f"{_texts(skipped)} skipped by experts who reported a problem; skipped texts do not count.")
    if missing := int((kept & (answers.certainty != answers.certainty)).sum()):
        found.append(f"In {counted(missing, 'answer')}, no certainty was given.")
    return found
