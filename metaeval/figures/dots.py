"""Rows of values with intervals, named on the left and printed on the right: the shape of most overviews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.rows import ChartRow, Value, number_of, text_of
from metaeval.figures.sizes import Size
from metaeval.figures.style import GROUND, INK, LETTER, LINE, SOFT, wrapped

BREAK = "\n"
UNDEFINED = "undefined"
BOLD = 1.15
"""How much wider bold letters are."""
SPLIT = "split(datum.label, '\\n')"
"""Names of several lines, as an axis writes them."""


def interval_dots(
    rows: Sequence[ChartRow],
    *,
    size: Size,
    x_title: str,
    domain: tuple[float, float] | None = None,
    rule_at: float | None = None,
    title: str = "",
    percent: bool = False,
    y_title: str = "",
    beside: Sequence[str] = (),
    bands: Sequence[int] = (),
    digits: int = 2,
) -> Chart:
    """A point and its interval a row, in the rows' order; `rows` have `name`, `value`, `low`, `high`.

    What is undefined says so in its row. `rule_at` marks a value, such as 0 or chance. `beside` names the rows of other
    panels that stand above or below, so that all leave the same room for names. `bands` gives each row a number: every
    other number has a grey ground, so that rows of one number are seen as one group.
    """
    room = name_room([*(text_of(row, "name") for row in rows), *beside], size)
    shown = [_shown(row, percent=percent, digits=digits) for row in rows]
    undefined = any(interval.value is None for interval in shown)
    right = size.text * LETTER * (len(UNDEFINED) + 1.5 if undefined else 5.5)
    width = int(size.width - room - right - 2 * size.padding - 14)
    names = unique([BREAK.join(wrapped(interval.name, room, size.text)) for interval in shown])
    known = [number for interval in shown for number in interval.numbers if number is not None]
    ends = domain or padded([*known, *([] if rule_at is None else [rule_at])])
    y = _names_axis(names, y_title, size, in_bands=bool(bands))
    axis = alt.Axis(format="%") if percent else alt.Axis()
    x = _Across(wrapped(x_title, width + right, size.text * 1.09), ends, axis)
    data = [interval.datum(name) for name, interval in zip(names, shown, strict=True)]
    layers = _marks(alt.Chart(alt.InlineData(values=data)), x, y, width, size)
    if bands:
        grey = [{"name": name} for name, band in zip(names, bands, strict=True) if band % 2]
        ground = alt.Chart(alt.InlineData(values=grey)).mark_rect(color=GROUND)
        layers.insert(0, ground.encode(x=alt.value(0), x2=alt.value(width), y=y))
    if rule_at is not None and ends[0] < rule_at < ends[1]:
        line = alt.Chart(alt.InlineData(values=[{"at": rule_at}])).mark_rule(color=SOFT, strokeDash=[3, 3])
        layers.insert(0, line.encode(x=alt.X("at:Q", scale=alt.Scale(domain=list(ends)))))
    lines = max((name.count(BREAK) + 1 for name in names), default=1)
    step = max(size.text * 1.55, lines * size.text * 1.3 + 2)
    chart: Chart = alt.layer(*layers).properties(width=width, height=alt.Step(step))
    if title:
        chart = chart.properties(title=panel_title(title, size))
    return chart


@dataclass(frozen=True)
class _Interval:
    """A row: its value, its limits, and what is printed on the right."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    text: str

    @property
    def numbers(self) -> tuple[float | None, ...]:
        return self.value, self.low, self.high

    def datum(self, name: str) -> dict[str, Value]:
        return {"name": name, "value": self.value, "low": self.low, "high": self.high, "text": self.text}


def _shown(row: ChartRow, *, percent: bool, digits: int) -> _Interval:
    value = number_of(row, "value")
    text = UNDEFINED if value is None else _text(value, percent=percent, digits=digits)
    return _Interval(text_of(row, "name"), value, number_of(row, "low"), number_of(row, "high"), text)


