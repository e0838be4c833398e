"""Rows of counts that add up: one bar a row, a colour a part, the count in it where it fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.dots import name_room, unique
from metaeval.figures.rows import ChartRow, Value, text_of
from metaeval.figures.sizes import Size
from metaeval.figures.style import LETTER, ON_COLOUR


def stacked_bars(
    rows: Sequence[ChartRow],
    parts: Mapping[str, tuple[str, str]],
    *,
    size: Size,
    x_title: str,
) -> Chart:
    """`rows` have a `name` and a count for each of the parts; these have a title and a colour each, in their order."""
    names = unique([text_of(row, "name") for row in rows])
    room = name_room(names, size)
    width = int(size.width - room - 2 * size.padding - 24)
    most = max((sum(_counts(row, parts)) for row in rows), default=1) or 1
    data = [
        datum
        for name, row in zip(names, rows, strict=True)
        for datum in _pieces(name, _counts(row, parts), parts, size, most=most, width=width)
    ]
    titles = [title for title, _ in parts.values()]
    y = alt.Y(
        "name:N",
        sort=names,
        title=None,
        axis=alt.Axis(ticks=False, domain=False, labelLimit=0, labelOverlap=False),
    )
    scale = alt.Scale(domain=[0, most], nice=False)
    base = alt.Chart(alt.InlineData(values=data))
    longest = sum(len(title) + 4 for title in titles) * size.text * LETTER
    legend = alt.Legend(title=None, labelLimit=0, columns=max(1, min(len(titles), int(len(titles) * width / longest))))
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
        .mark_text(fontSize=size.text * 0.95, color=ON_COLOUR if light else "white")
        .encode(x=alt.X("middle:Q", scale=scale), y=y, text="text:N")
        for light in (True, False)
    ]
    chart: Chart = alt.layer(bars, *words).properties(width=width, height=alt.Step(size.text * 1.8))
    return chart


def _counts(row: ChartRow, parts: Mapping[str, tuple[str, str]]) -> list[int]:
    return [int(row[part] or 0) for part in parts]


def _pieces(
    name: str, counts: Sequence[int], parts: Mapping[str, tuple[str, str]], size: Size, *, most: int, width: int
) -> Iterator[dict[str, Value]]:
    """The parts of one bar, one after the other; a count of `most` takes the whole `width`."""
    start = 0
    for count, (title, colour) in zip(counts, parts.values(), strict=True):
        text = f"{count:,}"
        fits = count / most * width > (len(text) + 0.8) * size.text * LETTER
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
