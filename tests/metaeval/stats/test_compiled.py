"""The compiled loops work where nothing can be written."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
import numba.core.caching as caching
for locator in caching.CacheImpl._locator_classes:  # what Numba sees on a read-only disk
    locator.from_function = classmethod(lambda cls, function, source: None)
from metaeval.stats import correlation_tests
test, = correlation_tests({"m": [1, 2, 3, 4]}, [1, 2, 4, 3], coefficients=["kendall"])
print(test.p_value)
"""
ALL_LOOPS = """
import importlib
from metaeval.compiled import IMPORT, PACKAGE
from tests import loops
for part in loops.PARTS:
    part()
for path in PACKAGE.rglob("*.py"):
    if IMPORT in path.read_bytes() and path.name != "compiled.py":
        module = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        for name, loop in vars(module).items():
            own = getattr(loop, "py_func", None) and loop.py_func.__module__ == module.__name__
            if own and loop.targetoptions.get("inline") != "always" and not loop.signatures:
                print(module.__name__, name)
"""


@pytest.mark.slow
def test_what_is_compiled_before_the_tests_is_every_loop(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}  # of a loop that was kept, those that it calls are not seen
    answer = subprocess.run(
        [sys.executable, "-c", ALL_LOOPS], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == ""


def test_a_read_only_disk_costs_the_compile_cache_and_nothing_else():
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert float(answer.stdout) > 0


def test_the_cache_is_valid_for_one_state_of_all_compiled_files(tmp_path):
    """Numba would look at the caller's file only, and keep the old code of what it calls."""
    from metaeval.compiled import PACKAGE, source_stamp
    from metaeval.metrics.kernels import sums
    from metaeval.stats import kernels

    loops: list[Any] = [kernels.count_pairs, sums.tally_multilabel]
    for loop in loops:
        assert loop._cache._cache_file._source_stamp == source_stamp(PACKAGE)
    stamps = []
    said = "from metaeval.compiled import compiled\n"
    for source in (said, said + "x = 1\n"):
        (tmp_path / "loops.py").write_text(source)
        source_stamp.cache_clear()
        stamps.append(source_stamp(tmp_path))
    (tmp_path / "other.py").write_text("y = 2\n")
    source_stamp.cache_clear()
    assert source_stamp(tmp_path) == stamps[1] != stamps[0]


def test_every_file_with_compiled_loops_is_found_by_the_stamp():
    """It is found by its import, which must therefore be written out."""
    from metaeval.compiled import IMPORT, PACKAGE

    marks = (b"@compiled", b"@fused", b"@inlined", b"njit")
    for path in PACKAGE.rglob("*.py"):
        source = path.read_bytes()
        if path.name != "compiled.py" and any(mark in source for mark in marks):
            assert IMPORT in source, path
