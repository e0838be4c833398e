"""The compiled loops work where nothing can be written."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PROGRAM = """
import numba.core.caching as caching
for locator in caching.CacheImpl._locator_classes:  # what Numba sees on a read-only disk
    locator.from_function = classmethod(lambda cls, function, source: None)
from metaeval.stats import correlation_tests
test, = correlation_tests({"m": [1, 2, 3, 4]}, [1, 2, 4, 3], coefficients=["kendall"])
print(test.p_value)
"""


def test_a_read_only_disk_costs_the_compile_cache_and_nothing_else():
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert float(answer.stdout) > 0


def test_the_cache_is_valid_for_one_state_of_all_compiled_files(tmp_path):
    """Numba would look at the caller's file only, and keep the old code of what it calls."""
    from metaeval.stats import kernels
    from metaeval.stats.compiled import PACKAGE, source_stamp

    loop: Any = kernels.count_pairs
    assert loop._cache._cache_file._source_stamp == source_stamp(PACKAGE)
    stamps = []
    for source in ("from .compiled import compiled\n", "from .compiled import compiled\nx = 1\n"):
        (tmp_path / "loops.py").write_text(source)
        source_stamp.cache_clear()
        stamps.append(source_stamp(tmp_path))
    (tmp_path / "other.py").write_text("y = 2\n")
    source_stamp.cache_clear()
    assert source_stamp(tmp_path) == stamps[1] != stamps[0]
