"""The table of correlations between metrics, laid out as Table 2 of Kurniawan et al. (2025)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metaeval.analyses.base.tables import column, table

SYMBOLS = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b"}


def tables_of(
    settings: Sequence[dict[str, Any]], metrics: Sequence[dict[str, Any]], coefficient: str
) -> dict[str, Any]:
    """A row a pair of metrics, a column a setting with its standard error beside it."""
    titles = {metric["name"]: metric["title"] for metric in metrics}
    is_simulated = settings[0]["alpha"] is not None
    columns = [column("a", "Metric"), column("b", "and metric")]
    for number, setting in enumerate(settings):
        group = setting["setting"] if is_simulated else ""
        title = f"{setting['labels']} labels" if is_simulated else SYMBOLS[coefficient]
        columns.append(column(f"value_{number}", title, group=group))
        if is_simulated:
            columns.append(column(f"error_{number}", "± (standard error)", group=group, detail=True))
    if not is_simulated:
        columns.append(column("n", "Systems"))
    columns.append(column("notes", "Notes"))
    rows = []
    for place, pair in enumerate(settings[0]["relations"]):
        row: dict[str, Any] = {"a": titles[pair["a"]], "b": titles[pair["b"]], "n": pair["n"]}
        reasons = []
        for number, setting in enumerate(settings):
            relation = setting["relations"][place]
            row |= {f"value_{number}": relation["value"], f"error_{number}": relation["error"]}
            reasons += [f"undefined: {relation['reason']}"] if relation["reason"] else []
        if pair["left_out"] and not pair["reason"]:
            reasons.append(f"{pair['left_out']} left out, in which one is undefined")
        rows.append(row | {"notes": "; ".join(dict.fromkeys(reasons))})
    where = "simulated pairs" if is_simulated else "systems"
    return table("relations", f"{SYMBOLS[coefficient]} between metrics, over {where}", columns, rows)
