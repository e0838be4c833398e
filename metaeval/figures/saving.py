"""Charts as files, without a browser and without the network: pictures, their words, and the rows of their marks."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import escape

from annotations.exporting.spreadsheets import csv_lines
from annotations.ground.bounds import RENDERED, refuse_too_much
from metaeval.figures.captions import PANELS, joined, words_of

if TYPE_CHECKING:
    from altair.typing import ChartType as Chart

Format = Literal["json", "svg", "png", "pdf", "csv", "txt"]
FORMATS: tuple[Format, ...] = ("svg", "png", "pdf", "json", "csv", "txt")
IMAGES = frozenset({"svg", "png", "pdf"})

POINTS_PER_INCH = 72
DOTS_PER_INCH = 300
"""The resolution of a PNG, as required by printers, unless it would have more than `MOST_PIXELS`."""
MOST_PIXELS = 40_000_000
"""The most pixels of a PNG, four times an A4 page's: a chart has a row for each system, however many there are, and
somebody is waiting while a web server holds four bytes for each pixel."""
_BOUNDS = RENDERED["chart"]
_REMEDY = "Download its data (csv) or its specification (json) instead, or analyse fewer systems."
SIZE = re.compile(r'<svg [^>]*?\bwidth="([0-9.]+)"[^>]*?\bheight="([0-9.]+)"')

PANEL = "panel"
Spec = Mapping[str, Any]


def save(chart: Chart, path: Path) -> list[Path]:
    """Write the chart in the format of the file's extension and, beside a picture, its caption as a text file of the
    same name. Returns the files; ValueError for other extensions."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        msg = f"{path.name} does not end in one of {', '.join('.' + name for name in FORMATS)}"
        raise ValueError(msg)
    path.write_bytes(image(chart, kind))
    if kind not in IMAGES:
        return [path]
    beside = path.with_suffix(".txt")
    beside.write_bytes(image(chart, "txt"))
    return [path, beside]


def image(chart: Chart, kind: str) -> bytes:
    """The chart in one of the `FORMATS`: a picture in its natural size, in which a pixel of the chart is a point on
    paper (72 per inch); its specification; its data; or its caption and alternative text."""
    if kind == "txt":
        return words_of(chart).as_text().encode()
    spec = chart.to_dict()
    if kind == "json":
        return (json.dumps(spec, indent=2, ensure_ascii=False) + "\n").encode()
    if kind == "csv":
        return as_csv(spec).encode()
    if kind in IMAGES:
        drawn = _drawn(spec, kind)
        refuse_too_much("The picture", len(drawn), _BOUNDS.most_out, "bytes", remedy=_REMEDY)
        return drawn
    msg = f"{kind!r} is not one of {', '.join(FORMATS)}"
    raise ValueError(msg)


def _drawn(spec: dict[str, Any], kind: str) -> bytes:
    """A picture of a specification that is not too large to be drawn while somebody waits. Raises TooMuchToRender."""
    refuse_too_much("The chart", len(json.dumps(spec)), _BOUNDS.most_in, "characters", remedy=_REMEDY)
    import vl_convert  # takes most of a second to import

    if kind == "svg":
        return _svg(vl_convert.vegalite_to_svg(spec), spec).encode()
    if kind == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec))
    drawn = vl_convert.vegalite_to_svg(spec)
    return bytes(vl_convert.svg_to_png(drawn, ppi=_resolution(drawn)))


def _resolution(drawn: str) -> float:
    """The pixels per inch of a picture drawn in points, within `MOST_PIXELS`.

    >>> round(_resolution('<svg class="marks" width="600" height="400">'))
    300
    >>> round(_resolution('<svg class="marks" width="700" height="22000">'))
    116
    """
    match = SIZE.search(drawn)
    points = float(match[1]) * float(match[2]) if match else 0.0
    return min(DOTS_PER_INCH, POINTS_PER_INCH * math.sqrt(MOST_PIXELS / points)) if points else DOTS_PER_INCH


def _svg(drawn: str, spec: dict[str, Any]) -> str:
    """The SVG in points, with a name and a description for screen readers."""
    in_points = re.sub(r'(width|height)="([0-9.]+)"', r'\1="\2pt"', drawn, count=2)
    title = escape(str(spec.get("usermeta", {}).get("title", "")))
    description = escape(str(spec.get("description", "")))
    labels = f"<title>{title}</title><desc>{description}</desc>"
    return re.sub(r"<svg ([^>]*)>", lambda tag: f'<svg role="img" {tag[1]}>{labels}', in_points, count=1)


def as_csv(spec: Spec) -> str:
    """The rows of all marks that have a tooltip, under the names of its fields; if there are none, of all marks.

    With several panels, the first column names the panel. Undefined values are empty, and no text can run as a formula
    in a spreadsheet.
    """
    marks = [(panel, mark) for panel, mark in _marks(spec, "") if _values(mark, spec)]
    pointed = [(panel, mark) for panel, mark in marks if "tooltip" in mark.get("encoding", {})]
    rows: dict[tuple[tuple[str, object], ...], None] = {}
    for panel, mark in pointed or marks:
        fields = _fields(mark)
        for row in _values(mark, spec):
            cells = {key: _plain(value) for key, value in row.items() if not fields or key in fields}
            rows[tuple({PANEL: panel, **cells}.items())] = None
    columns = list(dict.fromkeys(key for row in rows for key, _ in row))
    if len({dict(row)[PANEL] for row in rows}) < 2:
        columns = [column for column in columns if column != PANEL]
    return "".join(csv_lines(columns, ([dict(row).get(column) for column in columns] for row in rows)))


def _marks(view: Spec, panel: str) -> Iterator[tuple[str, Spec]]:
    """Every view with a mark, and the name of its panel; data and encodings are inherited."""
    for kind in PANELS:
        for place, inner in enumerate(view.get(kind, []), start=1):
            yield from _marks(inner, " / ".join(filter(None, (panel, _name(inner, place)))))
    for layer in view.get("layer", []):
        down = {key: view[key] for key in ("data", "encoding") if key in view}
        yield from _marks({**down, **layer}, panel)
    if "mark" in view:
        yield panel, view


def _name(view: Spec, place: int) -> str:
    """A panel's title, else that of its axis, else its position."""
    title = view.get("title")
    text = title.get("text") if isinstance(title, dict) else title
    return joined(text) or _axis_title(view) or str(place)


def _axis_title(view: Spec) -> str:
    own = view.get("encoding", {}).get("x", {}).get("title")
    return joined(own) or next(filter(None, map(_axis_title, view.get("layer", []))), "")


def _fields(mark: Spec) -> set[str]:
    tips = mark.get("encoding", {}).get("tooltip", [])
    tips = tips if isinstance(tips, list) else [tips]
    return {str(tip["field"]) for tip in tips if "field" in tip}


def _values(mark: Spec, spec: Spec) -> Sequence[Mapping[str, object]]:
    data = mark.get("data") or spec.get("data") or {}
    rows = data.get("values") or spec.get("datasets", {}).get(data.get("name", ""), [])
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _plain(value: object) -> object:
    """The value without zero-width characters, which keep equal names apart, and without line breaks."""
    return value.replace("\u200b", "").replace("\n", " ") if isinstance(value, str) else value
