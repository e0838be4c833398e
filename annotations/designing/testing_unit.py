"""What a test of a study will exchange, and how small p can become: known before there are any answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.designing.averaging import Named, runs_in_words
from annotations.ground.units import (
    Crossing,
    Exchangeable,
    count_permutations,
    default_exchangeable,
    explained,
    smallest_p,
)
from annotations.shown.plurals import filled, said

PERMUTATIONS = 100_000
"""The default number of permutations in the correlation of metrics with the experts' preference."""

LEVEL = 0.05

MORE: dict[Exchangeable, str] = {
    "systems": gettext_noop("Add more systems."),
    "within model": gettext_noop("Add more methods in each model."),
    "methods jointly": gettext_noop("Add more methods."),
    "models jointly": gettext_noop("Add more models."),
    "models and methods": gettext_noop("Add more methods, or more models with the same methods."),
}


@dataclass(frozen=True, slots=True)
class TestingUnit:
    """What is exchanged under the null hypothesis, and what follows from it.

    `smallest_p`: the smallest p-value of a two-sided permutation test, whatever the experts answer. `warning`: empty
    if there is nothing to fix.
    """

    exchangeable: Exchangeable
    crossing: Crossing = field(compare=False)  # an array has no one answer to whether it is another
    permutations: int
    smallest_p: float
    warning: str

    @property
    def record(self) -> dict[str, str]:
        """What exports and bundles say about it."""
        return {"exchangeable": self.exchangeable, "explained": explained(self.crossing, self.exchangeable)}

    @property
    def explained(self) -> str:
        """What is exchanged and why, in the reader's language."""
        return explained(self.crossing, self.exchangeable, say=said)

    @property
    def statement(self) -> str:
        smallest = _("The smallest p-value that a test can give here is {p}.").format(p=p_in_words(self.smallest_p))
        return f"{self.explained} {smallest}"


def unit_of(systems: Sequence[Named]) -> TestingUnit | None:
    """The unit that follows from the systems' names; None for fewer than two systems.

    >>> unit = unit_of([(model, method, "") for model in "AB" for method in "wxyz"])
    >>> unit.exchangeable, round(unit.smallest_p, 4), unit.warning
    ('models and methods', 0.0417, '')
    >>> unit_of([("A", method, "") for method in "wxyz"]).warning[-61:]
    'so it cannot show anything at the 5% level. Add more systems.'
    """
    if len(systems) < 2:
        return None
    crossing = Crossing.of([(model, method) for model, method, _ in systems])
    unit = default_exchangeable(crossing)
    p = smallest_p(crossing, unit, permutations=PERMUTATIONS)
    return TestingUnit(
        exchangeable=unit,
        crossing=crossing,
        permutations=count_permutations(crossing, unit),
        smallest_p=p,
        warning=_warning(systems, crossing, unit, p),
    )


def _warning(systems: Sequence[Named], crossing: Crossing, unit: Exchangeable, p: float) -> str:
    warnings = []
    if runs := runs_in_words(systems):
        warnings.append(
            _(
                "{runs} are compared as {number} separate systems. Runs of one method are not independent, so chance "
                "differences would too often count as findings. Let the study compare the means of the runs."
            ).format(runs=runs, number=len(systems))
        )
    if p > LEVEL:
        models, methods = len(crossing.model_names), len(crossing.method_names)
        have = {
            "systems": _("{systems, plural, one {# system} other {# systems}}"),
            "models jointly": _("{models, plural, one {# model} other {# models}}"),
            "methods jointly": _("{methods, plural, one {# method} other {# methods}}"),
        }.get(
            unit,
            _(
                "{models, plural, one {# model} other {# models}} and {methods, plural, one {# method} other "
                "{# methods}}"
            ),
        )
        have = filled(have, systems=len(systems), models=models, methods=methods)
        warnings.append(
            _(
                "With {have}, the smallest p-value that this study can reach is {p}, so it cannot show anything at the "
                "5% level."
            ).format(have=have, p=p_in_words(p))
            + " "
            + translation.gettext(MORE[unit])
        )
    return " ".join(warnings)


def p_in_words(p: float) -> str:
    """p with two significant digits.

    >>> [p_in_words(p) for p in (2 / 24, 2 / 120, 2 / 720, 2 / 100_001, 1.0)]
    ['.083', '.017', '.0028', '.000020', '1']
    """
    if p >= 1:
        return "1"
    return f"{p:.{1 - math.floor(math.log10(p))}f}".lstrip("0")
