"""Every metric's correlation with the experts' preference and its interval, a panel a coefficient."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.preference_correlation.figures.words import SYMBOLS
from metaeval.figures.dots import interval_dots
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import heading, styled


@figure()
def correlation_dots(result: Result, variant: str, size: Size) -> Chart:
    """Metrics in the order of the first coefficient, the highest on top; the same order in all panels."""
    parameters = result["parameters"]
    coefficients = parameters["coefficients"]
    rows = {(row["coefficient"], row["metric"]): row for row in result["correlations"]}
    order = sorted(result["metrics"], key=lambda metric: _place(rows[coefficients[0], metric["name"]]["value"]))
    titles = [metric["title"] for metric in order]
    panels = [
        interval_dots(
            [_dot(rows[coefficient, metric["name"]], metric["title"]) for metric in order],
            size=size,
            x_title=SYMBOLS[coefficient],
            domain=(-1.05, 1.05),
            rule_at=0.0,
            beside=titles,
        )
        for coefficient in coefficients
    ]
    notes = []
    if parameters.get("resamples"):  # results of version 1 have no intervals
        notes.append(
            f"Points with {100 * parameters['level']:g} % bootstrap intervals over {_listed(parameters['over'])}."
        )
    title = heading(
        "How far each metric agrees with the experts", notes, is_simulated=result["is_simulated"], size=size
    )
    return styled(alt.vconcat(*panels, spacing=size.text * 1.6).properties(title=title), size)


def _place(value: float | None) -> tuple[bool, float]:
    return value is None, -(value or 0.0)


def _dot(row: dict[str, Any], title: str) -> dict[str, Any]:
    interval = row.get("interval") or {"low": None, "high": None}
    return {"name": title, "value": row["value"], "low": interval["low"], "high": interval["high"]}


def _listed(words: list[str]) -> str:
    """Words as a list in a sentence.

    >>> _listed(["systems", "comparisons", "experts"]), _listed(["systems"])
    ('systems, comparisons and experts', 'systems')
    """
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)
