"""The tables of the quality of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metaeval.analyses.base.tables import column, table
from metaeval.analyses.study_quality.people import STEPS

EXPERT = column("expert", "Expert")
NOTES = column("notes", "Notes")


def tables_of(result: Mapping[str, Any], *, level: float, quick_seconds: float) -> list[dict[str, Any]]:
    """What is said of all experts together, then a table for each of the things that are looked at."""
    interval = f"{100 * level:g} %"
    limits = [column("low", f"{interval} low"), column("high", f"{interval} high")]
    tables = [
        _measures(result, limits),
        _people(result),
        _times(result, quick_seconds),
        _agreement(result, limits),
        _sides(result, limits),
        _consistency(result, limits),
    ]
    if result["guesses"]:
        tables.append(_guesses(result, limits))
    return [*tables, *_reports(result)]


def _measures(result: Mapping[str, Any], limits: list[dict[str, Any]]) -> dict[str, Any]:
    return table(
        "measures",
        "The study as a whole",
        [
            column("title", "Measure"),
            column("value", "Value"),
            *limits,
            column("n", "n"),
            column("p_value", "p", kind="p"),
            NOTES,
        ],
        [row | {"notes": _why(row, *row["notes"])} for row in result["measures"]],
        notes=[
            "p of the blinding index: exact, of guesses by a fair coin. Share of A: 1/2 without bias, since sides are "
            "drawn; interval over resampled experts."
        ],
    )


def _people(result: Mapping[str, Any]) -> dict[str, Any]:
    drop_out = result["drop_out"]
    return table(
        "people",
        "What became of the experts’ places",
        [
            EXPERT,
            column("state", "State"),
            column("answered", "Answered"),
            column("part", "of"),
            column("share", "Share", kind="share"),
            column("half", "Step 1 only"),
            column("waiting", "Waiting"),
            column("skipped", "Skipped"),
            column("withdrawn", "Withdrawn", detail=True),
            column("corrected", "Corrected", detail=True),
            column("pilot", "In the pilot", detail=True),
            column("repeats", "Repeats", detail=True),
            column("reports", "Reports"),
            NOTES,
        ],
        [
            row | {"notes": _why(row, *([] if row["is_active"] else ["does not take part any more"]))}
            for row in result["people"]
        ],
        notes=[
            f"{drop_out['experts']} experts: {drop_out['done']} done, {drop_out['under_way']} under way, "
            f"{drop_out['stopped']} stopped, {drop_out['never_began']} never began. In a pool, “of” is everybody’s "
            "equal part of the planned places.",
        ],
    )


def _times(result: Mapping[str, Any], quick_seconds: float) -> dict[str, Any]:
    return table(
        "times",
        "Seconds per step",
        [
            column("step", "Step"),
            EXPERT,
            column("answers", "Answers"),
            column("median", "Median"),
            column("q1", "25 %"),
            column("q3", "75 %"),
            column("quick", "Quick"),
            column("quick_share", "of known times", kind="share"),
            column("total", "Total", detail=True),
            column("unknown", "Time unknown", detail=True),
            NOTES,
        ],
        [row | {"step": STEPS[row["step"]], "notes": _why(row)} for row in result["times"]],
        notes=[f"Time in which the page was visible and used. Quick: under {quick_seconds:g} s."],
    )


def _agreement(result: Mapping[str, Any], limits: list[dict[str, Any]]) -> dict[str, Any]:
    return table(
        "agreement",
        "Agreement of each expert with the rest",
        [
            column("step", "Step"),
            EXPERT,
            column("n_items", "Common items"),
            column("equal", "Equal answers", kind="share"),
            column("value", "Alpha with the rest"),
            *limits,
            column("others", "Alpha without them"),
            NOTES,
        ],
        [
            row | {"step": STEPS[row["step"]], "notes": _why(row, row.get("interval_reason", ""))}
            for row in result["agreement"]
        ],
        notes=[
            "Alpha with the rest: 1 - the expert’s mean distance to the others who judged the same items, over the "
            "distance that chance gives. Alpha without them: of all others with each other; where the expert differs, "
            "it is higher than that of everybody."
        ],
    )


def _sides(result: Mapping[str, Any], limits: list[dict[str, Any]]) -> dict[str, Any]:
    return table(
        "sides",
        "Which side was chosen",
        [
            EXPERT,
            column("answers", "Answers"),
            column("a", "A"),
            column("b", "B"),
            column("both", "Both"),
            column("neither", "Neither"),
            column("value", "Share of A", kind="share"),
            *(entry | {"kind": "share"} for entry in limits),
            column("p_value", "p", kind="p"),
            column("p_holm", "p Holm", kind="p"),
            column("certainty", "Certainty", kind="share"),
            column("without_certainty", "Without", detail=True),
            column("first_is_a", "First source on A", kind="share", detail=True),
            NOTES,
        ],
        [row | {"notes": _why(row)} for row in result["sides"]],
        notes=[
            "Share of A among the answers that chose one side, with Wilson’s interval, which takes answers as "
            "independent; p: exact, of 1/2; Holm’s correction over experts."
        ],
    )


def _consistency(result: Mapping[str, Any], limits: list[dict[str, Any]]) -> dict[str, Any]:
    return table(
        "consistency",
        "Deliberate repeats that got the same answer",
        [
            column("step", "Step"),
            EXPERT,
            column("n", "Repeats"),
            column("value", "Same answer", kind="share"),
            *(entry | {"kind": "share"} for entry in limits),
            column("kappa", "Kappa"),
            NOTES,
        ],
        [
            row
            | {
                "step": STEPS[row["step"]],
                "notes": _why(row, f"kappa undefined: {row['kappa_reason']}" if row["kappa_reason"] else ""),
            }
            for row in result["consistency"]
        ],
        notes=["Kappa: how far the share is above what chance gives (Scott’s pi)."],
    )


def _guesses(result: Mapping[str, Any], limits: list[dict[str, Any]]) -> dict[str, Any]:
    return table(
        "guesses",
        "Which side was people’s: what experts guess",
        [
            EXPERT,
            column("right", "Right"),
            column("wrong", "Wrong"),
            column("unsure", "Cannot say"),
            column("value", "Bang’s index"),
            *limits,
            column("p_value", "p", kind="p"),
            NOTES,
        ],
        result["guesses"],
        notes=["1: everybody guesses right; 0: as by chance, the blinding holds; -1: everybody guesses wrong."],
    )


def _reports(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    tables = [
        table(
            "reports",
            "Reported problems",
            [
                column("reason", "Problem"),
                column("reports", "Reports"),
                column("left", "Place left"),
                column("instances", "Instances"),
                column("experts", "Experts"),
            ],
            result["reports"],
        )
    ]
    if result["reported_instances"]:
        tables.append(
            table(
                "reported_instances",
                "Instances that were reported",
                [
                    column("instance", "Instance"),
                    column("reports", "Reports"),
                    column("experts", "Experts who had it"),
                    column("reasons", "Problems"),
                ],
                result["reported_instances"],
            )
        )
    return tables


def _why(row: Mapping[str, Any], *more: str) -> str:
    words = [f"undefined: {row['reason']}"] if row.get("reason") else []
    return "; ".join([*words, *(word for word in more if word)])
