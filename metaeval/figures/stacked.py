"""Rows of counts that add up: one bar per row, one colour per part, the count in it if it fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.dots import BREAK, MOST_LINES, TOP_OF_PAGE, axis_of_names, name_room, unique
from metaeval.figures.rows import ChartRow, InlineRows, Value, text_of
from metaeval.figures.sizes import Size, text_width, wrapped
from metaeval.figures.style import ON_COLOUR, legend_columns

TOLD = 10
"""Bars mentioned in the alternative text."""


def stacked_bars(
    rows: Sequence[ChartRow],
    parts: Mapping[str, tuple[str, str]],
    *,
    size: Size,
    x_title: str,
) -> tuple[Chart, list[str]]:
    """The bars, and a note on what did not fit. `rows` have a `name` and a count for each of the parts; each part has a
    title and a colour, in order."""
    every = [text_of(row, "name") for row in rows]
    room = name_room(every, size)
    lines = [wrapped(name, room, size.text, most=MOST_LINES) for name in every]
    step = max(size.text * 1.8, max(map(len, lines), default=1) * size.text * 1.25 + 2)
    above = 2 * size.text if size.is_paper else TOP_OF_PAGE
    fit = int((size.height - above - 2 * size.padding - size.text * 7) / step)
    names = unique([BREAK.join(parts_of_name) for parts_of_name in lines[:fit]])
    width = int(size.width - room - 2 * size.padding - 6 - size.text * 0.8)
    most = max((sum(_counts(row, parts)) for row in rows[:fit]), default=1) or 1
    data = [
        datum
        for name, row in zip(names, rows[:fit], strict=True)
        for datum in _pieces(name, _counts(row, parts), parts, size, most=most, width=width)
    ]
    titles = [title for title, _ in parts.values()]
    y = alt.Y("name:N", sort=names, title=None, axis=axis_of_names(names, size))
    scale = alt.Scale(domain=[0, most], nice=False)
    base = alt.Chart(InlineRows(values=data))
    legend = alt.Legend(title=None, labelLimit=0, columns=legend_columns(titles, width, size))
    bars = base.mark_bar(stroke="white", strokeWidth=0.6).encode(
        x=alt.X("start:Q", title=x_title, scale=scale, axis=alt.Axis(tickMinStep=1, format=",d")),
        x2="end:Q",
        y=y,
        color=alt.Color(
            "part:N",
            scale=alt.Scale(domain=titles, range=[colour for _, colour in parts.values()]),
            legend=legend,
        ),
        tooltip=["name:N", "part:N", "count:Q"],
    )
    words = [
        base.transform_filter(f"datum.light == {str(light).lower()}")
        .mark_text(fontSize=size.letters(0.95), color=ON_COLOUR if light else "white")
        .encode(x=alt.X("middle:Q", scale=scale), y=y, text="text:N")
        for light in (True, False)
    ]
    chart: Chart = alt.layer(bars, *words).properties(
        width=width, height=alt.Step(step), description=_in_words(rows[:fit], parts, x_title)
    )
    left_out = [f"The first {fit} of {len(rows)}; the tables have all."] if fit < len(rows) else []
    return chart, left_out


def _in_words(rows: Sequence[ChartRow], parts: Mapping[str, tuple[str, str]], what: str) -> str:
    bars = [
        f"{text_of(row, 'name')}: "
        + ", ".join(f"{title} {count:,}" for (title, _), count in zip(parts.values(), _counts(row, parts), strict=True))
        for row in rows[:TOLD]
    ]
    more = [f"and {len(rows) - TOLD} more"] if len(rows) > TOLD else []
    return f"{what}. {'; '.join([*bars, *more])}"


def _counts(row: ChartRow, parts: Mapping[str, tuple[str, str]]) -> list[int]:
    return [int(row[part] or 0) for part in parts]


def _pieces(
    name: str, counts: Sequence[int], parts: Mapping[str, tuple[str, str]], size: Size, *, most: int, width: int
) -> Iterator[dict[str, Value]]:
    """The parts of one bar, in order; a count of `most` takes the whole `width`."""
    start = 0
    for count, (title, colour) in zip(counts, parts.values(), strict=True):
        text = f"{count:,}"
        fits = count / most * width > text_width(text, size.text) + 4
        yield {
            "name": name,
            "part": title,
            "count": count,
            "start": start,
            "end": start + count,
            "middle": start + count / 2,
            "text": text if fits else "",
            "light": is_light(colour),
        }
        start += count


def is_light(colour: str) -> bool:
    """Whether dark letters are easier to read on it.

    >>> is_light("#ffffff"), is_light("#0072b2")
    (True, False)
    """
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue > 150
