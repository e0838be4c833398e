"""Kendall's tau-b of many items against SciPy's, and the stratified table that takes it in every row.

    python -m tests.benchmarks.correlation [--items 10000] [--rounds 15]

SciPy's answer comes with a p-value, which costs it next to nothing. A round calls each many times, for one call takes
less than the machine's other work may interrupt it for. Memory is measured in a fresh process, over what
it holds once everything is imported.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import stats as scipy_stats

from metaeval.stats import correlation
from metaeval.stats.agreement import Annotations
from metaeval.stats.uncertainty import stratified_table

from ._timing import Row, compare, report, seconds

LEAST = 1 / 3
CALLS = 20
MEMORY_LIMIT = 50.0
LABELS, PEOPLE = 5, 3

MEMORY = """
import numpy as np
from tests.benchmarks.correlation import {work}
{work}({few})
run = {work}
def kilobytes(field):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field))
open("/proc/self/clear_refs", "w").write("5")
before = kilobytes("VmRSS")
run({items})
print((kilobytes("VmHWM") - before) / 1024)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    items = options.items
    rows = [
        against_scipy("without ties", *numbers(items), options.rounds),
        against_scipy(f"on a scale of {LABELS}", *scale(items), options.rounds),
    ]
    growth: dict[str, dict[int, Callable[[], object]]] = {
        "Kendall's tau-b": {n: partial(kendall, n) for n in (items, 4 * items, 16 * items)},
        "Stratified table of ordinal labels": {n: partial(table, n) for n in (items // 4, items, 4 * items)},
    }
    memory = {work.__name__: peak(work.__name__, items) for work in (kendall, table)}
    notes = [
        *(
            f"{name}, items: "
            + "; ".join(f"{n:,}: {1000 * min(seconds(run) for _ in range(3)):.1f} ms" for n, run in runs.items())
            for name, runs in growth.items()
        ),
        f"Peak extra memory of {items:,} items, in a fresh process: {memory['kendall']:.1f} MB for the coefficient, "
        f"{memory['table']:.1f} MB for the table (at most {MEMORY_LIMIT:.0f} MB each).",
    ]
    good = report(f"Rank correlation of {items:,} items", rows, notes)
    return 0 if good and max(memory.values()) <= MEMORY_LIMIT else 1


def against_scipy(which: str, x: np.ndarray, y: np.ndarray, rounds: int) -> Row:
    assert abs(correlation(x, y, "kendall").value - scipy_stats.kendalltau(x, y).statistic) < 1e-12
    return compare(
        f"Kendall's tau-b, {len(x):,} pairs of values {which}, {CALLS} times",
        ours=lambda: [correlation(x, y, "kendall") for _ in range(CALLS)],
        other=lambda: [scipy_stats.kendalltau(x, y) for _ in range(CALLS)],
        other_name="scipy.stats.kendalltau",
        rounds=rounds,
        target=LEAST,
    )


def numbers(items: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    x = rng.random(items)
    return x, x + rng.random(items)


def scale(items: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = numbers(items)
    return np.floor(LABELS * x), np.floor(LABELS * y / 2)


def kendall(items: int) -> float:
    return correlation(*numbers(items), "kendall").value


def table(items: int) -> int:
    """Three people and a model, who agree more often than by chance."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, LABELS, items)
    people, model = (
        np.where(rng.random((judges, items)) < 0.6, truth, rng.integers(0, LABELS, (judges, items))).astype(float)
        for judges in (PEOPLE, 1)
    )
    return len(stratified_table(Annotations.from_matrix(people), Annotations.from_matrix(model), "ordinal"))


def peak(work: str, items: int) -> float:
    """Megabytes that `work(items)` takes at its highest, beyond what a small one left behind."""
    program = MEMORY.format(work=work, items=items, few=200)
    return float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    sys.exit(main())
