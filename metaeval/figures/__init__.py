"""Charts of results: one file a chart, plain result in, Altair chart out. No database, no computing."""

from metaeval.figures.registry import SIZES, Figure, Size, draw, figure, names
from metaeval.figures.saving import FORMATS, image, save

__all__ = ["FORMATS", "SIZES", "Figure", "Size", "draw", "figure", "image", "names", "save"]
