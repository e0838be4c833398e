"""The words of a figure, in one place: its caption, and its description for people who cannot see it.

A drawing function puts both into its chart: the chart's title and subtitle are the caption, and the `description` of
each panel says what can be seen there. A figure without descriptions, such as one from an external package, is
described by its caption; one without a title, by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metaeval.figures.sizes import Size, sentence

if TYPE_CHECKING:
    from altair.typing import ChartType as Chart

SIMULATED = "Simulated data: these numbers say nothing about real people."
LONGEST_ALT = 1200
PANELS = ("vconcat", "hconcat", "concat")


@dataclass(frozen=True)
class FigureWords:
    """The words of a figure: its title, the caption with all notes, and its alternative text."""

    title: str
    caption: str
    alt: str

    def as_text(self) -> str:
        """The content of the text file beside a figure."""
        return f"{self.caption}\n\nAlternative text: {self.alt}\n"


def name_in_words(name: str) -> str:
    """The title of a figure that has none, from its name.

    >>> name_in_words("example_bars")
    'Example bars'
    """
    return name.replace("_", " ").capitalize()


def words_of(chart: Chart) -> FigureWords:
    """The words of a figure that `draw` made."""
    meta = chart.usermeta if isinstance(chart.usermeta, dict) else {}
    return FigureWords(*(str(meta.get(key, "")) for key in ("title", "caption", "alt")))


def with_words(chart: Chart, *, name: str, size: Size, is_simulated: bool) -> Chart:
    """The chart with its words where every format finds them.

    On paper, the caption is beside the figure, so its title is removed; simulated data are marked in both.
    """
    title, notes = _title_and_notes(chart)
    title = title or name_in_words(name.partition("-")[0])
    caption = " ".join([sentence(title), *([SIMULATED] if is_simulated else []), *([notes] if notes else [])])
    seen = " ".join(sentence(description) for description in _descriptions(chart))
    alt = f"{sentence(title)} {seen}" if seen else caption
    alt = alt if len(alt) <= LONGEST_ALT else f"{alt[: LONGEST_ALT - 1]}…"
    drawn = _for_paper(chart) if size.is_paper else chart
    drawn = _marked(drawn, size) if is_simulated else drawn
    meta = {"title": title, "caption": caption, "alt": alt, "size": size.name, "width": size.width}
    answer: Chart = drawn.properties(description=alt, usermeta=meta)
    return answer


def _title_and_notes(chart: Chart) -> tuple[str, str]:
    from altair import TitleParams

    title = chart.title
    if isinstance(title, TitleParams):
        return joined(title.text), joined(title.subtitle)
    return joined(title), ""


def joined(lines: Any) -> str:
    if isinstance(lines, str):
        return lines
    return " ".join(map(str, lines)) if isinstance(lines, list) else ""


def _descriptions(chart: Chart) -> Iterator[str]:
    """The panels' descriptions, in order."""
    if isinstance(chart.description, str):
        yield chart.description
        return
    for kind in PANELS:
        for panel in getattr(chart, kind, None) or []:
            yield from _descriptions(panel)


def _for_paper(chart: Chart) -> Chart:
    from altair import Undefined

    answer: Chart = chart.copy(deep=False)
    answer.title = Undefined
    return answer


def _marked(chart: Chart, size: Size) -> Chart:
    """The chart with a note above everything that the data are simulated."""
    import altair as alt

    from metaeval.figures.style import WARNING

    mark = alt.TitleParams(
        text=SIMULATED, color=WARNING, fontSize=size.text, fontWeight="normal", anchor="start", offset=8
    )
    if chart.title is alt.Undefined:
        marked: Chart = chart.properties(title=mark)
        return marked
    inner = chart.copy(deep=False)
    config, inner.config = inner.config, alt.Undefined
    outer: Chart = alt.vconcat(inner).properties(title=mark)
    outer.config = config
    return outer
