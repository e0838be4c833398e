"""Pictures of every state of an expert's pages, for the documentation: `make pictures`.

Writes docs/images/expert-<state>-<width>.webp. Tests do not run this: it makes files, and promises nothing.
"""

import io

import pytest
from PIL import Image

from tests.browser.conftest import LAPTOP, PHONE, Look, OpenPage
from tests.browser.study import BrowserStudy
from tests.browser.tour import ALL, WITHOUT_PICTURE, tour
from tests.conftest import ROOT

IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 60_000
COLOURS = (128, 64, 32, 16)


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_pictures(open_page: OpenPage, study: BrowserStudy, look: Look) -> None:
    study.study.title = "Areas of law"
    study.study.save()
    made = []

    for name, page in tour(open_page, study, look):
        if name in WITHOUT_PICTURE:
            continue
        page.evaluate("() => document.activeElement?.blur?.()" if name in {"step-1", "practice"} else "() => 0")
        page.wait_for_timeout(300)  # dialogs fade in
        (IMAGES / f"expert-{name}-{look.width}.webp").write_bytes(small(page.screenshot()))
        made.append(name)
    assert made == list(ALL)


def small(png: bytes) -> bytes:
    """The same picture without loss, but of a few colours: text has hard edges, which lossy pictures blur."""
    for colours in COLOURS:
        with Image.open(io.BytesIO(png)) as taken:
            few = taken.convert("RGB").quantize(colours, dither=Image.Dither.NONE).convert("RGB")
        file = io.BytesIO()
        few.save(file, "WEBP", lossless=True, method=6)
        if file.tell() <= MOST_BYTES:
            return file.getvalue()
    raise AssertionError(f"the picture has {file.tell():,} bytes even with {COLOURS[-1]} colours")
