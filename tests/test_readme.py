"""The README's pipeline, run as it is written: real files in, the field's table out."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def out(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the README's commands have filled, in an empty place of their own."""
    home = tmp_path_factory.mktemp("readme")
    section = (ROOT / "README.md").read_text().split("## How to run a study")[1]
    found = re.search(r"```bash\n(.*?)```", section, re.DOTALL)
    assert found is not None
    script = found[1].replace(".venv/bin/python", shlex.quote(sys.executable))
    env = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}}
    env |= {"DATA": str(shared_data / "chaosnli"), "OUT": str(home / "out"), "HLV_STATE": str(home / "state")}
    env |= {"SECRET_KEY": "k" * 60, "PUBLIC_URL": "http://127.0.0.1:8000"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return home / "out"


def result(path: Path) -> dict:
    loaded: dict = json.loads(path.read_text())
    return loaded


def test_the_pipeline_ends_in_the_table_that_the_field_publishes(out: Path) -> None:
    table = (out / "result.csv").read_text()
    assert "PO-JSD" in table
    assert "<svg" in (out / "scatter.svg").read_text()


def test_the_study_that_came_back_gives_the_same_numbers(out: Path) -> None:
    first, again = result(out / "result.json"), result(out / "again.json")
    assert first["is_simulated"] is again["is_simulated"] is True
    assert first["correlations"] == again["correlations"]
