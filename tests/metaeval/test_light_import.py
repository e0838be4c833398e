"""A notebook that imports the library loads no server, and a server nothing of training."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metaeval.training.extra import PACKAGES
from tests.metaeval.training.needing import needs_training, torch_here

ROOT = Path(__file__).resolve().parents[2]
OF_THE_SERVER = {"django", "rest_framework", "celery", "pandas", "pyarrow", "altair", "pydantic", "hlvstudy"}


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("from metaeval.metrics import soft_micro_f1", {*OF_THE_SERVER, "scipy", "numba"}),
        ("import metaeval.stats", OF_THE_SERVER),
        ("from metaeval.training.registry import methods; methods.names()", {*OF_THE_SERVER, "scipy", *PACKAGES}),
        pytest.param("from metaeval.training.losses import JensenShannon", OF_THE_SERVER, marks=needs_training),
    ],
)
def test_importing_the_library_loads_nothing_of_the_server(statement: str, absent: set[str]) -> None:
    if "losses" in statement:
        torch_here()
    code = f"import sys; {statement}; print(*sorted({absent} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("\n", "")


BLOCK = f"""
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {PACKAGES}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""
"""As on a machine without the extra."""
START = f"""
import sys
import django
django.setup()
import hlvstudy.urls, hlvstudy.wsgi
from hlvstudy.celery import app
app.loader.import_default_modules()
from annotations.background.executors import executor_of
from annotations.background.jobs import job_models
from metaeval.analyses.base.registry import analyses
from metaeval.training.extra import absent
from metaeval.training.registry import methods
assert all(executor_of(model) for model in job_models())
assert analyses.names() and methods.names()
from django.core.management import get_commands, load_command_class
for name, app in get_commands().items():
    if app.partition(".")[0] in ("annotations", "metaeval", "hlvstudy"):
        assert load_command_class(app, name).create_parser("manage.py", name).format_help()
print(*absent())
print(*sorted({set(PACKAGES)} & set(sys.modules)))
"""
"""All that a web server, a worker and a command import before somebody wants something of them."""


@pytest.mark.parametrize("blocked", [False, True])
def test_a_server_a_worker_and_every_command_start_without_what_training_needs(blocked: bool, tmp_path: Path) -> None:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "hlvstudy.settings", "HLV_STATE": str(tmp_path), "DEBUG": "1"}
    code = (BLOCK if blocked else "") + START
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    cannot_train, loaded = done.stdout.splitlines()
    assert loaded == ""
    assert not blocked or cannot_train.split() == list(PACKAGES)
