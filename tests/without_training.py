"""Where torch is absent, files that import it are skipped as a whole, with that reason: tests, and modules whose
docstrings have examples. In CI they are imported, and fail.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from metaeval.training.extra import PACKAGES, ROOMS, absent

ROOT = Path(__file__).resolve().parent.parent
NAMES = "|".join(map(re.escape, (*PACKAGES, *ROOMS)))
IMPORTS = re.compile(rf"^(?:(?:import|from) |\w+ = Imported\(\")(?:{NAMES})\b", re.MULTILINE)


@cache
def needs_torch(path: Path) -> bool:
    """Whether importing a file of the folders named `training` imports one of the packages."""
    if path.suffix != ".py" or "training" not in path.parts:
        return False
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return module.startswith(ROOMS) or bool(IMPORTS.search(path.read_text(encoding="utf-8")))


class WithoutTraining:
    """The plugin: pytest asks it about files of every folder, which it does not ask a conftest.py."""

    def pytest_make_collect_report(self, collector: pytest.Collector) -> pytest.CollectReport | None:
        path = collector.path
        if not isinstance(collector, pytest.File) or isinstance(collector, pytest.Package) or not needs_torch(path):
            return None
        why = f"Skipped: {', '.join(absent())} absent (`make training` installs them)"
        return pytest.CollectReport(collector.nodeid, "skipped", (str(path), 0, why), [])
