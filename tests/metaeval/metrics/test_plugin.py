"""An external package adds a metric with only an entry point, as docs/library.md says."""

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.processes import BYTECODE

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "library.md").read_text()

USE = """
import json
from metaeval import metrics
P, Q = [[1.0, 0.0]], [[0.25, 0.75]]
entry = metrics.get("mean_probability")
print(json.dumps({
    "value": metrics.compute(P, Q, "multiclass", ["mean_probability", "soft_accuracy"]).to_dict(),
    "items": metrics.per_item(P, Q, "multiclass", "mean_probability").tolist(),
    "named": [entry.title, entry.source, entry.definition.__module__],
    "default": entry in metrics.defaults("multiclass"),
}))
"""


USE_BROKEN = """
from metaeval import metrics
available, defaults, get = metrics.available, metrics.defaults, metrics.get
for ask in (available, available, lambda: get("accuracy"), lambda: defaults("multiclass")):
    try:
        ask()
    except Exception as error:
        print(type(error).__name__, error)
"""


def install(folder: Path, code: str = "") -> None:
    """What an installer leaves behind, with the code (or another) and the entry point that the page shows."""
    own = PAGE.partition("### A metric of your own")[2]
    shown = re.search(r"```python\n(.*?)```", own, re.DOTALL)
    declared = re.search(r'entry-points\."(.+?)"\]\n(.*?)\n```', own, re.DOTALL)
    assert shown
    assert declared
    package = folder / "our_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "metrics.py").write_text(code or shown[1])
    info = folder / "our_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: our-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{declared[1]}]\n{declared[2].replace(chr(34), '')}\n")


def printed(program: str, folder: Path) -> str:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PYTHONPATH": f"{folder}:{ROOT}", "PATH": "", **BYTECODE},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_a_metric_of_an_installed_package_is_there_without_any_edit(tmp_path):
    install(tmp_path)
    found = json.loads(printed(USE, tmp_path))
    assert found["value"]["Q"]["mean_probability"] == {"value": 0.5, "reason": ""}
    assert found["value"]["Q"]["soft_accuracy"]["value"] == 0.25
    assert found["items"] == [0.5]
    assert found["named"] == ["Mean probability", "our group", "our_package.metrics"]
    assert found["default"] is False


def test_a_broken_plugin_fails_everybody_who_asks_for_metrics_with_its_name(tmp_path):
    install(tmp_path, "raise ImportError('its own library is gone')")
    said = printed(USE_BROKEN, tmp_path).splitlines()
    assert len(said) == 4
    assert len(set(said)) == 1
    assert re.match(
        r"BrokenEntry No metric can be used, because .*our_package\.metrics.* its own library is gone", said[0]
    )
