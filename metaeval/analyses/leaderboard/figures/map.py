"""Every system's position on every dataset."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.dots import BREAK
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import heading, styled, wrapped

COLUMN = 13
"""Letters of a dataset's title in a line, where its column has room for them."""


class _Positions(Colour):
    """The first is dark: the domain runs from the last position to the first."""

    def is_dark(self, value: float) -> bool:
        last, first = self.domain
        return value < first + 0.4 * (last - first)


@figure(variants=lambda result: [board["task"] for board in result["boards"]][1:])
def leaderboard_map(result: Result, variant: str, size: Size) -> Chart:
    """A map a task; the overview is of the first. Systems in the order of their average position."""
    board = next(board for board in result["boards"] if variant in {"", board["task"]})
    columns = {
        standing["dataset"]: BREAK.join(wrapped(standing["title"], COLUMN * size.text * 0.56, size.text))
        for standing in board["standings"]
    }
    rows = [_name(system) for system in board["systems"]]
    cells = [
        _cell(system, standing, columns[standing["dataset"]])
        for system in board["systems"]
        for standing in board["standings"]
    ]
    last = max((cell["value"] for cell in cells if cell["value"] is not None), default=1)
    chart = heat_map(
        cells,
        rows=rows,
        columns=list(columns.values()),
        colour=_Positions("Position", (max(last, 2), 1), format="d"),
        size=size,
    )
    notes = ["Colour: position on the dataset, the first dark. Numbers: scores."]
    if len(columns) > 1:
        notes.append("Beside the names: average positions over datasets, the best at the top.")
    if any(cell["text"].endswith("*") for cell in cells):
        notes.append("*: no submission, scored as the baseline.")
    title = heading(f"Positions. {board['title']}", notes, is_simulated=result["is_simulated"], size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _name(system: dict[str, Any]) -> str:
    average = system["average_position"]
    return f"{system['system']} ({'undefined' if average is None else f'{average:.2f}'.rstrip('0').removesuffix('.')})"


def _cell(system: dict[str, Any], standing: dict[str, Any], column: str) -> dict[str, Any]:
    row = next((row for row in standing["systems"] if row["system"] == system["system"]), None)
    text = "–" if row is None else f"{row['score']:.3f}" + "*" * row["substituted"]
    return {"row": _name(system), "column": column, "value": None if row is None else row["position"], "text": text}
