"""Charts of results: one file a chart, plain result in, Altair chart out. No database, no computing."""

from metaeval.figures.registry import Figure, UnknownFigureError, draw, figure, names
from metaeval.figures.saving import FORMATS, save

__all__ = ["FORMATS", "Figure", "UnknownFigureError", "draw", "figure", "names", "save"]
