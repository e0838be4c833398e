"""Rows of values with intervals, named on the left and printed on the right: used by most overviews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.rows import ChartRow, InlineRows, Value, number_of, text_of
from metaeval.figures.sizes import BOLD, Size, text_width, wrapped
from metaeval.figures.style import GROUND, INK, LINE, SOFT

BREAK = "\n"
UNDEFINED = "undefined"
SPLIT = "split(datum.label, '\\n')"
"""Names with several lines, for an axis."""
MOST_LINES = 3
"""Longer names are cut; the figure's data have them in full."""
LEAST_ROWS = 4
"""Rows kept in every panel before whole panels are left out."""
TOLD = 12
"""Rows mentioned in the alternative text."""
SPACING = 1.8
TOP_OF_PAGE = 130
"""The height of title and notes on a page."""


@dataclass(frozen=True)
class DotPanel:
    """A panel: rows with `name`, `value`, `low` and `high`, and how they are drawn. Undefined values are marked.

    `rule_at` marks a value, such as 0 or chance, by a line that `rule_name` names. `bands` gives each row a number:
    every other number has a grey background, so that rows with the same number are seen as one group.
    """

    rows: Sequence[ChartRow]
    x_title: str
    title: str = ""
    domain: tuple[float, float] | None = None
    rule_at: float | None = None
    rule_name: str = ""
    percent: bool = False
    bands: Sequence[int] = ()
    digits: int = 2

    def first(self, count: int) -> DotPanel:
        """Only its first rows."""
        return replace(self, rows=self.rows[:count], bands=self.bands[:count])


def dot_row(name: str, value: Value, low: Value, high: Value) -> dict[str, Value]:
    """A row of a panel."""
    return {"name": name, "value": value, "low": low, "high": high}


def dot_panels(panels: Sequence[DotPanel], *, size: Size, what: str = "rows") -> tuple[Chart, list[str]]:
    """Stacked panels that fit on a page, and a note on what was left out; all have the same room for names."""
    names = [text_of(row, "name") for panel in panels for row in panel.rows]
    step = _step([wrapped(name, name_room(names, size), size.text, most=MOST_LINES) for name in names], size)
    room = size.height - size.padding * 2 - (TOP_OF_PAGE if not size.is_paper else 2 * size.text * 1.4)
    names_room = name_room(names, size)
    shown = [*panels]
    while len(shown) > 1 and _over(shown, names_room, size, room) < step * sum(
        min(len(panel.rows), LEAST_ROWS) for panel in shown
    ):
        shown.pop()
    each = _each([len(panel.rows) for panel in shown], int(_over(shown, names_room, size, room) / step))
    notes = []
    longest = max((len(panel.rows) for panel in shown), default=0)
    if each < longest:
        notes.append(f"The first {each} of {longest} {what}; the tables have all.")
    if len(shown) < len(panels):
        notes.append(f"The first {len(shown)} of {len(panels)} panels; the tables have all.")
    fitting = [panel.first(each) for panel in shown] or [DotPanel([], "")]
    beside = [text_of(row, "name") for panel in fitting for row in panel.rows]
    charts = [_interval_dots(panel, size=size, beside=beside) for panel in fitting]
    return alt.vconcat(*charts, spacing=size.text * SPACING), notes


def _over(panels: Sequence[DotPanel], names_room: float, size: Size, room: float) -> float:
    """The height left for rows after titles and axes."""
    across = size.width - names_room - 3 * size.text - 2 * size.padding
    for panel in panels:
        lines = len(wrapped(panel.x_title, across, size.text * 1.09))
        titles = len(panel_title(panel.title, size).text) if panel.title else 0
        room -= size.text * (SPACING + 1.5 + 1.45 * lines + 1.65 * titles + 1.3 * bool(panel.rule_name)) + 20
    return room


def _each(lengths: Sequence[int], room: int) -> int:
    """How many rows every panel may have so that all together have at most `room`."""
    each = max(lengths, default=0)
    while each > 1 and sum(min(length, each) for length in lengths) > room:
        each -= 1
    return each


