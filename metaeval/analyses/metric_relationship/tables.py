"""The table of correlations between metrics, laid out as Table 2 of Kurniawan et al. (2026)."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.analyses.base.coefficients import TITLES
from metaeval.analyses.base.table import Column, Row, Table, column, table
from metaeval.analyses.metric_relationship.result import NamedMetric, RelationOfMetrics, RelationsInSetting
from metaeval.stats import Coefficient


def relations_table(
    settings: Sequence[RelationsInSetting], metrics: Sequence[NamedMetric], coefficient: Coefficient
) -> Table:
    """One row per pair of metrics, one column per setting, with its standard error beside it."""
    titles = {metric.name: metric.title for metric in metrics}
    where = "simulated pairs" if settings[0].is_simulated else "systems"
    return table(
        "relations",
        f"{TITLES[coefficient]} between metrics, over {where}",
        _columns(settings, coefficient),
        [
            _row([setting.relations[place] for setting in settings], titles)
            for place in range(len(settings[0].relations))
        ],
    )


def _columns(settings: Sequence[RelationsInSetting], coefficient: Coefficient) -> list[Column]:
    columns = [column("a", "Metric"), column("b", "and metric")]
    if not settings[0].is_simulated:
        return [*columns, column("value_0", TITLES[coefficient]), column("n", "Systems"), column("notes", "Notes")]
    for number, setting in enumerate(settings):
        columns += [
            column(f"value_{number}", f"{setting.labels} labels", group=setting.setting),
            column(f"error_{number}", "± (standard error)", group=setting.setting, detail=True),
        ]
    return [*columns, column("notes", "Notes")]


def _row(found: Sequence[RelationOfMetrics], titles: dict[str, str]) -> Row:
    """Two metrics in every setting."""
    pair = found[0]
    row: Row = {"a": titles[pair.a], "b": titles[pair.b], "n": pair.n}
    reasons = []
    for number, relation in enumerate(found):
        row |= {f"value_{number}": relation.value, f"error_{number}": relation.error}
        reasons += [f"undefined: {relation.reason}"] if relation.reason else []
    if pair.left_out and not pair.reason:
        reasons.append(f"{pair.left_out} left out because one is undefined")
    return row | {"notes": "; ".join(dict.fromkeys(reasons))}
