"""The tables of the analysis of agreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metaeval.analyses.base.tables import Kind, column, table

GROUPINGS = {"agreement": "Percentage agreement (PA)", "different_labels": "Different labels", "systems": "System"}
OF = column("of", "Of")


def tables_of(answers: Sequence[dict[str, Any]], *, level: float) -> list[dict[str, Any]]:
    """Measures, labels, partitions, pairs and variation; a column says which step where there are two."""
    several = len(answers) > 1
    interval = f"{100 * level:g} %"
    bounds = [column("low", f"{interval} low"), column("high", f"{interval} high")]

    def made(name: str, title: str, columns: list[dict[str, Any]], part: str, notes: Sequence[str] = ()) -> Any:
        rows = [{**row, "of": answer["title"], "notes": _notes(row)} for answer in answers for row in answer[part]]
        return table(name, title, [*([OF] if several else []), *columns, column("notes", "Notes")], rows, notes=notes)

    tables = [
        made(
            "measures",
            "Agreement over all items",
            [
                column("title", "Measure"),
                column("value", "Value"),
                *bounds,
                column("n_items", "Items"),
                column("n_annotations", "Judgements", detail=True),
            ],
            "measures",
        ),
        made(
            "labels",
            "Agreement on each label",
            [
                column("label", "Label"),
                column("count", "Chosen"),
                column("share", "of judgements", kind="share"),
                column("alpha", "Alpha"),
                *bounds,
            ],
            "labels",
            ["Krippendorff’s nominal alpha of “this label or not”."],
        ),
    ]
    if any(answer["partitions"] for answer in answers):
        for answer in answers:
            for row in answer["partitions"]:
                row["by"] = GROUPINGS[row["grouping"]]
        distances = ", ".join(f"{answer['title']}: {answer['distance']}" for answer in answers)
        tables.append(
            made(
                "partitions",
                "Agreement in groups of items",
                [
                    column("by", "By"),
                    column("partition", "Group"),
                    column("items", "Items"),
                    column("share", "of items", kind="share"),
                    column("percentage_agreement", "Percentage agreement", kind="share"),
                    column("value", "Alpha"),
                    *bounds,
                ],
                "partitions",
                [
                    f"Distance of alpha: {distances}. Items with two judgements or more.",
                    "Groups by agreement are chosen by what is measured in them.",
                ],
            )
        )
    if any(answer["pairs"] for answer in answers):
        tables.append(
            made(
                "pairs",
                "Agreement of every two people",
                [
                    column("first", "One"),
                    column("second", "Other"),
                    column("n_items", "Common items"),
                    column("agreement", "Equal answers", kind="share"),
                    column("value", "Cohen’s kappa or alpha"),
                ],
                "pairs",
                ["Cohen’s kappa for single labels, Krippendorff’s alpha for sets of labels."],
            )
        )
    tables.append(_variation(answers, several=several))
    return tables


VARIATION: tuple[tuple[str, str, Kind], ...] = (
    ("n_items", "Items", ""),
    ("n_annotations", "Judgements", ""),
    ("annotations_mean", "an item, mean", ""),
    ("annotations_min", "least", ""),
    ("annotations_max", "most", ""),
    ("fewer_than_two", "Items with fewer than two", ""),
    ("unanimous_share", "Unanimous items", "share"),
    ("mean_modal_share", "Share of the most frequent label", "share"),
    ("tied_items", "Items with a tie", ""),
    ("mean_entropy", "Entropy in bits", ""),
)


def _variation(answers: Sequence[dict[str, Any]], *, several: bool) -> dict[str, Any]:
    return table(
        "variation",
        "How much judgements of one item vary",
        [*([OF] if several else []), *(column(key, title, kind=kind) for key, title, kind in VARIATION)],
        [{**answer["variation"], "of": answer["title"]} for answer in answers],
        notes=["A set of labels counts as one label of its own."]
        if any(_has_sets(answer) for answer in answers)
        else [],
    )


def _has_sets(answer: dict[str, Any]) -> bool:
    return any(row["measure"] == "alpha_masi" for row in answer["measures"])


def _notes(row: dict[str, Any]) -> str:
    words = [f"undefined: {row['reason']}"] if row.get("reason") else list(row.get("notes", []))
    if row.get("excluded") and not row.get("reason"):
        words.append(f"{row['excluded']} items have fewer than two judgements")
    if row.get("interval_reason") and not row.get("reason"):
        words.append(f"no interval: {row['interval_reason']}")
    return "; ".join(words)
