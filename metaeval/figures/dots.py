"""Rows of values with intervals, named on the left and printed on the right: the shape of most overviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.registry import Size
from metaeval.figures.style import GROUND, INK, LETTER, LINE, PADDING, SOFT, wrapped

BREAK = "\n"
UNDEFINED = "undefined"
BOLD = 1.15
"""How much wider bold letters are."""
SPLIT = "split(datum.label, '\\n')"
"""Names of several lines, as an axis writes them."""


def interval_dots(
    rows: Sequence[Mapping[str, Any]],
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
    room = name_room([*(row["name"] for row in rows), *beside], size)
    undefined = any(row["value"] is None for row in rows)
    right = size.text * LETTER * (len(UNDEFINED) + 1.5 if undefined else 5.5)
    width = int(size.width - room - right - 2 * PADDING - 14)
    names = [BREAK.join(wrapped(row["name"], room, size.text)) for row in rows]
    names = unique(names)
    data = [
        {
            "name": name,
            "value": row["value"],
            "low": row.get("low"),
            "high": row.get("high"),
            "text": UNDEFINED if row["value"] is None else _text(row["value"], percent=percent, digits=digits),
        }
        for name, row in zip(names, rows, strict=True)
    ]
    known = [row[key] for row in data for key in ("value", "low", "high") if row[key] is not None]
    low, high = domain or padded([*known, *([] if rule_at is None else [rule_at])])
    lines = max((name.count(BREAK) + 1 for name in names), default=1)
    step = max(size.text * 1.55, lines * size.text * 1.3 + 2)
    y = alt.Y(
        "name:N",
        sort=names,
        scale=alt.Scale(type="band", padding=0) if bands else alt.Undefined,
        title=y_title or None,
        axis=alt.Axis(
            labelExpr=SPLIT,
            labelOffset=centred(names, size),
            labelLimit=0,
            labelOverlap=False,
            ticks=False,
            domain=False,
        ),
    )
    x_axis = alt.Axis(format="%") if percent else alt.Axis()
    x_words = wrapped(x_title, width + right, size.text * 1.09)
    x = alt.X("value:Q", title=x_words, axis=x_axis, scale=alt.Scale(domain=[low, high], nice=False, zero=False))
    base = alt.Chart(alt.InlineData(values=data))
    layers: list[Any] = [
        base.transform_filter("isValid(datum.low)")
        .mark_rule(color=LINE, strokeWidth=max(1.2, size.text * 0.16), opacity=0.55)
        .encode(x=alt.X("low:Q", title=x_words, axis=x_axis, scale=alt.Scale(domain=[low, high])), x2="high:Q", y=y),
        base.transform_filter("isValid(datum.value)")
        .mark_point(filled=True, color=LINE, size=size.text * 4.4, opacity=1)
        .encode(x=x, y=y, tooltip=[alt.Tooltip("name:N", title="Row"), alt.Tooltip("value:Q", format=".4f")]),
        base.mark_text(align="left", fontSize=size.text, color=INK, dx=5).encode(
            x=alt.value(width), y=y, text="text:N"
        ),
    ]
    if bands:
        grey = [{"name": name} for name, band in zip(names, bands, strict=True) if band % 2]
        ground = alt.Chart(alt.InlineData(values=grey)).mark_rect(color=GROUND)
        layers.insert(0, ground.encode(x=alt.value(0), x2=alt.value(width), y=y))
    if rule_at is not None and low < rule_at < high:
        line = alt.Chart(alt.InlineData(values=[{"at": rule_at}])).mark_rule(color=SOFT, strokeDash=[3, 3])
        layers.insert(0, line.encode(x=alt.X("at:Q", scale=alt.Scale(domain=[low, high]))))
    chart: Chart = alt.layer(*layers).properties(width=width, height=alt.Step(step))
    if title:
        chart = chart.properties(title=panel_title(title, size))
    return chart


def centred(names: Sequence[str], size: Size) -> Any:
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
    lines = wrapped(title, size.width - 4 * PADDING, size.text * 1.15 * BOLD)
    return alt.TitleParams(text=lines, anchor="start", fontSize=size.text * 1.15, offset=5, frame="bounds")


def name_room(names: Sequence[str], size: Size) -> float:
    """Room for names on the left, at most nearly half of the figure."""
    longest = max((len(name) for name in names), default=1) * size.text * LETTER
    return min(longest + 0.01, 0.45 * size.width)  # so that rounding does not break the longest name


def up_to_one(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """The range of measures that are at most 1 and mostly above 0: from a little below the least of these rows.

    >>> up_to_one([{"value": 0.4, "low": -0.2}, {"value": None}])
    (-0.25, 1.03)
    """
    known = [row[key] for row in rows for key in ("value", "low") if row.get(key) is not None]
    return min([0.0, *known]) - 0.05, 1.03


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
