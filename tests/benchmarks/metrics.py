"""The metrics against plain scikit-learn and SciPy: a million rows, 26 systems, and the whole of Table 2.

    python -m tests.benchmarks.metrics [--rows 1000000] [--rounds 3] [--pairs 500]

The plain code is written from the formulas, one label at a time where whole matrices would need gigabytes. Of Table 2
it does a part of the pairs, and its time is multiplied (its cost is linear in them). Memory and compile time are
measured in fresh processes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from functools import partial

import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy, pearsonr
from sklearn.metrics import accuracy_score, f1_score

from metaeval.metrics import compute, metric_relationship
from metaeval.metrics.relationship import SETTINGS

from ._timing import Row, beside, compare, report, seconds

LABELS = 33
PLAIN_SHARE = 25
"""The plain code does one pair of so many."""
SYSTEMS, INSTANCES = 26, 1100
MEMORY_LIMIT = 100.0
C_SECONDS = 0.15
"""What C takes for the six metrics of a million rows on a machine like this one (stated by the task)."""

MEMORY = """
import numpy as np
from metaeval.metrics import compute
rng = np.random.default_rng(1)
P, Q = rng.random(({rows}, 33)), rng.random(({rows}, 33))
compute(P[:1000], Q[:1000], "multilabel")
def kilobytes(field):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field))
open("/proc/self/clear_refs", "w").write("5")
before = kilobytes("VmRSS")
compute(P, Q, "multilabel")
print((kilobytes("VmHWM") - before) / 1024)
"""

FIRST_CALL = """
import time
start = time.perf_counter()
from metaeval.metrics import compute
imported = time.perf_counter()
for task in ("multilabel", "multiclass"):
    compute([[0.5, 0.5], [1, 0]], [[0.3, 0.7], [0.9, 0.1]], task)
