"""The runner that all benchmarks share: paired runs, their medians, one table.

The contestants take turns within a round, so that whatever else the machine does hits both, and a ratio is the
median of the rounds' ratios rather than a ratio of two medians from different minutes.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.tooling.budget import loop

from . import _page
from ._cpu import cpu_seconds


@dataclass(frozen=True)
class Row:
    """One line of a benchmark's table: seconds of the other tool and of ours, and how many times faster ours is."""

    work: str
    other: str
    seconds_other: float
    seconds_ours: float
    times: float
    rounds: int
    target: float | None = None

    @property
    def holds(self) -> bool:
        return self.target is None or self.times >= self.target


def seconds(run: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(
    work: str,
    *,
    ours: Callable[[], object],
    other: Callable[[], object],
    other_name: str,
    rounds: int = 7,
    target: float | None = None,
    other_scale: float = 1.0,
) -> Row:
    """Run both in turns. `other_scale` extrapolates a contestant that was given only a part of the work."""
    ours()  # compiles, imports, fills caches
    pairs = [(seconds(other) * other_scale, seconds(ours)) for _ in range(rounds)]
    return Row(
        work=work,
        other=other_name,
        seconds_other=statistics.median(pair[0] for pair in pairs),
        seconds_ours=statistics.median(pair[1] for pair in pairs),
        times=statistics.median(theirs / mine for theirs, mine in pairs),
        rounds=rounds,
        target=target,
    )


def beside(work: str, limit: float, ours: float) -> Row:
    """How close ours comes to the seconds that a loop in C takes on such a machine, as the task states them."""
    return Row(work, "C, as stated by the task", limit, ours, limit / ours, 1)


def report(title: str, rows: Sequence[Row], notes: Sequence[str] = ()) -> bool:
    """Print the table as Markdown; False when a row misses its target."""
    print(f"\n{title}\n{machine()}\n")
    print("| work | other tool | other | ours | times faster | at least | rounds |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for row in rows:
        target = f"{row.target:g}{'' if row.holds else ' MISSED'}" if row.target else ""
        print(
            f"| {row.work} | {row.other} | {duration(row.seconds_other)} | {duration(row.seconds_ours)} "
            f"| {row.times:.{1 if row.times >= 1 else 2}f} | {target} | {row.rounds} |"
        )
    for note in notes:
        print(f"\n{note}")
    return all(row.holds for row in rows)


def duration(value: float) -> str:
    """Seconds in the unit that reads best.

    >>> duration(0.00874), duration(3.2)
    ('8.7 ms', '3.20 s')
    """
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


def machine() -> str:
    """The machine in a line, with what `make test` measures machines by: 0.20 s on a fast one, 0.55 s on a busy one."""
    took = min(cpu_seconds(loop) for _ in range(3))
    return f"{_page.machine()}, medians of paired runs; the loop of `make test` takes {took:.2f} s"
