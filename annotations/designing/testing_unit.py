"""What a test of a study will exchange, and how small p can become: said before there are any answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from annotations.designing.several_runs import Named, counted, runs_in_words
from annotations.units import Crossing, Exchangeable, count_permutations, default_exchangeable, explained, smallest_p

PERMUTATIONS = 100_000
"""As many as the correlation of metrics with the experts' preference draws, unless it is asked for others."""

LEVEL = 0.05

MORE: dict[Exchangeable, str] = {
    "systems": "more systems",
    "within model": "more methods in each model",
    "methods jointly": "more methods",
    "models jointly": "more models",
    "models and methods": "more methods, or more models with the same methods",
}


@dataclass(frozen=True, slots=True)
class TestingUnit:
    """What is exchanged under the null hypothesis, and what follows from it.

    `smallest_p`: of a two-sided permutation test, whatever the experts answer. `warning`: empty if there is nothing to
    mend.
    """

    exchangeable: Exchangeable
    explained: str
    permutations: int
    smallest_p: float
    warning: str

    @property
    def record(self) -> dict[str, str]:
        """What exports and bundles state of it."""
        return {"exchangeable": self.exchangeable, "explained": self.explained}

    @property
    def statement(self) -> str:
        return f"{self.explained} The smallest p that a test can give here is {p_in_words(self.smallest_p)}."


def unit_of(systems: Sequence[Named]) -> TestingUnit | None:
    """The unit that follows from the systems' names; None for fewer than two systems.

    >>> unit = unit_of([(model, method, "") for model in "AB" for method in "wxyz"])
    >>> unit.exchangeable, round(unit.smallest_p, 4), unit.warning
    ('models and methods', 0.0417, '')
    >>> print(unit_of([("A", method, "") for method in "wxyz"]).warning)
    With 4 systems the smallest p that this study can reach is .083: it cannot show anything at 5%. Add more systems.
    """
    if len(systems) < 2:
        return None
    crossing = Crossing.of([(model, method) for model, method, _ in systems])
    unit = default_exchangeable(crossing)
    p = smallest_p(crossing, unit, permutations=PERMUTATIONS)
    return TestingUnit(
        exchangeable=unit,
        explained=explained(crossing, unit),
        permutations=count_permutations(crossing, unit),
        smallest_p=p,
        warning=_warning(systems, crossing, unit, p),
    )


def _warning(systems: Sequence[Named], crossing: Crossing, unit: Exchangeable, p: float) -> str:
    found = []
    if runs := runs_in_words(systems):
        found.append(
            f"{runs} are compared as {counted(len(systems), 'system')}. Runs of one method are not independent: "
            "what is found with them as units is chance too often. Let the study compare their means."
        )
    if p > LEVEL:
        models, methods = len(crossing.model_names), len(crossing.method_names)
        have = {
            "systems": counted(len(systems), "system"),
            "models jointly": counted(models, "model"),
            "methods jointly": counted(methods, "method"),
        }.get(unit, f"{counted(models, 'model')} and {counted(methods, 'method')}")
        found.append(
            f"With {have} the smallest p that this study can reach is {p_in_words(p)}: it cannot show anything at 5%. "
            f"Add {MORE[unit]}."
        )
    return " ".join(found)


def p_in_words(p: float) -> str:
    """With two digits that count.

    >>> [p_in_words(p) for p in (2 / 24, 2 / 120, 2 / 720, 2 / 100_001, 1.0)]
    ['.083', '.017', '.0028', '.000020', '1']
    """
    if p >= 1:
        return "1"
    return f"{p:.{1 - math.floor(math.log10(p))}f}".lstrip("0")
