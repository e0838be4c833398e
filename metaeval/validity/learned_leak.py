"""How low the learned leak is if there is little to learn from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Counts
from annotations.ground.leaks import FEWEST_TO_LEARN_FROM, named_rightly
from metaeval.validity.sections import Effort, ValidityTable, validity_section

PEOPLE, LABELS, A_TEXT = 5, 6, 5
COMPARISONS = (28, 100, FEWEST_TO_LEARN_FROM, 728)
LARGE = 10_000
CAUTION = {"systems as people": 0.0, "a little more cautious": 0.2, "more cautious": 0.45}
ONE_IN = 20
"""Each study is cross-validated twenty times."""


class SimulatedPair(NamedTuple):
    """A simulated comparison, for `learned_leak`."""

    instance: int
    people: int
    parts: int
    human: Counts
    system: Counts


def simulated(rng: np.random.Generator, comparisons: int, caution: float) -> list[SimulatedPair]:
    """Comparisons, five per text. With probability `caution`, a system does not give a label a share of 0 or 1."""
    return [
        SimulatedPair(number // A_TEXT, PEOPLE, PEOPLE, _side(rng, 0.0), _side(rng, caution))
        for number in range(comparisons)
    ]


def _side(rng: np.random.Generator, caution: float) -> Counts:
    counts = rng.integers(0, PEOPLE + 1, LABELS)
    kept = np.where(rng.random(LABELS) < caution, np.clip(counts, 1, PEOPLE - 1), counts)
    percent: Counts = (kept * (100 // PEOPLE)).astype(np.int64)
    return percent[percent > 0]


@validity_section(
    place=80,
    one_in=ONE_IN,
    title="What shapes tell: how many comparisons it takes to say",
    about=f"""
A classifier that has seen the shapes of both sides in other texts is let loose on simulated comparisons, {A_TEXT} a
text, of {PEOPLE} people and {LABELS} labels. Systems differ from people in one habit: they are cautious, and keep away
from shares of none and all. The last column, of {LARGE:,} comparisons, is nearly what there is to be learned by this
classifier; the others are the average of what the plan of a study with so many comparisons would say, and the standard
deviation over studies.
""",
    finding=f"""
Where nothing tells the sides apart, the figure is one half on average, and of one small study anything. Where something
does, few comparisons hide a part of it, for the classifier has too little to learn from, and one small study may look
safe by chance. Below {FEWEST_TO_LEARN_FROM} comparisons a plan therefore names the certain tells only, and what it says
above is called a lower bound.
""",
)
def learned_leak_by_number(effort: Effort) -> list[ValidityTable]:
    studies = max(2, effort.simulations // ONE_IN)
    rows = []
    for place, (name, caution) in enumerate(CAUTION.items()):
        rng = np.random.default_rng([effort.seed, place])
        cells = []
        for comparisons in COMPARISONS:
            found = [named_rightly(simulated(rng, comparisons, caution)) for _ in range(studies)]
            cells.append(f"{100 * np.mean(found):.0f} ({100 * np.std(found, ddof=1):.0f})")
        rows.append((name, *cells, f"{100 * named_rightly(simulated(rng, LARGE, caution)):.0f}"))
    columns = ("", *(f"{number:,} comparisons" for number in COMPARISONS), f"{LARGE:,}")
    return [ValidityTable(columns, rows, "Guessed correctly, in per cent (by chance: 50).")]
