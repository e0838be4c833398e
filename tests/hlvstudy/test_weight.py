"""What comes over the line before an expert can read is small, and holds nothing that only researchers need."""

import gzip
import re
from collections import Counter

import pytest

from tests.conftest import ROOT, missing

DIST = ROOT / "frontend" / "dist"
MOST = 150_000  # bytes, compressed; tests/benchmarks/pages.py measures what that means in seconds


@pytest.fixture(scope="module")
def scripts() -> dict[str, bytes]:
    """Every script that index.html names, and whatever these import at once."""
    if not (DIST / "index.html").is_file():
        missing("the built pages (`make frontend`)")
    waiting = re.findall(r'(?:src|href)="/static/([^"]+\.js)"', (DIST / "index.html").read_text())
    found: dict[str, bytes] = {}
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = (DIST / name).read_bytes()
            imported = re.findall(rb'(?:from|import)\s*"\./([^"]+\.js)"', found[name])
            waiting += [f"assets/{one.decode()}" for one in imported]
    return found


def test_the_scripts_of_an_experts_first_text_are_less_than_150_kb_compressed(scripts: dict[str, bytes]) -> None:
    sizes = {name: len(gzip.compress(script, 9)) for name, script in scripts.items()}
    # Step 1 is among them, else the first text would wait for more than this.
    assert any(b"Type to find a label" in script for script in scripts.values())
    assert sum(sizes.values()) < MOST, sizes


def test_charts_come_apart(scripts: dict[str, bytes]) -> None:
    everything = {path.name: path.read_bytes() for path in (DIST / "assets").glob("*.js")}
    with_charts = {name for name, script in everything.items() if b"vega" in script}
    assert with_charts  # else this would look for nothing
    assert not {name for name in scripts if name.removeprefix("assets/") in with_charts}


MOST_OF_RESEARCHERS = 400_000
"""Bytes, compressed: whatever page of a researcher comes first, with all that it fetches but the charts."""
WORDS = re.compile(r"words-(en|de|ar)-(?:first|later|researchers)-.*\.js")
"""A part of a catalogue. English has two here, beside the one in the first script; each other language has three."""


def test_the_scripts_of_any_page_of_a_researcher_are_less_than_400_kb_compressed(scripts: dict[str, bytes]) -> None:
    everything = {path.name: path.read_bytes() for path in (DIST / "assets").glob("*.js")}
    sizes = {name: len(gzip.compress(script, 9)) for name, script in everything.items() if b"vega" not in script}
    words = Counter[str]()
    for name, size in sizes.items():
        if part := WORDS.fullmatch(name):
            words[part[1]] += size
    assert set(words) == {"en", "de", "ar"}
    code = sum(sizes.values()) - words.total()
    # All pages together would do, so whichever comes first does; in the one language that takes the most room.
    assert code + max(words.values()) < MOST_OF_RESEARCHERS, sizes


def test_experts_do_not_fetch_the_words_of_researchers(scripts: dict[str, bytes]) -> None:
    everything = [path.read_bytes() for path in (DIST / "assets").glob("*.js")]
    only_researchers = b"The datasets could not be loaded"
    assert any(only_researchers in script for script in everything)  # else this would look for nothing
    assert not [name for name, script in scripts.items() if only_researchers in script]
