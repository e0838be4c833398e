"""Charts as files, without a browser and without the network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from altair.typing import ChartType as Chart

Format = Literal["json", "svg", "png", "pdf"]
FORMATS: tuple[Format, ...] = ("svg", "png", "pdf", "json")


def save(chart: Chart, path: Path) -> None:
    """Write the chart in the format that the file's name ends in; ValueError for another."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        msg = f"{path.name} does not end in one of {', '.join('.' + name for name in FORMATS)}"
        raise ValueError(msg)
    chart.save(str(path), format=kind, scale_factor=2 if kind == "png" else 1)
