"""The table that says whether the answer holds: how far every kind of variation moves each metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from metaeval.analyses.base.result import COEFFICIENT_TITLES, DescribedMetric
from metaeval.analyses.base.table import Row, Table, column, table
from metaeval.analyses.preference_correlation.result import (
    CorrelationOfMetric,
    Variation,
    VariationKind,
    VariedCorrelation,
)
from metaeval.analyses.preference_correlation.unit_of_analysis import ALPHA

KINDS: dict[VariationKind, str] = {
    "method left out": "one method left out",
    "model left out": "one model left out",
    "system left out": "one system left out",
    "one model": "each model by itself",
    "exchangeable": "what is exchanged",
    "both": "what “both” counts",
    "identical": "sides that looked the same",
    "given away": "sides that only a system has, left out",
    "values": "exact or shown values",
}
"""What was changed, in words."""

NOTES = (
    "Each row changes one thing, keeps everything else, and shows the lowest and the highest result. "
    "With systems left out, a test has less to go on, so a larger p-value alone does not contradict the "
    "answer.",
    "Other units are exchanged only if such a test could reject at all. The correlation over all systems "
    "and the one within models answer different questions.",
    "The p-values here come from fewer permutations (at most 8,192); the result gives their Monte Carlo error. Leaving "
    "out single systems is not tested.",
)


def holding_table(
    metrics: Sequence[DescribedMetric], correlations: Sequence[CorrelationOfMetric], sensitivity: Sequence[Variation]
) -> Table:
    """By the first coefficient: one row per metric and kind of variation."""
    coefficient = correlations[0].coefficient
    asked = {row.metric: row for row in correlations if row.coefficient == coefficient}
    rows = [
        row
        for metric in metrics
        for kind in get_args(VariationKind)
        if (row := _row(metric, asked[metric.name], kind, sensitivity)) is not None
    ]
    return table(
        "holding",
        f"Does the answer hold? {COEFFICIENT_TITLES[coefficient]} with one thing changed",
        [
            column("metric", "Metric"),
            column("kind", "What is changed"),
            column("value", "Answer"),
            column("p_value", "p", kind="p"),
            column("lowest", "from", group="Correlation"),
            column("highest", "to", group="Correlation"),
            column("lowest_by", "lowest with", group="Correlation", detail=True),
            column("highest_by", "highest with", group="Correlation", detail=True),
            column("lowest_p", "from", group="p", kind="p"),
            column("highest_p", "to", group="p", kind="p"),
            column("highest_p_by", "highest with", group="p", detail=True),
            column("holds", f"Same sign and same side of {ALPHA:g}"),
        ],
        rows,
        notes=NOTES,
    )


def _row(
    metric: DescribedMetric, asked: CorrelationOfMetric, kind: VariationKind, sensitivity: Sequence[Variation]
) -> Row | None:
    found = [
        (variation.name, row)
        for variation in sensitivity
        if variation.kind == kind and not (kind == "exchangeable" and variation.cannot_reject)
        for row in variation.rows
        if (row.metric, row.coefficient) == (metric.name, asked.coefficient) and row.value is not None
    ]
    if not found:
        return None
    by_value = sorted(found, key=lambda named: named[1].value or 0.0)
    by_p = sorted((named for named in found if named[1].p_value is not None), key=lambda named: named[1].p_value or 0.0)
    return {
        "metric": metric.title,
        "kind": KINDS[kind],
        "value": asked.value,
        "p_value": asked.p_value,
        "lowest": by_value[0][1].value,
        "highest": by_value[-1][1].value,
        "lowest_by": by_value[0][0],
        "highest_by": by_value[-1][0],
        "lowest_p": by_p[0][1].p_value if by_p else None,
        "highest_p": by_p[-1][1].p_value if by_p else None,
        "highest_p_by": by_p[-1][0] if by_p else "",
        "holds": _holds(asked, [row for _, row in found]),
    }


def _holds(asked: CorrelationOfMetric, found: Sequence[VariedCorrelation]) -> str:
    """Whether it holds, in words; without tests, whether the sign stays the same.

    A correlation without a p-value is compared by its sign alone.
    """
    if asked.value is None:
        return "–"
    same_sign = all((row.value or 0.0) * asked.value > 0 or row.value == asked.value for row in found)
    tested = [row.p_value for row in found if row.p_value is not None]
    if not same_sign:
        return "no: the sign changes"
    if asked.p_value is None or not tested:
        return "the sign stays"
    if all((p < ALPHA) == (asked.p_value < ALPHA) for p in tested):
        return "yes"
    return "no: p crosses 0.05"
