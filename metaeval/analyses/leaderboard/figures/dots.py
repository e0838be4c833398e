"""Systems by their score on a dataset, with the clusters that the test found."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.dots import interval_dots
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import heading, styled

AT_ONCE = 4


def _standings(result: Result) -> list[dict[str, Any]]:
    return [standing for board in result["boards"] for standing in board["standings"]]


def _variants(result: Result) -> list[str]:
    found = _standings(result)
    return [_key(standing) for standing in found] if len(found) > 1 else []


@figure(variants=_variants)
def leaderboard_dots(result: Result, variant: str, size: Size) -> Chart:
    """A panel a dataset and task (the first four), or one of them; the best at the top, clusters on changing ground."""
    found = [standing for standing in _standings(result) if variant in {"", _key(standing)}]
    shown = found[:AT_ONCE]
    titles = {board["task"]: board["title"] for board in result["boards"]}
    names = [_name(row) for standing in shown for row in standing["systems"]]
    panels = [_panel(standing, titles, names, size, alone=len(shown) == 1) for standing in shown]
    confidence = f"{100 * result['parameters']['confidence']:g} %"
    notes = [
        f"Points: mean scores with {confidence} bootstrap intervals over items. Numbers: positions.",
        "One ground: a cluster, which the paired test on items cannot tell from its best "
        f"(p ≥ {result['parameters']['level']:g}).",
    ]
    if len(shown) == 1:
        notes.insert(0, _about(shown[0], titles))
    if any(row["substituted"] for standing in shown for row in standing["systems"]):
        notes.append("*: no submission, scored as the baseline.")
    if len(found) > AT_ONCE:
        notes.append(f"The first {AT_ONCE} of {len(found)} panels.")
    title = heading("Which system predicts people best", notes, is_simulated=result["is_simulated"], size=size)
    return styled(alt.vconcat(*panels, spacing=size.text * 2).properties(title=title), size)


def _panel(standing: dict[str, Any], titles: dict[str, str], beside: list[str], size: Size, *, alone: bool) -> Chart:
    rows = [row | {"name": _name(row), "value": row["score"]} for row in standing["systems"]]
    return interval_dots(
        rows,
        size=size,
        x_title=f"{standing['metric_title']} ({standing['orientation']} is better)",
        beside=beside,
        bands=[row["cluster"] for row in rows],
        digits=3,
        title="" if alone else _about(standing, titles),
    )


def _about(standing: dict[str, Any], titles: dict[str, str]) -> str:
    return f"{standing['title']}. {titles[standing['task']]}, {standing['items']:,} items"


def _name(row: dict[str, Any]) -> str:
    return f"{row['position']}. {row['system']}{'*' if row['substituted'] else ''}"


def _key(standing: dict[str, Any]) -> str:
    return f"{standing['task']}-{standing['dataset']}"
