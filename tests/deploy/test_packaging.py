"""What is shipped for servers is sound: containers, units of systemd, and files that only the server can read."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from metaeval.training.extra import QUEUE
from tests.deploy.serving import KEY, ROOT, needed, program

UNITS = ROOT / "deploy" / "systemd"
MOST_EXPOSED = 20
"""Of 100, as systemd-analyze counts; a unit without any protection has 96."""
TOOLS = Path(sys.executable).parent


def said(*command: str | Path, **settings: str) -> str:
    env = {**os.environ, **settings}
    done = subprocess.run([str(part) for part in command], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_dockerfile_has_no_fault_that_a_linter_knows() -> None:
    assert said(TOOLS / "hadolint", ROOT / "deploy" / "Dockerfile") == ""


def test_compose_yaml_fits_its_schema() -> None:
    said(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", ROOT / "compose.yaml")


def test_every_container_of_ours_runs_commands_that_there_are_without_rights() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    ours = {name: one for name, one in services.items() if one["image"].startswith("hlvstudy")}
    assert set(ours) == {"prepare", "web", "worker", "training"}
    commands = said(sys.executable, "-m", "hlvstudy")
    for one in ours.values():
        assert one["read_only"] is True
        assert one["cap_drop"] == ["ALL"]
        assert f"\n    {one.get('command', ['web'])[0]} " in commands
    assert "\nUSER 10001:10001\n" in (ROOT / "deploy" / "Dockerfile").read_text()


def test_only_the_container_and_the_unit_that_train_take_trainings_and_have_what_it_needs() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    commands = {name: " ".join(one.get("command", [])) for name, one in services.items()}
    trains = services.pop("training")
    assert [name for name, command in commands.items() if f"--queues {QUEUE} " in command] == ["training"]
    assert trains["profiles"] == ["training"], "it is started only where it is asked for"
    assert trains["build"]["args"]["EXTRAS"] == "s3,training"
    assert not any("training" in str(one.get("build", "")) for one in services.values())
    units = [unit.name for unit in UNITS.glob("*.service") if f"--queues {QUEUE} " in unit.read_text()]
    assert units == ["hlvstudy-training.service"]


def test_settings_named_in_compose_are_settings() -> None:
    known = (ROOT / "docs" / "reference" / "settings.md").read_text()
    named = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["web"]["environment"]
    assert [name for name in named if f"`{name.removesuffix('_FILE')}`" not in known] == []


def test_a_container_takes_its_secrets_from_files(tmp_path: Path) -> None:
    (tmp_path / "hlvstudy").write_text(
        '#!/bin/sh\necho "$*|$SECRET_KEY|${SECRET_KEY_FILE:-}|${EMAIL_URL:-none}"\numask\n'
    )
    (tmp_path / "hlvstudy").chmod(0o755)
    (tmp_path / "key").write_text("of a file\n")
    (tmp_path / "mail").write_text("")
    files = {"SECRET_KEY_FILE": str(tmp_path / "key"), "EMAIL_URL_FILE": str(tmp_path / "mail")}
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TMPDIR": str(tmp_path / "tmp"), **files}
    entry = ["sh", str(ROOT / "deploy" / "entrypoint.sh"), "worker", "--concurrency", "2"]
    done = subprocess.run(entry, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "worker --concurrency 2|of a file||none\n0027\n"


@pytest.fixture
def units(tmp_path: Path) -> list[Path]:
    """The units with a program that is there."""
    here = []
    for unit in sorted(UNITS.iterdir()):
        here.append(tmp_path / unit.name)
        here[-1].write_text(unit.read_text().replace("/opt/hlvstudy/bin/hlvstudy", "/usr/bin/true"))
    return here


def test_systemd_understands_the_units(units: list[Path]) -> None:
    assert said(needed("systemd-analyze"), "verify", *units) == ""


def test_the_units_are_closed_as_far_as_they_can_be(units: list[Path]) -> None:
    analyze = [needed("systemd-analyze"), "security", "--offline=true", f"--threshold={MOST_EXPOSED}"]
    for unit in units:
        if unit.suffix == ".service":
            said(*analyze, unit)
            assert "UMask=0027" in unit.read_text()


def test_the_units_run_commands_that_there_are() -> None:
    commands = said(sys.executable, "-m", "hlvstudy")
    run = [name for unit in UNITS.glob("*.service") for name in re.findall(r"bin/hlvstudy ([a-z-]+)", unit.read_text())]
    assert sorted(run) == ["backup", "web", "worker", "worker"]
    assert all(f"\n    {name} " in commands for name in run)


def test_what_the_server_writes_is_closed_to_others_whatever_the_umask_was(tmp_path: Path) -> None:
    place = tmp_path / "state"
    place.mkdir(mode=0o755)
    (place / "left_open").touch(mode=0o644)
    before = os.umask(0)
    try:
        done = program("prepare", env={"HLV_STATE": str(place)})
        added = program("manage", "shell", "-c", WRITES, env={"HLV_STATE": str(place), "SECRET_KEY": KEY})
    finally:
        os.umask(before)
    assert done.returncode == added.returncode == 0, done.stderr + added.stderr
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in (place, *place.rglob("*"))}
    assert {str(path): oct(mode) for path, mode in modes.items() if mode & 0o007} == {}
    assert {"hlvstudy.sqlite3", "secret_key", "uploads", "x"} <= {path.name for path in modes}
    assert modes[place / "secret_key"] == 0o600


WRITES = """
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
default_storage.save("imports/x", ContentFile(b"x"))
"""


def test_the_image_is_given_no_more_than_it_needs() -> None:
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    assert allowed[0] == "*"
    assert all((ROOT / line.removeprefix("!")).exists() for line in allowed if line.startswith("!"))