def _interval_dots(panel: DotPanel, *, size: Size, beside: Sequence[str]) -> Chart:
    """One point and its interval per row, in the rows' order. `beside` names the rows of all panels above and below, so
    that all have the same room for names."""
    room = name_room(beside, size)
    shown = [_shown(row, percent=panel.percent, digits=panel.digits) for row in panel.rows]
    right = max((text_width(interval.text, size.text) for interval in shown), default=0.0) + 7
    width = int(size.width - room - right - 2 * size.padding - 4)
    parts = [wrapped(interval.name, room, size.text, most=MOST_LINES) for interval in shown]
    names = unique([BREAK.join(lines) for lines in parts])
    ends_of_rows = [end for row in shown for end in (row.value, row.low, row.high) if end is not None]
    rule_at, bands = panel.rule_at, panel.bands
    ends = panel.domain or padded([*ends_of_rows, *([] if rule_at is None else [rule_at])])
    y = _names_axis(names, size, in_bands=bool(bands))
    data = [
        dot_row(name, row.value, row.low, row.high) | {"text": row.text} for name, row in zip(names, shown, strict=True)
    ]
    layers = _marks(alt.Chart(InlineRows(values=data)), panel, ends, y, width=width, size=size)
    if bands:
        grey = [{"name": name} for name, band in zip(names, bands, strict=True) if band % 2]
        ground = alt.Chart(InlineRows(values=grey)).mark_rect(color=GROUND)
        layers.insert(0, ground.encode(x=alt.value(0), x2=alt.value(width), y=y))
    is_ruled = rule_at is not None and ends[0] < rule_at < ends[1]
    if is_ruled:
        layers = [*_rule(rule_at or 0.0, panel.rule_name, ends, width, size), *layers]
    chart: Chart = alt.layer(*layers).properties(
        width=width, height=alt.Step(_step(parts, size)), description=_in_words(shown, panel.title or panel.x_title)
    )
    if panel.title:
        above = size.letters(0.95) * 1.3 if is_ruled and panel.rule_name else 0
        chart = chart.properties(title=panel_title(panel.title, size, above=above, left=room + 2))
    return chart


def _step(parts: Sequence[Sequence[str]], size: Size) -> float:
    lines = max(map(len, parts), default=1)
    return max(size.text * 1.55, lines * size.text * 1.25 + 2)


def _in_words(shown: Sequence[_Interval], what: str) -> str:
    rows = [
        f"{interval.name} {interval.text}" + (f" ({interval.limits})" if interval.limits else "")
        for interval in shown[:TOLD]
    ]
    more = [f"and {len(shown) - TOLD} more"] if len(shown) > TOLD else []
    return f"{what}: {'; '.join([*rows, *more]) or 'nothing'}"


def _rule(at: float, name: str, ends: tuple[float, float], width: int, size: Size) -> list[alt.Chart]:
    """A dashed line, with its meaning above it."""
    base = alt.Chart(InlineRows(values=[{"at": at, "text": name}]))
    x = alt.X("at:Q", scale=alt.Scale(domain=list(ends)))
    layers = [base.mark_rule(color=SOFT, strokeDash=[3, 3]).encode(x=x)]
    if name:
        share, half = (at - ends[0]) / (ends[1] - ends[0]), text_width(name, size.letters(0.95)) / 2 / width
        align: Literal["left", "right", "center"] = (
            "left" if share < half else "right" if share > 1 - half else "center"
        )
        words = base.mark_text(align=align, baseline="bottom", color=SOFT, fontSize=size.letters(0.95), dy=-2)
        layers.append(words.encode(x=x, y=alt.value(0), text="text:N"))
    return layers


