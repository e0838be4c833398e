"""The colours of figures have a twin on dark pages."""

import re

from metaeval.figures import style
from tests.conftest import ROOT


def test_the_pages_know_every_colour_that_changes_in_the_dark():
    text = (ROOT / "frontend/src/components/chart/look.ts").read_text()
    known = set(re.findall(r'\["(#[0-9a-f]{6})", "#[0-9a-f]{6}"\]', text))
    changing = {style.INK, style.SOFT, style.RULE, style.LINE, style.WARNING, style.GROUND, style.EMPTY}
    assert changing <= known
    assert style.ON_COLOUR not in known
    assert not known & set(style.HUES)
