"""A notebook that imports the library loads no server, and a server nothing that computes, draws or trains."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metaeval.training.extra import PACKAGES
from tests.metaeval.training.needing import needs_training, torch_here

ROOT = Path(__file__).resolve().parents[2]
OF_THE_SERVER = {"django", "rest_framework", "celery", "pandas", "pyarrow", "altair", "pydantic", "hlvstudy"}
NUMERICS = {"scipy", "numba", "llvmlite", "altair", "narwhals", "vl_convert", "pandas", "pyarrow", "sklearn", *PACKAGES}
"""What takes longer to import than most processes live; NumPy is in the models' fields."""


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("from metaeval.metrics import soft_micro_f1", {*OF_THE_SERVER, "scipy", "numba"}),
        ("import metaeval.stats", {*OF_THE_SERVER, "scipy", "numba"}),
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


COMMAND = "from hlvstudy.program.managing import manage; manage({}, program='manage.py')"
WORKER = """
from hlvstudy.celery import app
app.loader.import_default_modules()
from annotations.background.executors import executor_of
from annotations.background.jobs import job_models
assert all(executor_of(model) for model in job_models())"""


@pytest.mark.parametrize(
    ("start", "most"),
    [
        ("import hlvstudy.wsgi", 2300),
        (COMMAND.format(["check"]), 2250),
        (COMMAND.format(["version"]), 900),
        (WORKER, 1450),
    ],
    ids=["web", "manage.py check", "manage.py", "worker"],
)
def test_what_waits_for_work_has_loaded_nothing_that_computes_or_draws(start: str, most: int, tmp_path: Path) -> None:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "hlvstudy.settings", "HLV_STATE": str(tmp_path), "DEBUG": "1"}
    code = f"{start}\nimport sys; print(); print(len(sys.modules), *sorted({NUMERICS} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    count, *loaded = done.stdout.splitlines()[-1].split()
    assert loaded == []
    assert int(count) <= most, "more is imported at start than there was; import it where it is used, or say why not"


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
