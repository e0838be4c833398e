"""The optional extra: what is pinned, what the wheel asks for and what the code looks for are the same packages."""

import tomllib
from pathlib import Path

import pytest

from metaeval.training.extra import INSTALL, NOT_INSTALLED, PACKAGES
from tests.tooling import prepare
from tests.tooling.prepare import CONSTRAINTS, ROOT, TRAINING
from tests.tooling.ranges import ranges


def test_the_wheels_extra_has_the_pinned_packages_as_ranges() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert extras["training"] == ranges(TRAINING.read_text())
    assert INSTALL == "pip install 'hlvstudy[training]'"
    assert NOT_INSTALLED.endswith(INSTALL)


def test_the_code_looks_for_just_these_packages() -> None:
    assert [line.partition(">")[0] for line in ranges(TRAINING.read_text())] == list(PACKAGES)


def test_every_package_says_why_it_is_needed() -> None:
    lines = [line for line in TRAINING.read_text().splitlines() if "==" in line]
    assert all(len(line.partition("#")[2]) > 10 for line in lines)


def test_their_pins_hold_and_pin_nothing_twice() -> None:
    all_pins, more = ((ROOT / name).read_text().splitlines()[1:] for name in CONSTRAINTS)
    asked = [line.partition("#")[0].strip() for line in TRAINING.read_text().splitlines()]
    assert {line for line in asked if line} <= set(more)
    assert {line.partition("==")[0] for line in all_pins} & {line.partition("==")[0] for line in more} == set()
    assert not any("nvidia" in line or "+" in line for line in more)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A machine on which nothing is prepared; what would be run, in order."""
    ran: list[str] = []

    def run_step(what: str, command: list[str | Path]) -> None:
        ran.append(" ".join(str(part) for part in command))
        (tmp_path / "venv/lib/python3.11/site-packages/torch").mkdir(parents=True, exist_ok=True)
        (tmp_path / "venv/lib/python3.11/site-packages/torch/__init__.py").touch()

    monkeypatch.setattr(prepare, "STATE", tmp_path / "state")
    monkeypatch.setattr(prepare, "VENV", tmp_path / "venv")
    monkeypatch.setattr(prepare, "python_packages", lambda *, dev: None)
    monkeypatch.setattr(prepare, "run_step", run_step)
    return ran


def test_they_are_installed_on_request_by_pip_at_all_pins_and_once(place: list[str]) -> None:
    prepare.keep_training_packages()
    assert place == [], "nobody asked for them"
    prepare.training_packages()
    (command,) = place
    assert " -m pip install " in command
    assert all(f"-c {ROOT / name}" in command for name in CONSTRAINTS)
    prepare.training_packages()
    prepare.keep_training_packages()
    assert len(place) == 1


def test_they_come_back_when_the_environment_was_made_anew(place: list[str], tmp_path: Path) -> None:
    prepare.training_packages()
    (tmp_path / "venv/lib/python3.11/site-packages/torch/__init__.py").unlink()
    prepare.keep_training_packages()
    assert len(place) == 2


def test_ci_installs_them_so_that_nothing_is_left_out_there() -> None:
    assert "\npython3 tests/tooling/cli.py training\n" in (ROOT / ".ci" / "run").read_text()
