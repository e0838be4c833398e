"""docs/security.md: its table is what a run told, and a row that failed or did not run is never said to hold."""

from pathlib import Path

import pytest

from tests.attacks.page import PAGE, SECTION, outcomes, table, write
from tests.attacks.rows import ROWS

ROOT = Path(__file__).resolve().parents[1]
TEST = "tests/deploy/test_slow_clients.py::test_it"


def told(outcome: str, why: str = "") -> dict[str, object]:
    return {"outcome": outcome, "why": why, "tried": [[200, "slow clients"]]}


def test_the_tests_of_every_row_exist() -> None:
    for row in ROWS:
        for test in row.tests:
            file, _, name = test.partition("::")
            assert name in (ROOT / file).read_text(encoding="utf-8"), test


def test_a_row_holds_only_if_all_its_tests_ran_and_passed() -> None:
    found = [
        outcomes({TEST: told("passed"), f"{TEST}[x]": other}, ROWS[:1])[0]
        for other in (told("passed"), told("failed"), told("skipped", "Skipped: nginx is absent"))
    ]
    assert [one.holds for one in found] == [True, False, False]
    assert found[0].said == "2 of 2 tests pass"
    assert found[1].said == "1 of 2 tests pass; FAILED: test_it[x]"
    assert found[2].said == "1 of 2 tests pass; not run: nginx is absent"
    nothing = outcomes({}, ROWS[:1])[0]
    assert (nothing.holds, nothing.said) == (False, "NOT RUN")


def test_only_the_table_of_the_page_is_written(tmp_path: Path) -> None:
    page = tmp_path / "security.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    section = table(
        outcomes({TEST: told("passed")}), database="SQLite", machine="a machine", command="python -m tests.attacks"
    )
    write(section, page)
    before, after = (SECTION.sub("", one.read_text(encoding="utf-8")) for one in (PAGE, page))
    assert before == after
    assert "| 200 slow clients | 1 of 1 tests pass |" in page.read_text(encoding="utf-8")
    page.write_text("# Security\n", encoding="utf-8")
    with pytest.raises(LookupError, match="no place for the table"):
        write(section, page)
