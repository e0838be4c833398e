"""Heat maps: rows and columns with names, a colour a cell, and the number in it where it fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.dots import BREAK, SPLIT, centred, panel_title
from metaeval.figures.rows import ChartRow, Value, number_of, text_of
from metaeval.figures.sizes import Size
from metaeval.figures.style import EMPTY, LETTER, ON_COLOUR

LARGEST = {"screen": 46.0, "two": 30.0, "one": 24.0}
SMALLEST_LABEL = 0.78
"""Names are left away where lines of this many sizes of the text would overlap."""


Scheme = Literal["blues", "blueorange"]


@dataclass(frozen=True)
class Colour:
    """How values become colours: a scheme of Vega, the values at its ends, and its name in the legend."""

    title: str
    domain: tuple[float, float]
    scheme: Scheme = "blues"
    middle: float | None = None
    format: str = ".2f"

    def is_dark(self, value: float) -> bool:
        """Whether the text on it must be white."""
        low, high = self.domain
        if self.middle is None:
            return value > low + 0.6 * (high - low)
        reach = max(high - self.middle, self.middle - low) or 1.0
        return abs(value - self.middle) > 0.62 * reach


@dataclass(frozen=True)
class HeatCell:
    """A cell: where it stands, its value (None: undefined), and what is written in it."""

    row: str
    column: str
    value: float | None
    text: str

    @classmethod
    def of(cls, row: ChartRow, colour: Colour) -> HeatCell:
        """From a row of values; where it says no text, the value is written."""
        value = number_of(row, "value")
        return cls(text_of(row, "row"), text_of(row, "column"), value, text_of(row, "text") or _text(value, colour))


@dataclass(frozen=True)
class CellSizes:
    """How large cells and letters can be so that the map fits its width."""

    across: float
    """The width of a cell."""
    down: float
    """The height of a cell."""
    small: float
    """The size of the numbers in the cells."""
    has_numbers: bool
    names_rows: bool
    names_columns: bool
    label: float
    """The size of the names."""
    is_turned: bool
    """Whether the columns' names stand upright."""

    @classmethod
    def of(
        cls, cells: Sequence[HeatCell], rows: Sequence[str], columns: Sequence[str], size: Size, *, is_titled: bool
    ) -> CellSizes:
        width = size.width - _room(rows, size) - 2 * size.padding - (size.text * 2 if is_titled else 0) - 8
        across = min(LARGEST[size.name], width / max(1, len(columns)))
        longest = max((len(cell.text) for cell in cells), default=1)
        lines = max((name.count(BREAK) + 1 for name in rows), default=1)
        down = max(min(across, LARGEST[size.name] * 0.75), (lines > 1) * lines * size.text * 1.3 + 2)
        small = min(size.text, (across - 2) / (max(longest, 2) * 0.62)) if longest else size.text
        names_rows, names_columns = (step >= SMALLEST_LABEL * size.text for step in (down, across))
        return cls(
            across=across,
            down=down,
            small=small,
            has_numbers=small >= 0.72 * size.text and down >= 1.15 * small,
            names_rows=names_rows,
            names_columns=names_columns,
            label=min(size.text, down / SMALLEST_LABEL) if names_rows else size.text,
            is_turned=across < _longest_part(columns) * size.text * LETTER,
        )


