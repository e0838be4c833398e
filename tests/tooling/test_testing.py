"""What `make test` and `make test-long` choose, what they note down, and how they judge it."""

import os
import re
import subprocess
import sys
import time
from functools import partial

import pytest
from _pytest.mark.expression import Expression

from metaeval.training.extra import PACKAGES
from tests import tiers
from tests.metaeval.training.needing import torch_here
from tests.records import ENDING
from tests.tiers import HERE, is_left_out, is_transactional, needs_a_database, turns
from tests.tooling import budget, testing
from tests.tooling.prepare import ROOT

EVERY_FILE = [path for path in HERE.rglob("test_*.py") if "benchmarks" not in path.parts]
SUITES = testing.suites
PASSES = "def test_it():\n    pass\n"
FAILS = "def test_it():\n    assert not 'a reason'\n"
UNSTEADY = """
from pathlib import Path

def test_it():
    before = Path(__file__ + '.seen')
    assert before.exists() or before.touch()
"""
HANGS = "import time\ndef test_it():\n    time.sleep(600)\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder of tests that `make test` runs instead of ours."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = long\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-p", "tests.records"]
    monkeypatch.setattr(testing, "PYTEST", command)
    monkeypatch.setattr(testing, "ROOT", tmp_path)
    for name in ("PROCESSES", "PROCESSES_OF_LONG"):
        monkeypatch.setattr(testing, name, 0)
    env = {"PYTHONPATH": str(ROOT), "PATH": os.defpath, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    monkeypatch.setattr(testing, "environment", lambda: env)
    monkeypatch.setattr(testing, "suites", lambda *marks, processes: [testing.Suite("here", "", processes)])
    monkeypatch.setattr(testing, "prepared", lambda: None)
    monkeypatch.setattr(testing, "run_pages", lambda: 0)
    monkeypatch.setattr(testing, "IN_CI", False)  # where both databases must be there
    monkeypatch.setattr(budget, "judge", lambda seconds, loop, whole: False)
    return tmp_path


def test_every_place_that_is_named_exists():
    assert [name for name in (*tiers.SQL, *tiers.ONE_DATABASE, *tiers.HEAVIEST) if not (HERE / name).exists()] == []


@pytest.fixture
def chosen(project, monkeypatch):
    """The databases and marks of the runs that were asked for."""
    runs = []

    def run(suite: testing.Suite, arguments: list[str]) -> testing.Ran:
        runs.append((suite.where.partition(",")[0], suite.marks))
        return testing.Ran(0)

    monkeypatch.setattr(testing, "suites", SUITES)
    monkeypatch.setattr(testing, "answers", lambda url, port: True)
    monkeypatch.setattr(testing, "run", run)
    return runs


MARKED: list[set[str]] = [
    {"long"},
    {"long", "database"},
    {"database", "sql"},
    {"long", "database", "sql"},
    {"database"},
    set(),
]


def runs_of(marks: set[str], chosen: list[tuple[str, str]]) -> list[str]:
    """Where a test with these marks runs."""
    return [where for where, expression in chosen if Expression.compile(expression).evaluate(partial(has, marks))]


def test_both_tiers_together_run_everything_on_sqlite_and_all_that_uses_a_database_on_postgresql(chosen, monkeypatch):
    monkeypatch.setattr(testing, "DEADLINE", float("inf"))
    testing.main(["-q"])
    testing.main_long(["-q"])
    for marks in MARKED:
        runs = runs_of(marks, chosen)
        assert runs.count("SQLite") == 1, marks
        assert runs.count("PostgreSQL") == ("database" in marks), marks


def test_where_ci_has_not_the_time_for_both_each_test_still_runs(chosen, monkeypatch):
    monkeypatch.setattr(testing, "DEADLINE", time.time() + testing.BOTH_SECONDS - 1)
    testing.main_long(["-q"])
    assert runs_of({"long"}, chosen) == ["SQLite"]
    assert runs_of({"long", "database"}, chosen) == runs_of({"long", "database", "sql"}, chosen) == ["PostgreSQL"]
    assert runs_of({"database"}, chosen) == runs_of({"database", "sql"}, chosen) == runs_of(set(), chosen) == []
    testing.main(["-q"])
    assert [marks for marks in MARKED if not runs_of(marks, chosen)] == []


def has(marks: set[str], name: str, **_: object) -> bool:
    return name in marks


def test_a_test_without_a_database_is_told_by_itself(request):
    assert not request.node.get_closest_marker("database")
    assert not needs_a_database(request.node)


def test_a_test_with_a_database_is_told_from_it(request, db):
    assert needs_a_database(request.node)
    assert not is_transactional(request.node)


def test_a_test_whose_data_others_see_is_told_too(request, transactional_db):
    assert needs_a_database(request.node)
    assert is_transactional(request.node)


def test_a_file_is_left_unread_only_if_none_of_its_tests_would_run(request):
    for item in request.session.items:
        for marks in ("not long", "sql and not long"):
            if HERE in item.path.parents and is_left_out(item.path, marks):
                long, sql = item.get_closest_marker("long"), item.get_closest_marker("sql")
                assert long or ("sql" in marks and not sql), item.nodeid
    assert [path for path in EVERY_FILE if is_left_out(path, "sql and not long")]
    assert not [path for path in EVERY_FILE if is_left_out(path, "long")]


@pytest.mark.training
def test_torch_is_not_loaded_while_pytest_collects():
    torch_here()  # else there is nothing to load
    collect = "pytest.main(['--collect-only', '-qq', 'tests/metaeval/training'])"
    code = f"import pytest, sys; {collect}; print(set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    collected, _, modules = done.stdout.rpartition("{")
    assert "test_pretrained.py" in collected
    assert "'numpy'" in modules
    assert not [name for name in PACKAGES if f"'{name}'" in modules]


def test_what_waits_is_spread_among_what_computes_after_what_is_heaviest(request):
    items = request.session.items
    order = turns(items)
    waiting = {item.path for item in items if is_transactional(item)}
    heaviest = {path for path, (turn, _) in order.items() if turn == 0}
    assert set(order) == {item.path for item in items}
    for group in (waiting - heaviest, set(order) - waiting - heaviest):
        shares = sorted(share for path, (_, share) in order.items() if path in group)
        assert shares == [(place + 0.5) / len(group) for place in range(len(group))]


def test_a_long_file_that_fails_runs_again_alone_and_is_called_unsteady_if_it_passes(project, capfd):
    (project / "test_good.py").write_text(PASSES)
    (project / "test_unsteady.py").write_text(UNSTEADY)
    assert testing.main_long([]) == 0
    assert re.search(r"UNSTEADY: test_unsteady\.py.*here", capfd.readouterr().out)


def test_a_long_file_that_fails_twice_fails(project, capfd):
    (project / "test_good.py").write_text(PASSES)
    (project / "test_bad.py").write_text(FAILS)
    assert testing.main_long([]) == 1
    assert "UNSTEADY" not in capfd.readouterr().out


def test_a_test_of_make_test_has_one_try(project):
    (project / "test_unsteady.py").write_text(UNSTEADY)
    assert testing.main([]) == 1
    assert testing.main([]) == 0


def test_what_cannot_be_collected_or_does_not_end_properly_fails(project, monkeypatch):
    monkeypatch.setattr(testing, "PROCESSES_OF_LONG", 1)
    (project / "test_broken.py").write_text("import nothing_of_this_name\n")
    assert testing.main_long([]) != 0
    (project / "test_broken.py").write_text("import os\ndef test_it():\n    os._exit(3)\n")
    assert testing.main_long([]) != 0


def test_a_run_ends_when_a_test_ends_its_process_and_what_has_not_begun_is_printed(project, monkeypatch, capfd):
    """pytest-xdist 3.8 would start another process and wait for it for ever."""
    monkeypatch.setattr(testing, "PROCESSES_OF_LONG", 1)
    monkeypatch.setattr(testing, "BOTH_SECONDS", 0)
    monkeypatch.setattr(testing, "DEADLINE", time.time() + testing.SECOND_TRIES + 60)
    (project / "test_a.py").write_text(PASSES)
    (project / "test_b.py").write_text("import os\ndef test_it():\n    os._exit(3)\n")
    for name in "cdef":
        (project / f"test_{name}.py").write_text(PASSES)
    assert testing.main_long([]) != 0
    assert time.time() < testing.DEADLINE
    assert {"test_e.py", "test_f.py"} <= set(capfd.readouterr().out.split())


def test_when_ci_has_no_time_left_what_has_not_begun_is_printed_and_fails(project, monkeypatch, capfd):
    for name in "abc":
        (project / f"test_{name}.py").write_text(HANGS)
    monkeypatch.setattr(testing, "SECOND_TRIES", 0)
    monkeypatch.setattr(testing, "BOTH_SECONDS", 10)  # a machine of the usual speed
    monkeypatch.setattr(testing, "DEADLINE", time.time() + 15)
    assert testing.main_long([]) == 1
    assert {"test_b.py", "test_c.py"} <= set(capfd.readouterr().out.split())


def test_what_a_slow_machine_has_no_time_for_is_printed_and_a_failure_there_still_fails(project, monkeypatch, capfd):
    monkeypatch.setattr(testing, "DEADLINE", time.time() + testing.BOTH_SECONDS - 1)
    (project / "test_a.py").write_text(FAILS)
    assert testing.main_long([]) == 1
    (project / "test_a.py").write_text(PASSES)
    for name in "bcd":
        (project / f"test_{name}.py").write_text(HANGS)
    monkeypatch.setattr(testing, "DEADLINE", time.time() + testing.SECOND_TRIES + 20)
    capfd.readouterr()
    assert testing.main_long([]) == 0
    assert {"test_c.py", "test_d.py"} <= set(capfd.readouterr().out.split())


def test_costs_are_those_of_a_file_and_of_what_it_started(project):
    busy = "import subprocess, sys\n"
    spend = "sum(range(20_000_000))"
    (project / "test_busy.py").write_text(
        f"{busy}def test_it():\n    subprocess.run([sys.executable, '-c', '{spend}'], check=True)\n"
    )
    (project / "test_good.py").write_text(PASSES)
    ran = testing.run(testing.Suite("here", "", 0), [])
    assert ran.code == 0
    assert ran.costs["test_busy.py"] > 5 * ran.costs["test_good.py"]
    assert ran.not_begun == []


def test_what_all_tests_of_a_process_share_is_not_charged_to_the_last_of_them(project):
    (project / "conftest.py").write_text(
        "import subprocess, sys, pytest\n"
        "@pytest.fixture(scope='session', autouse=True)\n"
        "def browser():\n"
        "    yield\n"
        "    subprocess.run([sys.executable, '-c', 'sum(range(20_000_000))'], check=True)\n"
    )
    (project / "test_last.py").write_text(PASSES)
    ran = testing.run(testing.Suite("here", "", 0), [])
    assert ran.code == 0
    assert ran.costs[ENDING] > 5 * ran.costs["test_last.py"]


def test_a_cost_is_judged_by_what_is_committed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(budget, "COMMITTED", tmp_path / "budget")
    monkeypatch.setattr(budget, "LAST", tmp_path / "last")
    for quotient, warns, exceeded in ((90, False, False), (120, True, False), (160, True, True)):
        budget.COMMITTED.write_text("100\n")
        assert budget.judge(quotient * 0.5, 0.5, whole=True) is exceeded
        assert ("WARNING" in capsys.readouterr().out) is warns
        assert budget.renew([]) == 0
        assert float(budget.COMMITTED.read_text()) == quotient


def test_a_part_of_the_tests_is_not_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(budget, "LAST", tmp_path / "last")
    assert not budget.judge(1e9, 0.5, whole=False)
    assert not budget.LAST.exists()


def test_programs_and_the_loop_are_timed_beside_each_other():
    with budget.Meter() as meter:
        subprocess.run([sys.executable, "-c", "sum(range(20_000_000))"], check=True)
        seconds, loop = meter.read()
    assert 0.01 < seconds < 30
    assert 0.01 < loop < 30
    assert meter.loop.returncode == 0


def test_what_times_the_loop_ends_with_what_it_measures():
    with pytest.raises(KeyboardInterrupt), budget.Meter() as meter:
        raise KeyboardInterrupt
    assert meter.loop.returncode is not None
