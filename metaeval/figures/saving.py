"""Charts as files, without a browser and without the network."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import escape

from metaeval.figures.captions import words_of
from metaeval.figures.data import as_csv

if TYPE_CHECKING:
    from altair.typing import ChartType as Chart

Format = Literal["json", "svg", "png", "pdf", "csv", "txt"]
FORMATS: tuple[Format, ...] = ("svg", "png", "pdf", "json", "csv", "txt")
IMAGES = frozenset({"svg", "png", "pdf"})

DOTS_PER_INCH = 300
"""The resolution of a PNG, as required by printers."""


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
    import vl_convert  # takes most of a second to import

    if kind == "svg":
        return _svg(vl_convert.vegalite_to_svg(spec), spec).encode()
    if kind == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec))
    if kind == "png":
        return bytes(vl_convert.vegalite_to_png(spec, ppi=DOTS_PER_INCH))
    msg = f"{kind!r} is not one of {', '.join(FORMATS)}"
    raise ValueError(msg)


def _svg(drawn: str, spec: dict[str, Any]) -> str:
    """The SVG in points, with a name and a description for screen readers."""
    in_points = re.sub(r'(width|height)="([0-9.]+)"', r'\1="\2pt"', drawn, count=2)
    title = escape(str(spec.get("usermeta", {}).get("title", "")))
    description = escape(str(spec.get("description", "")))
    said = f"<title>{title}</title><desc>{description}</desc>"
    return re.sub(r"<svg ([^>]*)>", lambda tag: f'<svg role="img" {tag[1]}>{said}', in_points, count=1)
