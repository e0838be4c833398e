"""The compiled loops are there when they are needed, and only then."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
READ_ONLY = """
import numba.core.caching as caching
for locator in caching.CacheImpl._locator_classes:  # what Numba sees on a read-only disk
    locator.from_function = classmethod(lambda cls, function, source: None)
from metaeval.metrics import soft_accuracy
print(float(soft_accuracy([[1.0, 0.0]], [[0.25, 0.75]])))
"""
LAZY = """
import sys
from metaeval import metrics
metrics.available()
print("numba" in sys.modules)
metrics.soft_accuracy([[1.0, 0.0]], [[0.25, 0.75]])
print("numba" in sys.modules)
"""


def run(program: str) -> str:
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_a_read_only_disk_costs_the_compile_cache_and_nothing_else():
    assert float(run(READ_ONLY)) == 0.25


def test_the_compiler_is_not_loaded_before_a_number_is_asked_for():
    assert run(LAZY).split() == ["False", "True"]
