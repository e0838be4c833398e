"""A sheet of all figures in both sizes of a paper and as on pages, light and dark: `make pictures`.

Writes .state/figures/index.html, for someone to look at. Tests do not run this: it makes a file and checks nothing.
"""

import base64
import html
import re

import pytest
import vl_convert
from django.db import transaction

from metaeval import figures
from metaeval.analyses.base.registry import analyses
from tests.conftest import ROOT
from tests.metaeval.analyses.test_all import CASES, few, known
from tests.metaeval.figures.measuring import DARK_PAPER, ON_DARK

pytestmark = pytest.mark.django_db

SHEET = ROOT / ".state" / "figures" / "index.html"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>All figures</title><style>
body{font:15px/1.45 "DejaVu Sans",sans-serif;margin:2rem;background:#d8dce2;color:#1c2430}
section{margin:0 0 3rem}img{vertical-align:top;margin:0 1rem 1rem 0;box-shadow:0 1px 4px #0004}
figcaption{max-width:60rem;margin:.4rem 0}code{background:#fff8;padding:0 .3em}
</style><h1>All figures</h1>
<p>In one column of a paper (84 mm), in two (175 mm), and as on pages, light and dark.</p>
"""


def test_sheet() -> None:
    SHEET.parent.mkdir(parents=True, exist_ok=True)
    parts = [PAGE]
    for name, kind in CASES:
        entry = analyses.get(name)
        with transaction.atomic():  # every case makes the same study
            result = known(name, kind)
            transaction.set_rollback(True)
        parts += [_section(entry, figure, result, kind) for figure in few(entry.figure_names(result))]
    SHEET.write_text("".join(parts), encoding="utf-8")


def _section(entry, figure, result, kind) -> str:
    """A figure in every size; the dark one has the colours that the pages give it."""
    charts = {size: entry.draw(figure, result, size=size) for size in figures.SIZES}
    words = figures.words_of(charts["two"])
    pictures = [_picture(figures.image(charts[size], "svg"), words.alt) for size in ("one", "two", "screen")]
    pictures.append(_picture(_dark(charts["screen"]), words.alt))
    return (
        f"<section><h2>{html.escape(entry.title)}: <code>{figure}</code> ({kind})</h2>"
        f"<figure>{''.join(pictures)}<figcaption>{html.escape(words.caption)}</figcaption></figure></section>"
    )


def _dark(chart) -> bytes:
    spec = chart.to_dict()
    spec["config"]["background"] = DARK_PAPER
    text = vl_convert.vegalite_to_svg(spec)
    for light, dark in ON_DARK.items():
        text = re.sub(light, dark, text)
    return text.replace('stroke="white"', f'stroke="{DARK_PAPER}"').encode()


def _picture(svg: bytes, alt: str) -> str:
    data = base64.b64encode(svg).decode()
    return f'<img alt="{html.escape(alt)}" src="data:image/svg+xml;base64,{data}">'
