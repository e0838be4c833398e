"""The wheel holds what it must, and runs from there with the packages of this environment.

test_wheel.py installs it where nothing else is.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hlvstudy import __version__
from tests.tooling.prepare import ROOT
from tests.wheels import built

LARGEST = 3_300_000
"""Bytes; it was 2.3 million when this was written, and 3.0 with training. Pages that grow by a library should be
noticed."""
SMOKE = """
import sys
sys.path.insert(0, sys.argv[1])
import hlvstudy.program.main
assert hlvstudy.__file__.startswith(sys.argv[1]), hlvstudy.__file__
sys.argv = ["hlvstudy", "manage", "migrate", "--verbosity", "0"]
try:
    hlvstudy.program.main.main()
except SystemExit as end:
    assert not end.code, end.code
from django.test import Client
for address in ("/", "/api/v1/schema/", "/health/live"):
    print(Client().get(address, secure=True).status_code)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


def test_it_brings_all_that_the_program_reads_and_no_more(wheel: Path) -> None:
    assert wheel.stat().st_size < LARGEST
    assert wheel.name == f"hlvstudy-{__version__}-py3-none-any.whl"
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    read = {
        path.relative_to(ROOT).as_posix()
        for package in ("hlvstudy", "annotations", "metaeval")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and not {"__pycache__", "tooling"} & set(path.parts)
    }
    assert read - names == set()
    assert {name for name in names - read if not name.startswith("hlvstudy/built/pages/")} == {
        "hlvstudy/built/locale/de/LC_MESSAGES/django.mo",
        "hlvstudy/built/locale/ar/LC_MESSAGES/django.mo",
    }
    assert "hlvstudy/built/pages/index.html" in names


def test_it_makes_a_database_and_serves_the_pages_and_the_api(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "unpacked")
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "NUMBA_CACHE_DIR"}}
    done = subprocess.run(
        [sys.executable, "-P", "-c", SMOKE, str(tmp_path / "unpacked")],
        cwd=tmp_path,
        env={**kept, "HLV_STATE": str(tmp_path / "state"), "ALLOWED_HOSTS": "testserver"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["200", "401", "200"]  # nobody is signed in
