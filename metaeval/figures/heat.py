"""Heat maps: rows and columns with names, a colour a cell, and the number in it where it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.dots import BREAK, SPLIT, centred, panel_title
from metaeval.figures.registry import Size
from metaeval.figures.style import EMPTY, LETTER, ON_COLOUR, PADDING

LARGEST = {"screen": 46.0, "two": 30.0, "one": 24.0}
SMALLEST_LABEL = 0.78
"""Names are left away where lines of this many sizes of the text would overlap."""


@dataclass(frozen=True)
class Colour:
    """How values become colours: a scheme of Vega, the values at its ends, and its name in the legend."""

    title: str
    domain: tuple[float, float]
    scheme: str = "blues"
    middle: float | None = None
    format: str = ".2f"

    def is_dark(self, value: float) -> bool:
        """Whether the text on it must be white."""
        low, high = self.domain
        if self.middle is None:
            return value > low + 0.6 * (high - low)
        reach = max(high - self.middle, self.middle - low) or 1.0
        return abs(value - self.middle) > 0.62 * reach


def heat_map(
    cells: Sequence[Mapping[str, Any]],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    colour: Colour,
    size: Size,
    title: str = "",
    row_title: str = "",
    column_title: str = "",
    with_numbers: bool = True,
    with_legend: bool = True,
) -> Chart:
    """A cell a row of `cells`: `row`, `column`, `value` (None: undefined, hatched by a dot), perhaps `text`.

    `rows` and `columns` give the order; what has no cell stays white.
    """
    left = _room(rows, size)
    width = size.width - left - 2 * PADDING - (size.text * 2 if row_title else 0) - 8
    across = min(LARGEST[size.name], width / max(1, len(columns)))
    texts = [cell.get("text") or _text(cell["value"], colour) for cell in cells]
    longest = max((len(text) for text in texts), default=1)
    lines = max((name.count(BREAK) + 1 for name in rows), default=1)
    down = max(min(across, LARGEST[size.name] * 0.75), (lines > 1) * lines * size.text * 1.3 + 2)
    small = min(size.text, (across - 2) / (max(longest, 2) * 0.62)) if longest else size.text
    shown = with_numbers and small >= 0.72 * size.text and down >= 1.15 * small
    named_rows, named_columns = (step >= SMALLEST_LABEL * size.text for step in (down, across))
    label = min(size.text, down / SMALLEST_LABEL) if named_rows else size.text
    data = [
        {
            "row": cell["row"],
            "column": cell["column"],
            "value": cell["value"],
            "text": text,
            "dark": cell["value"] is not None and colour.is_dark(cell["value"]),
        }
        for cell, text in zip(cells, texts, strict=True)
    ]
    y = alt.Y(
        "row:N",
        sort=list(rows),
        scale=alt.Scale(domain=list(rows)),
        title=row_title or None,
        axis=alt.Axis(
            labels=named_rows,
            ticks=False,
            domain=False,
            labelLimit=0,
            labelOverlap=False,
            labelFontSize=label,
            labelOffset=centred(rows, size),
            labelExpr=SPLIT,
        ),
    )
    turned = across < max((len(part) for name in columns for part in name.split("\n")), default=1) * size.text * LETTER
    x = alt.X(
        "column:N",
        sort=list(columns),
        scale=alt.Scale(domain=list(columns)),
        title=column_title or None,
        axis=alt.Axis(
            labels=named_columns,
            ticks=False,
            domain=False,
            labelLimit=0,
            labelOverlap=False,
            labelFontSize=label,
            labelAngle=-90 if turned else 0,
            orient="bottom",
            labelExpr=SPLIT,
            labelAlign="right" if turned else "center",
            labelBaseline="middle" if turned else "top",
        ),
    )
    scale: dict[str, Any] = {"scheme": colour.scheme, "domain": list(colour.domain), "clamp": True}
    if colour.middle is not None:
        scale["domainMid"] = colour.middle
    legend = (
        alt.Legend(
            orient="bottom",
            direction="horizontal",
            gradientLength=min(size.width * 0.4, 200),
            gradientThickness=size.text * 0.9,
            format=colour.format,
            tickCount=4,
            titleLimit=0,
            offset=6,
        )
        if with_legend
        else None
    )
    base = alt.Chart(alt.InlineData(values=data))
    known = base.transform_filter("isValid(datum.value)")
    stroke = 0.6 if across > 8 else 0
    layers: list[Any] = [
        known.mark_rect(stroke="white", strokeWidth=stroke).encode(
            x=x,
            y=y,
            color=alt.Color("value:Q", title=colour.title, scale=alt.Scale(**scale), legend=legend),
            tooltip=["row:N", "column:N", alt.Tooltip("value:Q", title=colour.title, format=".4f")],
        ),
        base.transform_filter("!isValid(datum.value)")
        .mark_rect(fill=EMPTY, stroke="white", strokeWidth=stroke)
        .encode(x=x, y=y, tooltip=["row:N", "column:N", alt.Tooltip("text:N", title=colour.title)]),
    ]
    if shown:
        layers += [
            base.transform_filter(f"datum.dark == {'true' if dark else 'false'}")
            .mark_text(fontSize=small, color="white" if dark else ON_COLOUR)
            .encode(x=x, y=y, text="text:N")
            for dark in (True, False)
        ]
    chart: Chart = alt.layer(*layers).properties(width=alt.Step(across), height=alt.Step(down))
    if title:
        chart = chart.properties(title=panel_title(title, size))
    return chart


def _room(names: Sequence[str], size: Size) -> float:
    """Room that the longest name takes."""
    return max((len(part) for name in names for part in name.split("\n")), default=1) * size.text * LETTER * 1.06


def _text(value: float | None, colour: Colour) -> str:
    if value is None:
        return "–"
    if colour.format.endswith("%"):
        return f"{value:{colour.format}}"
    return f"{value:{colour.format}}".replace("-", "−")
