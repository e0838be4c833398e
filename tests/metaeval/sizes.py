"""The sizes in which figures are drawn: the narrowest in every run, the others in the long tier."""

import pytest

from metaeval import figures

NARROWEST = min(figures.SIZES.values(), key=lambda size: size.width)
EVERY_SIZE = pytest.mark.parametrize(
    "size",
    [pytest.param(size, marks=() if size is NARROWEST else pytest.mark.long) for size in figures.SIZES.values()],
    ids=lambda size: size.name,
)
