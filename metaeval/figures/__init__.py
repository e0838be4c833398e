"""Charts of results: one file per chart, plain result in, Altair chart out. No database, no computing."""

from metaeval.figures.captions import FigureWords, words_of
from metaeval.figures.registry import Figure, draw, figure, names, names_in, titles
from metaeval.figures.saving import FORMATS, image, save
from metaeval.figures.sizes import SIZES, Size

__all__ = [
    "FORMATS",
    "SIZES",
    "Figure",
    "FigureWords",
    "Size",
    "draw",
    "figure",
    "image",
    "names",
    "names_in",
    "save",
    "titles",
    "words_of",
]