@dataclass(frozen=True)
class _Across:
    """The axis of the values: its title, its ends, and how its numbers are written."""

    title: list[str]
    ends: tuple[float, float]
    axis: alt.Axis

    def values(self) -> alt.X:
        return alt.X(
            "value:Q", title=self.title, axis=self.axis, scale=alt.Scale(domain=list(self.ends), nice=False, zero=False)
        )

    def lows(self) -> alt.X:
        return alt.X("low:Q", title=self.title, axis=self.axis, scale=alt.Scale(domain=list(self.ends)))


def _names_axis(names: Sequence[str], title: str, size: Size, *, in_bands: bool) -> alt.Y:
    return alt.Y(
        "name:N",
        sort=list(names),
        scale=alt.Scale(type="band", padding=0) if in_bands else alt.Undefined,
        title=title or None,
        axis=alt.Axis(
            labelExpr=SPLIT,
            labelOffset=centred(names, size),
            labelLimit=0,
            labelOverlap=False,
            ticks=False,
            domain=False,
        ),
    )


def _marks(base: alt.Chart, x: _Across, y: alt.Y, width: int, size: Size) -> list[alt.Chart]:
    """The intervals, the points, and the values as words on the right."""
    return [
        base.transform_filter("isValid(datum.low)")
        .mark_rule(color=LINE, strokeWidth=max(1.2, size.text * 0.16), opacity=0.55)
        .encode(x=x.lows(), x2="high:Q", y=y),
        base.transform_filter("isValid(datum.value)")
        .mark_point(filled=True, color=LINE, size=size.text * 4.4, opacity=1)
        .encode(x=x.values(), y=y, tooltip=[alt.Tooltip("name:N", title="Row"), alt.Tooltip("value:Q", format=".4f")]),
        base.mark_text(align="left", fontSize=size.text, color=INK, dx=5).encode(
            x=alt.value(width), y=y, text="text:N"
        ),
    ]


def centred(names: Sequence[str], size: Size) -> alt.typing.Optional[dict[str, object]]:
    """Axis labels of several lines hang from their first line: lift them by half of the others."""
    lines = max((name.count(BREAK) for name in names), default=0)
    if not lines:
        return alt.Undefined
    tests = [
        {"test": f"length(split(datum.label, '\\n')) == {count + 1}", "value": -count * size.text * 0.58}
        for count in range(1, lines + 1)
    ]
    return {"condition": tests, "value": 0}


def panel_title(title: str, size: Size) -> alt.TitleParams:
    """The title of one of several panels, from the left edge of the figure."""
    lines = wrapped(title, size.width - 4 * size.padding, size.text * 1.15 * BOLD)
    return alt.TitleParams(text=lines, anchor="start", fontSize=size.text * 1.15, offset=5, frame="bounds")


def name_room(names: Sequence[str], size: Size) -> float:
    """Room for names on the left, at most nearly half of the figure."""
    longest = max((len(name) for name in names), default=1) * size.text * LETTER
    return min(longest + 0.01, 0.45 * size.width)  # so that rounding does not break the longest name


def up_to_one(rows: Sequence[ChartRow]) -> tuple[float, float]:
    """The range of measures that are at most 1 and mostly above 0: from a little below the least of these rows.

    >>> up_to_one([{"value": 0.4, "low": -0.2}, {"value": None}])
    (-0.25, 1.03)
    """
    known = [number_of(row, key) for row in rows for key in ("value", "low")]
    return min([0.0, *(number for number in known if number is not None)]) - 0.05, 1.03


def unique(names: Sequence[str]) -> list[str]:
    """Names that read alike stay rows of their own."""
    seen: dict[str, int] = {}
    answer = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        answer.append(name + "\u200b" * (seen[name] - 1))
    return answer


def _text(value: float, *, percent: bool, digits: int) -> str:
    if percent:
        return f"{100 * value:.0f} %"
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")


def padded(values: Sequence[float]) -> tuple[float, float]:
    """The range of the values with some air; around a single value, a little.

    >>> padded([0.0, 1.0])
    (-0.05, 1.05)
    """
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    air = 0.05 * (high - low) or 0.05
    return low - air, high + air
