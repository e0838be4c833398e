"""The compiled loops work where nothing can be written."""

import os
import subprocess
import sys
from pathlib import Path

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
