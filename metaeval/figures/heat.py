"""Heat maps: named rows and columns, one colour per cell, and the number in it if it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.dots import BREAK, SPLIT, TOP_OF_PAGE, panel_title, unique, y_of_names
from metaeval.figures.rows import ChartRow, InlineRows, Value, number_of, text_of
from metaeval.figures.sizes import Size, text_width, wrapped
from metaeval.figures.style import EMPTY, ON_COLOUR

LARGEST = {"screen": 96.0, "two": 60.0, "one": 40.0}
LINE_HEIGHT = 1.15
NAMES, UPRIGHT = 0.36, 0.2
"""Shares of the figure that names may take: of its width on the left, of its height under columns with vertical
names."""


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
    """A cell: its position, its value (None: undefined), its text, and whether it has no colour."""

    row: str
    column: str
    value: float | None
    text: str
    is_grey: bool

    @classmethod
    def of(cls, row: ChartRow, colour: Colour) -> HeatCell:
        """From a row of values; without a text, the value is written."""
        value = number_of(row, "value")
        text = text_of(row, "text") or _text(value, colour)
        return cls(text_of(row, "row"), text_of(row, "column"), value, text, value is None or bool(row.get("grey")))

    def datum(self, rows: Mapping[str, str], columns: Mapping[str, str], colour: Colour, text: str) -> dict[str, Value]:
        is_dark = not self.is_grey and self.value is not None and colour.is_dark(self.value)
        return {
            "row": rows[self.row],
            "column": columns[self.column],
            "value": self.value,
            "text": text,
            "dark": is_dark,
            "grey": self.is_grey,
        }


@dataclass(frozen=True)
class CellSizes:
    """How large cells are so that the map fits, which rows and columns it has, and what they are called."""

    rows: dict[str, str]
    """Each name's lines as drawn."""
    columns: dict[str, str]
    across: float
    """The width of a cell."""
    down: float
    """The height of a cell."""
    small: float
    """The size of the numbers in the cells."""
    label: float
    """The size of the names."""
    is_turned: bool
    """Whether the columns' names are vertical."""
    room: float
    """The room for the rows' names."""

    @classmethod
    def of(cls, rows: Sequence[str], columns: Sequence[str], size: Size, *, titles: int, above: float) -> CellSizes:
        label, line = size.text, size.text * LINE_HEIGHT
        room = min(_longest(rows, label), NAMES * size.width) + 0.5
        lines = {name: _lines(name, room, label) for name in rows}
        if sum(map(len, lines.values())) * line > 0.6 * size.height:  # better one line, cut
            lines = {name: _lines(name, room, label, most=1) for name in rows}
        width = size.width - room - 2 * size.padding - 6 - titles * size.text * 2
        most = max(1, int(width / line))
        largest = max(LARGEST[size.name], _longest(columns, label) + 4)
        across = min(largest, width / max(1, min(most, len(columns))))
        upright = UPRIGHT * size.height
        named = {name: _lines(name, across - 3, label) for name in columns[:most]}
        is_turned = any(
            text_width(part, label) > across or len(parts) > 3 for parts in named.values() for part in parts
        )
        # Nor are words broken to fit, or names cut.
        is_turned = is_turned or any(" ".join(parts) != name.replace(BREAK, " ") for name, parts in named.items())
        if is_turned:
            named = {name: wrapped(name.replace(BREAK, " "), upright, label, most=1) for name in columns[:most]}
        below = (
            _longest([parts[0] for parts in named.values()], label)
            if is_turned
            else line * max((len(parts) for parts in named.values()), default=1)
        )
        height = size.height - above - below - size.text * 7.5 - 2 * size.padding - titles * size.text * 2
        high = max((len(parts) for parts in lines.values()), default=1) * line + 3
        down = max(min(across, size.text * 2.6), high)
        if down * len(rows) > height:
            down = max(high, height / len(rows))
        fitting = [*lines][: max(1, int(height / down))]
        return cls(
            rows=dict(zip(fitting, unique([BREAK.join(lines[name]) for name in fitting]), strict=True)),
            columns=dict(zip(named, unique([BREAK.join(parts) for parts in named.values()]), strict=True)),
            across=across,
            down=down,
            small=size.text if size.text == size.least else size.letters(0.95),
            label=label,
            is_turned=is_turned,
            room=room,
        )

    def written(self, cells: Sequence[HeatCell]) -> list[str]:
        """The numbers in the cells, without leading zeros if they fit only so; nothing if they do not fit."""
        texts = [cell.text for cell in cells]
        if self.down < self.small * LINE_HEIGHT:
            return [""] * len(texts)
        for tried in (texts, [text.replace("0.", ".", 1) if "0." in text[:2] else text for text in texts]):
            if max((text_width(text, self.small) for text in tried), default=0) + 2 <= self.across:
                return tried
        return [""] * len(texts)


