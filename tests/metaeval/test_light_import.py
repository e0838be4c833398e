"""A notebook that imports the library loads NumPy and what it uses, but no server."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OF_THE_SERVER = {"django", "rest_framework", "celery", "pandas", "pyarrow", "altair", "pydantic", "hlvstudy"}


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("from metaeval.metrics import soft_micro_f1", {*OF_THE_SERVER, "scipy", "numba"}),
        ("import metaeval.stats", OF_THE_SERVER),
    ],
)
def test_importing_the_library_loads_nothing_of_the_server(statement: str, absent: set[str]) -> None:
    code = f"import sys; {statement}; print(*sorted({absent} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("\n", "")