@dataclass(frozen=True)
class _Interval:
    """A row: its value, its limits, and what is printed on the right."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    limits: str
    """The limits as words; empty if there are none."""


def _shown(row: ChartRow, *, percent: bool, digits: int) -> _Interval:
    value = number_of(row, "value")
    text = UNDEFINED if value is None else _text(value, percent=percent, digits=digits)
    low, high = number_of(row, "low"), number_of(row, "high")
    limits = ""
    if low is not None and high is not None:
        limits = " to ".join(_text(end, percent=percent, digits=digits) for end in (low, high))
    return _Interval(text_of(row, "name"), value, low, high, text, limits)


def _names_axis(names: Sequence[str], size: Size, *, in_bands: bool) -> alt.Y:
    return alt.Y(
        "name:N",
        sort=list(names),
        scale=alt.Scale(type="band", padding=0) if in_bands else alt.Undefined,
        title=None,
        axis=axis_of_names(names, size),
    )


def _marks(
    base: alt.Chart, panel: DotPanel, ends: tuple[float, float], y: alt.Y, *, width: int, size: Size
) -> list[alt.Chart]:
    """The intervals, the points, and the values as words on the right."""
    title, domain = wrapped(panel.x_title, width, size.text * 1.09), list(ends)
    axis = alt.Axis(format="%") if panel.percent else alt.Axis()
    return [
        base.transform_filter("isValid(datum.low)")
        .mark_rule(color=LINE, strokeWidth=max(1.2, size.text * 0.16), opacity=0.55)
        .encode(x=alt.X("low:Q", title=title, axis=axis, scale=alt.Scale(domain=domain)), x2="high:Q", y=y),
        base.transform_filter("isValid(datum.value)")
        .mark_point(filled=True, color=LINE, size=size.text * 4.4, opacity=1)
        .encode(
            x=alt.X("value:Q", title=title, axis=axis, scale=alt.Scale(domain=domain, nice=False, zero=False)),
            y=y,
            tooltip=[
                alt.Tooltip("name:N", title="Row"),
                *(alt.Tooltip(f"{key}:Q", title=key, format=".4f") for key in ("value", "low", "high")),
            ],
        ),
        base.mark_text(align="left", fontSize=size.text, color=INK, dx=5).encode(
            x=alt.value(width), y=y, text="text:N"
        ),
    ]


def centred(names: Sequence[str], size: Size) -> alt.typing.Optional[dict[str, object]]:
    """Axis labels of several lines hang from their first line: raise them by half of the others."""
    lines = max((name.count(BREAK) for name in names), default=0)
    if not lines:
        return alt.Undefined
    tests = [
        {"test": f"length(split(datum.label, '\\n')) == {count + 1}", "value": -count * size.text * 0.58}
        for count in range(1, lines + 1)
    ]
    return {"condition": tests, "value": 0}


def axis_of_names(names: Sequence[str], size: Size, **options: Any) -> alt.Axis:
    """An axis of names, each of one line or several, without a line and ticks of its own; `options` are Altair's."""
    return alt.Axis(
        labelExpr=SPLIT,
        labelOffset=centred(names, size),
        labelLimit=0,
        labelOverlap=False,
        ticks=False,
        domain=False,
        **options,
    )


def panel_title(title: str, size: Size, *, above: float = 0, left: float = 0) -> alt.TitleParams:
    """The title of one of several panels, from the left edge of the figure, which is `left` of the panel's axis."""
    lines = wrapped(title, size.width - 4 * size.padding, size.text * 1.1 * BOLD)
    return alt.TitleParams(
        text=lines, anchor="start", fontSize=size.text * 1.1, offset=5 + above, frame="group", dx=-left
    )


def name_room(names: Sequence[str], size: Size) -> float:
    """Room for names on the left, at most almost half of the figure."""
    longest = max((text_width(name, size.text) for name in names), default=size.text)
    return min(longest + 0.5, 0.45 * size.width)  # so that rounding does not break the longest name


def up_to_one(rows: Sequence[ChartRow]) -> tuple[float, float]:
    """The range of measures that are at most 1 and mostly above 0: from a little below the least of these rows.

    >>> up_to_one([{"value": 0.4, "low": -0.2}, {"value": None}])
    (-0.25, 1.03)
    """
    ends = [number_of(row, key) for row in rows for key in ("value", "low")]
    return min([0.0, *(number for number in ends if number is not None)]) - 0.05, 1.03


def unique(names: Sequence[str]) -> list[str]:
    """Names made unique, so that equal names remain separate rows."""
    seen: dict[str, int] = {}
    answer = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        answer.append(name + "\u200b" * (seen[name] - 1))
    return answer


def _text(value: float, *, percent: bool, digits: int) -> str:
    if percent:
        return f"{100 * value:.0f}%"
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")


def padded(values: Sequence[float]) -> tuple[float, float]:
    """The range of the values with some padding, also around a single value.

    >>> padded([0.0, 1.0])
    (-0.05, 1.05)
    """
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    air = 0.05 * (high - low) or 0.05
    return low - air, high + air