def _lines(name: str, room: float, font_size: float, *, most: int | None = 3) -> list[str]:
    """A name in lines, keeping its own line breaks."""
    if most == 1:
        return wrapped(name.replace(BREAK, " "), room, font_size, most=1)
    return [line for part in name.split(BREAK) for line in wrapped(part, room, font_size, most=most)]


def _longest(names: Sequence[str], font_size: float) -> float:
    return max((text_width(part, font_size) for name in names for part in name.split(BREAK)), default=font_size)


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
    with_legend: bool = True,
    of_panels: int = 1,
) -> tuple[Chart, list[str]]:
    """The map, and a note on what did not fit. Each of `cells` has `row`, `column`, `value` (None: undefined), perhaps
    `text`, and `grey` if it should have no colour although it has a value.

    `rows` and `columns` give the order; missing cells stay white. `of_panels` maps share a page.
    """
    above = 0 if size.is_paper else TOP_OF_PAGE
    share = replace(size, height=(size.height - above) // of_panels)
    titled = size.text * 2 if title else 0
    fit = CellSizes.of(rows, columns, share, titles=int(bool(row_title or column_title)), above=titled)
    drawn = [cell for row in cells if (cell := HeatCell.of(row, colour)).row in fit.rows and cell.column in fit.columns]
    written = fit.written(drawn)
    data = [cell.datum(fit.rows, fit.columns, colour, text) for cell, text in zip(drawn, written, strict=True)]
    y = y_of_names("row", list(fit.rows.values()), size, title=row_title or None, labelFontSize=fit.label)
    x = _columns_axis(column_title, fit, size)
    base = alt.Chart(InlineRows(values=data))
    layers = _grounds(base, x, y, colour, fit, legend=_legend(colour, size) if with_legend else None)
    layers += _numbers(base, x, y, fit) if any(written) else []
    chart: Chart = alt.layer(*layers).properties(
        width=alt.Step(fit.across), height=alt.Step(fit.down), description=_in_words(drawn, colour, title)
    )
    if title:
        chart = chart.properties(title=panel_title(title, size, left=fit.room))
    return chart, _left_out(fit, rows, columns)


def _left_out(fit: CellSizes, rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    parts = [
        f"{len(shown)} of {len(every)} {what}"
        for shown, every, what in ((fit.rows, rows, "rows"), (fit.columns, columns, "columns"))
        if len(shown) < len(set(every))
    ]
    return [f"The first {' and '.join(parts)}; the tables have all."] if parts else []


def _in_words(cells: Sequence[HeatCell], colour: Colour, title: str) -> str:
    defined = sorted((cell for cell in cells if cell.value is not None), key=lambda cell: cell.value or 0.0)
    rows, columns = (len({getattr(cell, side) for cell in cells}) for side in ("row", "column"))
    words = f"{f'{title}. ' if title else ''}{colour.title}, {rows} rows by {columns} columns"
    if not defined:
        return f"{words}, nothing defined"
    ends = [
        f"{which} {cell.text.rstrip('*')} ({cell.row.replace(BREAK, ' ')}; {cell.column.replace(BREAK, ' ')})"
        for which, cell in (("from", defined[0]), ("to", defined[-1]))
        if cell.text.strip()
    ]
    return f"{words}: {' '.join(ends)}" if ends else words


def _columns_axis(title: str, fit: CellSizes, size: Size) -> alt.X:
    names = list(fit.columns.values())
    return alt.X(
        "column:N",
        sort=names,
        scale=alt.Scale(domain=names),
        title=wrapped(title, size.width, size.text) if title else None,
        axis=alt.Axis(
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
    coloured = base.transform_filter("!datum.grey").mark_rect(stroke="white", strokeWidth=stroke)
    unknown = base.transform_filter("datum.grey").mark_rect(fill=EMPTY, stroke="white", strokeWidth=stroke)
    return [
        coloured.encode(
            x=x,
            y=y,
            color=alt.Color("value:Q", title=colour.title, scale=scale, legend=legend),
            tooltip=["row:N", "column:N", alt.Tooltip("value:Q", title=colour.title, format=".4f")],
        ),
        unknown.encode(
            x=x, y=y, tooltip=["row:N", "column:N", alt.Tooltip("value:Q", title=colour.title, format=".4f")]
        ),
    ]


def _numbers(base: alt.Chart, x: alt.X, y: alt.Y, fit: CellSizes) -> list[alt.Chart]:
    """What is written in the cells: white on dark ones."""
    return [
        base.transform_filter(f"datum.dark == {'true' if dark else 'false'}")
        .mark_text(fontSize=fit.small, color="white" if dark else ON_COLOUR)
        .encode(x=x, y=y, text="text:N")
        for dark in (True, False)
    ]


def _text(value: float | None, colour: Colour) -> str:
    if value is None:
        return "–"
    if colour.format.endswith("%"):
        return f"{value:{colour.format}}"
    return f"{value:{colour.format}}".replace("-", "−")
