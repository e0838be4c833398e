"""`make test` leaves out on PostgreSQL only what exists, and nothing on SQLite."""

import tomllib

from hlvstudy.tooling.prepare import ROOT
from hlvstudy.tooling.testing import BROWSER, COLLECTING, JUDGING, ON_BOTH, once, suites_of


def test_what_is_left_out_or_kept_exists():
    assert [path for path in once() if not (ROOT / path).exists()] == []
    assert [name for name in ON_BOTH if not (ROOT / BROWSER / name).is_file()] == []


def test_every_test_runs_on_sqlite_and_answering_under_faults_on_postgresql_too():
    first, rest, postgres = (chosen for _, chosen, _ in suites_of([], postgres=True, redis=True))
    assert {*first, "tests"} == {COLLECTING, JUDGING, *declared_paths()}
    assert rest == ["tests", f"--ignore={COLLECTING}", f"--ignore={JUDGING}"]
    assert {f"--ignore={BROWSER}/faults/test_tabs.py", f"--ignore={BROWSER}/test_zoom.py"} < set(postgres)
    assert not any(argument.endswith(ON_BOTH) for argument in postgres)


def declared_paths():
    """Where pytest looks when nobody tells it."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["testpaths"]


def test_arguments_reach_every_suite():
    chosen = [arguments for _, arguments, _ in suites_of(["-k", "blinding"], postgres=True, redis=False)]
    assert chosen == [["-k", "blinding"]] * 2
