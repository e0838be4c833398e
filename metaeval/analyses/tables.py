"""The table that the field publishes, as plain data: for the page, the command and the spreadsheet alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metaeval.stats import Coefficient

SYMBOLS: dict[Coefficient, str] = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b"}
PARTS = (
    ("value", "", "{symbol}"),
    ("p_value", "_p", "p"),
    ("p_error", "_p_error", "± (Monte Carlo)"),
    ("p_holm", "_p_holm", "p Holm"),
    ("p_bh", "_p_bh", "p BH"),
    ("p_family", "_p_max_t", "p max-T"),
)
DETAILS = {"p_error"}


def correlation_table(
    metrics: Sequence[dict[str, Any]], correlations: Sequence[dict[str, Any]], coefficients: Sequence[Coefficient]
) -> dict[str, Any]:
    """A row a metric; for each coefficient its value, its p-values and how many systems stand behind it.

    ``{"columns": [{"key", "title", "group", "detail"}], "rows": [{key: value}]}``; `group` joins the columns of one
    coefficient, `detail` marks what a narrow table may leave away. An undefined value is null, and the row's
    `notes` say why and which systems were left out.
    """
    columns = [_column("metric", "Metric"), _column("n", "Systems")]
    for coefficient in coefficients:
        symbol = SYMBOLS[coefficient]
        columns += [
            _column(f"{coefficient}{suffix}", title.format(symbol=symbol), group=symbol, detail=field in DETAILS)
            for field, suffix, title in PARTS
        ]
    columns.append(_column("notes", "Notes"))
    by_metric = {(row["metric"], row["coefficient"]): row for row in correlations}
    return {
        "columns": columns,
        "rows": [_row(metric, [by_metric[metric["name"], name] for name in coefficients]) for metric in metrics],
    }


def _column(key: str, title: str, *, group: str = "", detail: bool = False) -> dict[str, Any]:
    return {"key": key, "title": title, "group": group, "detail": detail}


def _row(metric: dict[str, Any], tests: list[dict[str, Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {"metric": metric["title"], "n": tests[0]["n"]}
    for test in tests:
        row |= {f"{test['coefficient']}{suffix}": test[field] for field, suffix, _ in PARTS}
    reasons = dict.fromkeys(test["reason"] for test in tests if test["reason"])
    notes = [f"undefined: {reason}" for reason in reasons]
    if tests[0]["excluded"]:
        notes.append(f"left out: {', '.join(tests[0]['excluded'])}")
    row["notes"] = "; ".join(notes)
    return row
