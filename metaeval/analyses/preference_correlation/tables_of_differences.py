"""The table of the differences between every pair of metrics' correlations, and their tests."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.analyses.base.result import COEFFICIENT_TITLES, DescribedMetric
from metaeval.analyses.base.table import Table, column, table
from metaeval.analyses.preference_correlation.result import DifferenceOfMetrics

TITLE = "Differences between the metrics’ correlations"
WILLIAMS = "Williams, as published"
AS_PUBLISHED = (
    "Williams’ test, as published, compares the overall correlations and treats systems as independent: "
    "if they share models or methods, it finds differences that do not exist, so no conclusion is drawn "
    "from it here."
)
COMPARED = (
    column("first_metric", "Metric"),
    column("second_metric", "compared with"),
    column("coefficient", "Coefficient"),
    column("n", "Systems"),
    column("first_value", "of the first"),
    column("second_value", "of the second"),
    column("difference", "Difference"),
)
"""What is compared, whatever the test."""


def differences_table(metrics: Sequence[DescribedMetric], comparisons: Sequence[DifferenceOfMetrics]) -> Table:
    """One row per pair of metrics and coefficient: the difference of their correlations, and its tests."""
    if any(row.by_units for row in comparisons):
        return _by_units(metrics, comparisons)
    titles = {metric.name: metric.title for metric in metrics}
    columns = [
        *COMPARED,
        column("t", "t", group="Williams", detail=True),
        column("p_value", "p", group="Williams", kind="p"),
        column("p_value_holm", "p Holm", group="Williams", kind="p"),
    ]
    if any(row.exchanges or row.exchange_reason for row in comparisons):
        columns += [
            column("exchange_p", "p", group="Exchanging values", kind="p"),
            column("exchange_error", "± (Monte Carlo)", group="Exchanging values", detail=True),
            column("exchange_p_holm", "p Holm", group="Exchanging values", kind="p"),
        ]
    columns.append(column("notes", "Notes"))
    rows = [
        row.plain()
        | {
            "first_metric": titles[row.first],
            "second_metric": titles[row.second],
            "coefficient": COEFFICIENT_TITLES[row.coefficient],
            "notes": _why_undefined(row),
        }
        for row in comparisons
    ]
    notes = _notes(metrics, comparisons)
    return table("comparisons", TITLE, columns, rows, notes=notes)


def _notes(metrics: Sequence[DescribedMetric], comparisons: Sequence[DifferenceOfMetrics]) -> list[str]:
    notes = ["Two-sided; Holm’s correction is over the pairs of one coefficient."]
    if any(row.notes for row in comparisons):
        notes.append("Williams’ test is derived for Pearson’s r; for ranks it is approximate.")
    if turned := ", ".join(metric.title for metric in metrics if metric.orientation == "lower"):
        notes.append(f"Lower values are better, so the sign is reversed: {turned}.")
    return notes


def _by_units(metrics: Sequence[DescribedMetric], comparisons: Sequence[DifferenceOfMetrics]) -> Table:
    """The test that takes the unit of analysis into account first, and Williams’ beside it, as published."""
    titles = {metric.name: metric.title for metric in metrics}
    found = [(row, row.by_units) for row in comparisons if row.by_units is not None]
    about = found[0][1]
    is_jackknife = about.test == "jackknife"
    kind = f"Leaving out {about.left_out}" if is_jackknife else f"Exchanging {about.left_out}"
    columns = [
        *COMPARED,
        column("unit_p", "p", group=kind, kind="p"),
        column("unit_p_holm", "p Holm", group=kind, kind="p"),
        column("unit_low", "from", group=kind),
        column("unit_high", "to", group=kind),
        *([] if is_jackknife else [column("unit_p_error", "± (Monte Carlo)", group=kind, detail=True)]),
        column("p_value", "p", group=WILLIAMS, detail=True, kind="p"),
        column("p_value_holm", "p Holm", group=WILLIAMS, detail=True, kind="p"),
        column("notes", "Notes"),
    ]
    rows = [
        {
            "first_metric": titles[row.first],
            "second_metric": titles[row.second],
            "coefficient": COEFFICIENT_TITLES[row.coefficient],
            "n": row.n,
            "first_value": one.first,
            "second_value": one.second,
            "difference": one.difference,
            "unit_p": one.p_value,
            "unit_p_holm": one.p_holm,
            "unit_low": one.low,
            "unit_high": one.high,
            "unit_p_error": one.p_error,
            "p_value": row.p_value,
            "p_value_holm": row.p_value_holm,
            "notes": _why_undefined(row, one.reason),
        }
        for row, one in found
    ]
    correlations = "over all systems" if about.statistic == "overall" else about.statistic
    how = f"The difference of the correlations {correlations}, " + (
        f"with the jackknife error of leaving out each of the {about.units} {about.left_out} in turn."
        if is_jackknife
        else f"against exchanging the two metrics’ values of whole {about.left_out} ({about.units})."
    )
    notes = [how, *_notes(metrics, comparisons), AS_PUBLISHED]
    return table("comparisons", TITLE, columns, rows, notes=notes)


def _why_undefined(row: DifferenceOfMetrics, reason: str | None = None) -> str:
    """The `reason` of the table's test; else both reasons of those that treat systems as independent."""
    asked = (row.reason, row.exchange_reason) if reason is None else (reason,)
    reasons = dict.fromkeys(reason for reason in asked if reason)
    notes = [f"undefined: {reason}" for reason in reasons]
    if row.excluded:
        notes.append(f"left out: {', '.join(row.excluded)}")
    return "; ".join(notes)
