"""Charts of results: one file a chart, plain result in, Altair chart out. No database, no computing."""

from metaeval.figures.registry import SIZES, Figure, Size, UnknownFigureError, draw, figure, names
from metaeval.figures.saving import FORMATS, image, save

__all__ = ["FORMATS", "SIZES", "Figure", "Size", "UnknownFigureError", "draw", "figure", "image", "names", "save"]
