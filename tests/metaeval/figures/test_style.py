"""The colours of figures have a twin on dark pages."""

import re

from metaeval.figures import style
from tests.conftest import ROOT
from tests.metaeval.figures.measuring import DARK_PAPER, ON_DARK


def test_the_pages_know_every_colour_that_changes_in_the_dark():
    text = (ROOT / "frontend/src/components/chart/look.ts").read_text()
    known = dict(re.findall(r'\["(#[0-9a-f]{6})", "(#[0-9a-f]{6})"\]', text))
    assert known == ON_DARK
    assert f'"{DARK_PAPER}"' in text
    assert style.ON_COLOUR not in known
    assert not known.keys() & set(style.HUES)


def test_colours_can_be_told_apart_in_grey_or_by_shape():
    hues, shapes = style.looks(style.MOST_LOOKS)
    assert len(set(zip(hues, shapes, strict=True))) == style.MOST_LOOKS
    assert len(set(shapes[: len(style.HUES)])) == len(style.HUES)


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_words_can_be_read_on_paper_and_on_dark_pages():
    for colour in (style.INK, style.SOFT, style.WARNING):
        assert contrast(colour, "#ffffff") >= 4.5
        assert contrast(ON_DARK[colour], DARK_PAPER) >= 4.5
    assert contrast(style.ON_COLOUR, style.EMPTY) >= 4.5
    assert contrast(style.ON_COLOUR, ON_DARK[style.EMPTY]) >= 4.5