def heat_map(
    cells: Sequence[ChartRow],
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
    drawn = [HeatCell.of(cell, colour) for cell in cells]
    fit = CellSizes.of(drawn, rows, columns, size, is_titled=bool(row_title))
    y, x = _rows_axis(rows, row_title, fit, size), _columns_axis(columns, column_title, fit)
    base = alt.Chart(alt.InlineData(values=[_datum(cell, colour) for cell in drawn]))
    layers = _grounds(base, x, y, colour, fit, legend=_legend(colour, size) if with_legend else None)
    if with_numbers and fit.has_numbers:
        layers += _numbers(base, x, y, fit)
    chart: Chart = alt.layer(*layers).properties(width=alt.Step(fit.across), height=alt.Step(fit.down))
    if title:
        chart = chart.properties(title=panel_title(title, size))
    return chart


def _datum(cell: HeatCell, colour: Colour) -> dict[str, Value]:
    is_dark = cell.value is not None and colour.is_dark(cell.value)
    return {"row": cell.row, "column": cell.column, "value": cell.value, "text": cell.text, "dark": is_dark}


def _rows_axis(rows: Sequence[str], title: str, fit: CellSizes, size: Size) -> alt.Y:
    return alt.Y(
        "row:N",
        sort=list(rows),
        scale=alt.Scale(domain=list(rows)),
        title=title or None,
        axis=alt.Axis(
            labels=fit.names_rows,
            ticks=False,
            domain=False,
            labelLimit=0,
            labelOverlap=False,
            labelFontSize=fit.label,
            labelOffset=centred(rows, size),
            labelExpr=SPLIT,
        ),
    )


def _columns_axis(columns: Sequence[str], title: str, fit: CellSizes) -> alt.X:
    return alt.X(
        "column:N",
        sort=list(columns),
        scale=alt.Scale(domain=list(columns)),
        title=title or None,
        axis=alt.Axis(
            labels=fit.names_columns,
            ticks=False,
            domain=False,
            labelLimit=0,
            labelOverlap=False,
            labelFontSize=fit.label,
            labelAngle=-90 if fit.is_turned else 0,
            orient="bottom",
            labelExpr=SPLIT,
            labelAlign="right" if fit.is_turned else "center",
            labelBaseline="middle" if fit.is_turned else "top",
        ),
    )


def _legend(colour: Colour, size: Size) -> alt.Legend:
    return alt.Legend(
        orient="bottom",
        direction="horizontal",
        gradientLength=min(size.width * 0.4, 200),
        gradientThickness=size.text * 0.9,
        format=colour.format,
        tickCount=4,
        titleLimit=0,
        offset=6,
    )


def _grounds(
    base: alt.Chart, x: alt.X, y: alt.Y, colour: Colour, fit: CellSizes, *, legend: alt.Legend | None
) -> list[alt.Chart]:
    """The coloured cells, and those that are undefined."""
    middle = alt.Undefined if colour.middle is None else colour.middle
    scale = alt.Scale(scheme=colour.scheme, domain=list(colour.domain), clamp=True, domainMid=middle)
    stroke = 0.6 if fit.across > 8 else 0
    known = base.transform_filter("isValid(datum.value)").mark_rect(stroke="white", strokeWidth=stroke)
    unknown = base.transform_filter("!isValid(datum.value)").mark_rect(fill=EMPTY, stroke="white", strokeWidth=stroke)
    return [
        known.encode(
            x=x,
            y=y,
            color=alt.Color("value:Q", title=colour.title, scale=scale, legend=legend),
            tooltip=["row:N", "column:N", alt.Tooltip("value:Q", title=colour.title, format=".4f")],
        ),
        unknown.encode(x=x, y=y, tooltip=["row:N", "column:N", alt.Tooltip("text:N", title=colour.title)]),
    ]


def _numbers(base: alt.Chart, x: alt.X, y: alt.Y, fit: CellSizes) -> list[alt.Chart]:
    """What is written in the cells: white on dark ones."""
    return [
        base.transform_filter(f"datum.dark == {'true' if dark else 'false'}")
        .mark_text(fontSize=fit.small, color="white" if dark else ON_COLOUR)
        .encode(x=x, y=y, text="text:N")
        for dark in (True, False)
    ]


def _room(names: Sequence[str], size: Size) -> float:
    """Room that the longest name takes."""
    return _longest_part(names) * size.text * LETTER * 1.06


def _longest_part(names: Sequence[str]) -> int:
    """Letters of the longest line of any name."""
    return max((len(part) for name in names for part in name.split(BREAK)), default=1)


def _text(value: float | None, colour: Colour) -> str:
    if value is None:
        return "–"
    if colour.format.endswith("%"):
        return f"{value:{colour.format}}"
    return f"{value:{colour.format}}".replace("-", "−")
