"""Charts as files, without a browser and without the network."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from altair.typing import ChartType as Chart

Format = Literal["json", "svg", "png", "pdf"]
FORMATS: tuple[Format, ...] = ("svg", "png", "pdf", "json")

DOTS_PER_INCH = 300
"""Of a PNG: what printers ask for."""


def save(chart: Chart, path: Path) -> None:
    """Write the chart in the format that the file's name ends in; ValueError for another."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        msg = f"{path.name} does not end in one of {', '.join('.' + name for name in FORMATS)}"
        raise ValueError(msg)
    path.write_bytes(image(chart, kind))


def image(chart: Chart, kind: str) -> bytes:
    """The chart in one of the `FORMATS`, in its natural size: a pixel of the chart is a point of paper (72 an inch)."""
    import vl_convert  # takes most of a second to import

    spec = chart.to_dict()
    if kind == "json":
        return (json.dumps(spec, indent=2, ensure_ascii=False) + "\n").encode()
    if kind == "svg":
        svg = re.sub(r'(width|height)="([0-9.]+)"', r'\1="\2pt"', vl_convert.vegalite_to_svg(spec), count=2)
        return svg.encode()
    if kind == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec))
    if kind == "png":
        return bytes(vl_convert.vegalite_to_png(spec, ppi=DOTS_PER_INCH))
    msg = f"{kind!r} is not one of {', '.join(FORMATS)}"
    raise ValueError(msg)
