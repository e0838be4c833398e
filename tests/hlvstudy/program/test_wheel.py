"""The wheel, as a stranger has it: installed where nothing else is, it is a library and a program.

It asks the package index for what the wheel needs, or takes it from the installer's cache.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
import uuid
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hlvstudy.client import Client
from tests.conftest import missing, wait_until
from tests.processes import AtTerminal, free_port, with_files_open_in
from tests.tooling.prepare import ROOT
from tests.wheels import UNREACHABLE, Installed, built, installed

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def there(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return installed(tmp_path_factory.mktemp("there"), wheel)


@dataclass(frozen=True)
class Tried:
    """The demo, tried by somebody who answered one assignment and pressed Ctrl-C."""

    done_before: int
    saved: dict[str, Any]
    said: str
    folder: Path


@pytest.fixture(scope="module")
def tried(there: Installed) -> Tried:
    port = free_port()
    command = [there.bin / "hlvstudy", "demo", "--port", str(port)]
    demo = AtTerminal(command, cwd=there.here, env=there.env, log=there.folder / "demo.log")
    try:
        demo.wait_until_it_says("Press Ctrl-C")
        logins = dict(re.findall(r"^\s+(expert|researcher|admin)\s+(\S+@\S+\s+\S+)$", demo.said, re.MULTILINE))
        expert = Client(f"http://127.0.0.1:{port}").sign_in(*logins["expert"].split())
        (study,) = (study["slug"] for study in expert.get("studies/")["results"])
        handed = expert.post(f"studies/{study}/next/")
        saved = answer(expert, handed["assignment"])
    finally:
        demo.interrupt()
    return Tried(handed["progress"]["done"], saved, demo.said, there.here / "hlv-study" / "demo")


def answer(expert: Client, assignment: dict[str, Any]) -> Any:
    """Both steps of an assignment; what the server says last."""
    here = f"assignments/{assignment['token']}/"
    seen = expert.post(here + "labels/", key=str(uuid.uuid4()), labels=[0], active_ms=9000)
    chosen = {"a_chosen": True, "b_chosen": seen["assignment"]["comparison"]["identical"], "certainty": 0.75}
    return expert.post(here + "preference/", key=str(uuid.uuid4()), active_ms=9000, **chosen)


def pip_wheel(folder: Path, **env: str) -> str:
    """What pip says of building the wheel from what git has, without a Node and in an environment of its own."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    clone = folder / "clone"
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, clone],
        env={**os.environ, "PATH": "/usr/bin:/bin", **env},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    if "Preparing metadata" not in said and re.search(UNREACHABLE, said):
        missing(f"the package index ({said[-500:]})")
    return said


def test_pip_builds_the_same_wheel_from_a_fresh_clone_without_node_and_without_django(
    wheel: Path, tmp_path: Path
) -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    assert not [name for name in needed if "django" in name.lower()]
    said = pip_wheel(tmp_path)
    if re.search(UNREACHABLE, said):
        missing(f"the pages' packages ({said[-500:]})")
    (built_there,) = tmp_path.glob("*.whl")
    assert sorted(zipfile.ZipFile(built_there).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


def test_pip_says_what_to_do_where_it_cannot_build_the_pages(tmp_path: Path) -> None:
    nowhere = {"npm_config_registry": "http://127.0.0.1:9", "npm_config_fetch_retries": "0"}
    said = pip_wheel(tmp_path, npm_config_cache=str(tmp_path / "npm"), **nowhere)
    assert "Installing the pages' packages failed. The package registries cannot be reached." in said
    assert "The wheel needs the built pages. Run `make frontend`" in said
    assert "Traceback" not in said


def test_the_library_is_imported_without_what_the_server_needs(there: Installed) -> None:
    code = (
        "import sys; from metaeval.metrics import soft_micro_f1; import metaeval.stats; "
        "print(sorted({'django', 'rest_framework', 'celery', 'pandas', 'pyarrow', 'hlvstudy'} & set(sys.modules))); "
        "print(soft_micro_f1([[1, 0]], [[0.5, 0.5]], task='multiclass'))"
    )
    done = there.run("python", "-c", code)
    assert done.stdout.split("\n")[:2] == ["[]", "0.5"], done.stderr


def test_an_expert_signs_in_to_the_demo_and_answers_a_whole_assignment(tried: Tried) -> None:
    assert tried.saved["progress"]["done"] == tried.done_before + 1


def test_the_demo_stops_on_ctrl_c_and_leaves_nothing_running_and_nothing_outside_its_folder(
    there: Installed, tried: Tried
) -> None:
    assert tried.said.endswith("Stopped.\n")
    assert "Traceback" not in tried.said
    assert with_files_open_in(there.here) == []
    assert [path.name for path in there.here.iterdir()] == ["hlv-study"]
    assert list(tried.folder.parent.iterdir()) == [tried.folder]
    assert list(there.home.iterdir()) == []


def test_web_and_worker_serve_what_is_in_a_folder_and_stop_when_they_are_told_to(
    there: Installed, tried: Tried
) -> None:
    port = free_port()
    env = {"PUBLIC_URL": f"http://127.0.0.1:{port}", "HLV_STATE": str(tried.folder)}
    checked = there.run("hlvstudy", "manage", "check", **env)
    assert checked.stdout == "System check identified no issues (0 silenced).\n", checked.stderr
    servers = [
        AtTerminal(
            [there.bin / "hlvstudy", *command],
            cwd=there.here,
            env=there.env | env,
            log=there.folder / f"{command[0]}.log",
        )
        for command in (["web", "--bind", f"127.0.0.1:{port}"], ["worker", "--concurrency", "1"])
    ]
    try:
        wait_until(lambda: is_ready(port) or any(server.has_ended for server in servers), seconds=120, every=0.2)
        assert not any(server.has_ended for server in servers), [server.said for server in servers]
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20).read().decode()
        assert '<div id="root">' in page
    finally:
        codes = [server.terminate() for server in servers]
    assert codes == [0, 0]
    assert with_files_open_in(there.here) == []


def is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=5) as said:
            return bool(json.load(said)["worker"])
    except (urllib.error.URLError, OSError):
        return False