print(imported - start, time.perf_counter() - imported)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=500)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    P, Q = rng.random((options.rows, LABELS)), rng.random((options.rows, LABELS))
    check(P[:2000], Q[:2000])
    rows = [
        compare(
            f"six multilabel metrics, {options.rows:,} x {LABELS}",
            ours=lambda: compute(P, Q, "multilabel"),
            other=lambda: plain_multilabel(P, Q),
            other_name="scikit-learn, SciPy",
            rounds=options.rounds,
            target=25,
        ),
        many_systems(P, Q, options.rounds),
        table_2(options.pairs, options.rounds),
    ]
    rows.append(beside("six multilabel metrics, a million rows", C_SECONDS, rows[0].seconds_ours / options.rows * 1e6))
    memory = float(fresh(MEMORY.format(rows=options.rows)))
    growth = [
        f"{count:,} rows: {best(partial(compute, P[:count], Q[:count], 'multilabel')) * 1000:.0f} ms"
        for count in (options.rows // 4, options.rows // 2, options.rows)
    ]
    pairs = [
        f"{count} pairs: {best(partial(all_settings, count)):.2f} s"
        for count in (options.pairs // 16, options.pairs // 8, options.pairs // 4)
    ]
    notes = [
        f"Peak extra memory of {options.rows:,} x {LABELS}, in a fresh process: {memory:.0f} MB "
        f"(at most {MEMORY_LIMIT:.0f} MB).",
        f"Linear in rows: {'; '.join(growth)}.",
        f"Linear in pairs (all eight settings): {'; '.join(pairs)}.",
        compile_time(),
    ]
    good = report("Metrics of human label variation", rows, notes)
    return 0 if good and memory <= MEMORY_LIMIT else 1


def many_systems(P: np.ndarray, Q: np.ndarray, rounds: int) -> Row:
    human = P[:INSTANCES]
    needed = SYSTEMS * INSTANCES
    systems = np.resize(Q, (needed, LABELS)).reshape(SYSTEMS, INSTANCES, LABELS)
    return compare(
        f"six multilabel metrics, {SYSTEMS} systems, {INSTANCES:,} x {LABELS}",
        ours=lambda: compute(human, systems, "multilabel"),
        other=lambda: [plain_multilabel(human, system) for system in systems],
        other_name="scikit-learn, SciPy",
        rounds=rounds,
    )


def table_2(pairs: int, rounds: int) -> Row:
    return compare(
        f"Table 2, eight settings, B = {pairs}",
        ours=partial(all_settings, pairs),
        other=lambda: [plain_relationship(*setting, pairs // PLAIN_SHARE) for setting in SETTINGS],
        other_name=f"NumPy, SciPy, scikit-learn (1/{PLAIN_SHARE}, extrapolated)",
        rounds=rounds,
        target=3,
        other_scale=PLAIN_SHARE,
    )


def all_settings(pairs: int) -> None:
    for setting in SETTINGS:
        metric_relationship(*setting, pairs=pairs, seed=1)


def plain_multilabel(P: np.ndarray, Q: np.ndarray) -> dict[str, float]:
    """The six multilabel metrics, written plainly from the formulas."""
    hard_P, hard_Q = P > 0.5, Q > 0.5
    overlap, mass = np.minimum(P, Q).sum(axis=0), (P + Q).sum(axis=0)
    divergences, correlations = [], []
    for p, q in zip(P.T, Q.T, strict=True):
        two_p, two_q = np.array([p, 1 - p]), np.array([q, 1 - q])
        divergences.append((jensenshannon(two_p, two_q, base=2, axis=0) ** 2).mean())
        correlations.append(pearsonr(entropy(two_p, base=2), entropy(two_q, base=2)).statistic)
    return {
        "micro_f1": f1_score(hard_P, hard_Q, average="micro", zero_division=1.0),
        "macro_f1": f1_score(hard_P, hard_Q, average="macro", zero_division=1.0),
        "soft_micro_f1": 2 * overlap.sum() / mass.sum(),
        "soft_macro_f1": (2 * overlap / mass).mean(),
        "po_jsd": 1 - np.mean(divergences),
        "entropy_correlation": np.mean(correlations),
    }


def plain_relationship(alpha: float, beta: float, labels: int, pairs: int, instances: int = 1000) -> np.ndarray:
    """One setting of Table 2, written plainly from its description."""
    rng = np.random.default_rng(1)
    values = []
    for _ in range(pairs):
        P = rng.dirichlet(np.full(labels, alpha), instances)
        Q = rng.dirichlet(np.full(labels, beta), instances)
        values.append(
            [
                accuracy_score(P.argmax(axis=1), Q.argmax(axis=1)),
                1 - (jensenshannon(P, Q, base=2, axis=1) ** 2).mean(),
                pearsonr(entropy(P, axis=1) / np.log(labels), entropy(Q, axis=1) / np.log(labels)).statistic,
                np.minimum(P, Q).sum(axis=1).mean(),
            ]
        )
    return np.corrcoef(np.array(values).T)


def check(P: np.ndarray, Q: np.ndarray) -> None:
    """Both give the same numbers."""
    ours = compute(P, Q, "multilabel")["Q"]
    for name, value in plain_multilabel(P, Q).items():
        assert abs(ours[name] - value) < 1e-12, name


def best(run, repeats: int = 3) -> float:
    """The shortest of a few runs: what growth looks like without the machine's other work."""
    return min(seconds(run) for _ in range(repeats))


def compile_time() -> str:
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = ([float(part) for part in fresh(FIRST_CALL, NUMBA_CACHE_DIR=cache).split()] for _ in range(2))
    return (
        f"First call ever, compiling both tasks' loops: {cold[1]:.1f} s, once; first call of a process with the cache "
        f"on disk: {warm[1]:.2f} s; importing the library: {warm[0]:.2f} s."
    )


def fresh(code: str, **environment: str) -> str:
    """What `code` prints in a process of its own."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | environment).stdout


if __name__ == "__main__":
    sys.exit(main())
