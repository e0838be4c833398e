"""The table of correlations that the field publishes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metaeval.analyses.tables import Kind, column, table
from metaeval.stats import Coefficient

SYMBOLS: dict[Coefficient, str] = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b"}
PARTS: tuple[tuple[str, str, str, Kind], ...] = (
    ("value", "", "{symbol}", ""),
    ("p_value", "_p", "p", "p"),
    ("p_error", "_p_error", "± (Monte Carlo)", ""),
    ("p_holm", "_p_holm", "p Holm", "p"),
    ("p_bh", "_p_bh", "p BH", "p"),
    ("p_family", "_p_max_t", "p max-T", "p"),
)
DETAILS = {"p_error"}


def correlation_table(
    metrics: Sequence[dict[str, Any]], correlations: Sequence[dict[str, Any]], coefficients: Sequence[Coefficient]
) -> dict[str, Any]:
    """A row a metric; for each coefficient its value, its p-values and how many systems stand behind it.

    An undefined value is null, and the row's `notes` say why and which systems were left out.
    """
    columns = [column("metric", "Metric"), column("n", "Systems")]
    for coefficient in coefficients:
        symbol = SYMBOLS[coefficient]
        columns += [
            column(
                f"{coefficient}{suffix}", title.format(symbol=symbol), group=symbol, detail=field in DETAILS, kind=kind
            )
            for field, suffix, title, kind in PARTS
        ]
    columns.append(column("notes", "Notes"))
    by_metric = {(row["metric"], row["coefficient"]): row for row in correlations}
    return table(
        "correlations",
        "Correlation of each metric with the experts’ preference, over systems",
        columns,
        [_row(metric, [by_metric[metric["name"], name] for name in coefficients]) for metric in metrics],
    )


def _row(metric: dict[str, Any], tests: list[dict[str, Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {"metric": metric["title"], "n": tests[0]["n"]}
    for test in tests:
        row |= {f"{test['coefficient']}{suffix}": test[field] for field, suffix, _, _ in PARTS}
    reasons = dict.fromkeys(test["reason"] for test in tests if test["reason"])
    notes = [f"undefined: {reason}" for reason in reasons]
    if tests[0]["excluded"]:
        notes.append(f"left out: {', '.join(tests[0]['excluded'])}")
    row["notes"] = "; ".join(notes)
    return row
