"""How well does a study go? Sides, repeats, time, agreement with the rest, blinding, reports, drop-out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.analyses.base import seeding
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.responses import PILOT
from metaeval.analyses.study_quality import agreement as agreeing
from metaeval.analyses.study_quality import answers as answering
from metaeval.analyses.study_quality import people
from metaeval.analyses.study_quality.parameters import StudyQuality
from metaeval.analyses.study_quality.tables import tables_of
from metaeval.sampling import stream


@analysis(
    title="How well does the study go?",
    subjects=["study"],
    parameters=StudyQuality,
    figures=["quality_times", "quality_agreement", "quality_sides", "quality_outcomes", "quality_places"],
    example={"resamples": 100},
)
def study_quality(inputs: StudyInputs, parameters: StudyQuality, seed: int, work: Work) -> dict[str, Any]:
    """Looks at how the experts of a study answer, while it runs or afterwards: how fast, how alike, on which side.

    Position bias: the share of A among the answers that chose one side. Self-consistency: deliberate repeats that got
    the same answer. Blinding: Bang's index of the guesses at the end. Agreement with the rest: Krippendorff's alpha of
    one expert with the others. Drop-out: who began and stopped. What cannot be said yet is undefined with the reason.
    Experts are known by their number only.
    """
    if not inputs.experts:
        raise AnalysisError("The study has no experts yet. Invite some.")
    root = seeding.root(seed, seeding.Purpose.STUDY_QUALITY)
    options = {"level": parameters.level, "resamples": parameters.resamples}
    study, pilot = people.in_scope(inputs, parameters.pilot)
    work.stage("Answers", until=0.3)
    # The places of the pilot are part of the plan: who answered one of them has one less to do.
    places = people.people_rows(study if pilot == "only" else inputs, pilot)
    steps = agreeing.steps_of(study, distance=parameters.distance, least_common=parameters.least_common)
    sides, bias = answering.side_rows(study, seed=stream(root, 0), **options)  # type: ignore[arg-type]
    guesses, blinding = answering.guesses(study, seed=stream(root, 1), **options)  # type: ignore[arg-type]
    consistency = answering.consistency_rows(study, level=parameters.level)
    times = people.time_rows(study, parameters.quick_seconds)
    work.stage("Resampling")
    replicates = work.run(agreeing.plans_of(steps, resamples=parameters.resamples, seed=stream(root, 2)))
    result: dict[str, Any] = {
        "scope": pilot,
        "state": inputs.state,
        "people": places,
        "times": times,
        "sides": sides,
        "consistency": consistency,
        "guesses": guesses,
        "agreement": agreeing.agreement_rows(
            study, steps, replicates, least_common=parameters.least_common, level=parameters.level
        ),
        "reports": people.report_rows(study),
        "reported_instances": people.reported_instances(study),
        "drop_out": people.drop_out(inputs, places, pilot, parameters.level),
    }
    measures = [
        _row("position_bias", "Share of A where one side was chosen", bias),
        *_consistency(consistency),
        *(_agreement(step, steps, replicates, parameters.level) for step in people.STEPS),
        _row("blinding", "Bang’s blinding index", blinding),
        *(_time(row) for row in times if row["expert"] == people.ALL),
        _row("reported", "Share of places with a report", people.reported_share(study, parameters.level)),
        _row("drop_out", "Drop-out: share of those who began", result["drop_out"]),
    ]
    return result | {
        "measures": measures,
        "tables": tables_of(
            result | {"measures": measures}, level=parameters.level, quick_seconds=parameters.quick_seconds
        ),
        "counts": _counts(study),
        "exclusions": _exclusions(inputs, study, pilot),
        "notes": _notes(inputs, study, pilot),
    }


def _row(name: str, title: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """A measure over all experts."""
    notes = [*found.get("notes", []), *([found["interval_reason"]] if found.get("interval_reason") else [])]
    return {
        "measure": name,
        "title": title,
        **{key: found[key] for key in ("value", "low", "high", "n", "reason")},
        "p_value": found.get("p_value", math.nan),
        "notes": notes,
    }


def _consistency(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    titles = {"labels": "the same labels", "preferences": "the same preference"}
    return [
        _row(f"consistency_{row['step']}", f"Repeats with {titles[row['step']]}", row)
        for row in rows
        if row["expert"] == people.ALL
    ]


def _agreement(
    name: str, steps: Sequence[agreeing.Step], replicates: Mapping[str, Any], level: float
) -> dict[str, Any]:
    title = f"Krippendorff’s alpha, {people.STEPS[name].lower()}"
    step = next((step for step in steps if step.found.name == name), None)
    if step is None:
        nothing = {"value": math.nan, "low": math.nan, "high": math.nan, "n": 0}
        return _row(f"agreement_{name}", title, nothing | {"reason": "no answer"})
    row = _row(f"agreement_{name}", title, agreeing.overall_row(step, replicates, level))
    return row | {"notes": [*row["notes"], agreeing.items_of(step)]}


def _time(row: Mapping[str, Any]) -> dict[str, Any]:
    limits = {"low": row["q1"], "high": row["q3"], "value": row["median"], "n": row["answers"] - row["unknown"]}
    notes = [] if row["reason"] else ["limits: quartiles"]
    title = f"Median seconds, {people.STEPS[row['step']].lower()}"
    return _row(f"seconds_{row['step']}", title, limits | {"reason": row["reason"], "notes": notes})


def _counts(study: StudyInputs) -> dict[str, int]:
    answers = study.answers
    kept = ~answers.is_skipped
    return {
        "experts": len(study.experts),
        "places": len(answers),
        "label_responses": int((kept & answers.is_labelled).sum()),
        "preference_responses": int((kept & answers.is_answered).sum()),
        "reports": len(study.reports),
    }


def _exclusions(inputs: StudyInputs, study: StudyInputs, pilot: str) -> list[dict[str, Any]]:
    """What is left out of everything but the table of places."""
    left = len(inputs.answers) - len(study.answers)
    reason = PILOT if pilot == "leave_out" else "given after the pilot"
    listed = [{"what": "places", "count": left, "reason": reason}] if left else []
    repeats = int((study.answers.is_answered & (study.answers.repeat_of >= 0)).sum())
    if repeats:
        why = "deliberate repeats, which count for self-consistency and time only"
        listed.append({"what": "responses", "count": repeats, "reason": why})
    return listed


def _notes(inputs: StudyInputs, study: StudyInputs, pilot: str) -> list[str]:
    notes = []
    if not (study.answers.is_labelled | study.answers.is_answered).any():
        notes.append("Nobody has answered yet: all measures are undefined until somebody does.")
    elif inputs.state != "closed":
        notes.append(f"The study is {inputs.state}: these are the answers so far, and the numbers will change.")
    if pilot == "only":
        notes.append("The answers of the pilot only.")
    if pilot == "include":
        notes.append("The answers of the pilot are included.")
    return notes
