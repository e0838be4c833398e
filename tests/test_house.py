"""The house keeps its walls: no circles, one name per class, results with types, and counts that are true."""

import configparser
import re
from pathlib import Path

import pytest

from tests.house import LOOSE_PLACES, PACKAGES, ROOT, House, page

SAYS_NOTHING = {"running", "judged", "passes", "bulk", "rest", "utils", "helpers", "misc", "common"}
"""Names of modules that do not say what is in them."""
MOST_LOOSE = 10


@pytest.fixture(scope="module")
def house():
    return House(ROOT)


def test_no_file_imports_itself_by_way_of_others(house):
    assert house.circles == []


def test_no_two_classes_have_one_name(house):
    assert house.classes_named_twice() == []


def test_the_name_of_a_module_says_what_is_in_it(house):
    files = [path.relative_to(ROOT) for place in PACKAGES for path in house.files(place)]
    files += [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py")]
    assert [str(path) for path in files if path.stem in SAYS_NOTHING or path.stem.endswith("_words")] == []
    assert [str(path) for path in files if path.stem == path.parent.name and path.stem != "__init__"] == []


def test_the_library_may_use_the_ground_and_nothing_else_of_collecting():
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    forbidden = contracts["importlinter:contract:library"]["forbidden_modules"].split()
    rooms = {
        f"annotations.{path.stem}"
        for path in (ROOT / "annotations").iterdir()
        if (path.suffix or ".py") == ".py" and path.name[0] != "_"
    }
    assert rooms - {"annotations.ground"} <= set(forbidden)


def test_results_have_types_and_what_is_left_can_be_counted_on_two_hands(house):
    assert sum(house.loose(place) for place in LOOSE_PLACES) < MOST_LOOSE


def test_the_counts_of_the_documentation_are_true(house):
    written = (ROOT / "docs" / "reference" / "house.md").read_text(encoding="utf-8")
    assert written == page(house), "run: make reference"


def test_code_cites_only_what_is_in_the_repository(house):
    cited = re.compile(r"\b(?:DESIGN|METRICS|STACK|TRAINING|WORDS|EXAMPLES)(?:\.md\b| section)")
    tests = sorted((ROOT / "tests").rglob("*.py"))
    files = [
        *tests,
        *(path for place in PACKAGES for path in house.files(place)),
        *sorted((ROOT / "docs").glob("*.md")),
    ]
    assert [
        str(path) for path in files if path != Path(__file__) and cited.search(path.read_text(encoding="utf-8"))
    ] == []
