"""A notebook that imports the library loads no server, and a server nothing that computes, draws or trains."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metaeval.training.extra import PACKAGES
from tests.metaeval.training.needing import needs_training, torch_here
from tests.processes import BYTECODE

ROOT = Path(__file__).resolve().parents[2]
OF_THE_SERVER = {"django", "rest_framework", "celery", "pandas", "pyarrow", "altair", "pydantic", "hlvstudy"}
NUMERICS = {"scipy", "numba", "llvmlite", "altair", "narwhals", "vl_convert", "pandas", "pyarrow", "sklearn", *PACKAGES}
"""What takes longer to import than most processes live; NumPy is in the models' fields."""


LIBRARY = {
    "from metaeval.metrics import soft_micro_f1": {*OF_THE_SERVER, "scipy", "numba"},
    "import metaeval.stats": {*OF_THE_SERVER, "scipy", "numba"},
    "from metaeval.training.registry import methods; methods.names()": {*OF_THE_SERVER, "scipy", *PACKAGES},
}
LOSSES = {"from metaeval.training.losses import JensenShannon": OF_THE_SERVER}


def test_importing_the_library_loads_nothing_of_the_server() -> None:
    nothing_is_loaded(LIBRARY)


@needs_training
def test_importing_losses_loads_nothing_of_the_server() -> None:
    torch_here()
    nothing_is_loaded(LOSSES)


def nothing_is_loaded(statements: dict[str, set[str]]) -> None:
    """One after another in one process, in which each leaves absent what it says."""
    look = "print(*sorted({} & set(sys.modules)))"
    code = "\n".join(["import sys", *(f"{told}\n{look.format(absent)}" for told, absent in statements.items())])
    env = {"PATH": "", **BYTECODE}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n" * len(statements), "")


WORKER = """
from hlvstudy.celery import app
app.loader.import_default_modules()
from annotations.background.executors import executor_of
from annotations.background.jobs import job_models
assert all(executor_of(model) for model in job_models())"""
SERVER = {
    "from hlvstudy.program.managing import manage; manage(['version'], program='manage.py')": 900,
    "manage(['check'], program='manage.py')": 2250,
    "import hlvstudy.wsgi": 2300,
}
"""What starts in one process, one after another, and the most modules that it may have loaded by then."""


@pytest.mark.parametrize("steps", [SERVER, {WORKER: 1450}], ids=["manage.py and web", "worker"])
def test_what_waits_for_work_has_loaded_nothing_that_computes_or_draws(steps: dict[str, int], tmp_path: Path) -> None:
    look = f"print(); print('seen', len(sys.modules), *sorted({NUMERICS} & set(sys.modules)))"
    code = "\n".join(["import sys", *(f"{start}\n{look}" for start in steps)])
    seen = [line.split()[1:] for line in started(code, tmp_path).splitlines() if line.startswith("seen ")]
    assert [loaded for _, *loaded in seen] == [[]] * len(steps)
    for (count, *_), (start, most) in zip(seen, steps.items(), strict=True):
        assert int(count) <= most, f"more is imported at start than there was ({start}): import it where it is used"


def started(code: str, state: Path) -> str:
    """What a program of the server prints."""
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "hlvstudy.settings", "HLV_STATE": str(state), "DEBUG": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


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
    cannot_train, loaded = started((BLOCK if blocked else "") + START, tmp_path).splitlines()
    assert loaded == ""
    assert not blocked or cannot_train.split() == list(PACKAGES)
