"""Ways of drawing the two sides, compared while a study is set up, quickly, on a few random comparisons.

A plan measures the same for all its comparisons, and also what can be learned from their shapes (figures.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from annotations.designing.averaging import candidates
from annotations.designing.distorting import DisplayChoice, weighed
from annotations.designing.pairing import Pairs, Shown, read_pairs
from annotations.ground.arrays import absent_rows
from annotations.ground.display_rule import EXACT, DisplayRule, parts_of_step
from annotations.ground.seeding import RandomChoice, generator
from annotations.models import Compares, Study
from annotations.shown.plurals import in_percent, one_decimal

MOST_COMPARISONS, MOST_SYSTEMS = 240, 12
OFFERED: tuple[float | None, ...] = (None, 0.05, 0.1, EXACT)
"""The grid of the annotations, whole 5%, whole 10%, whole percentages."""
SURE = 0.6
"""Above this share of correct guesses from the rounded numbers alone, the numbers themselves reveal the human side."""


@dataclass(frozen=True, slots=True)
class WeighedDisplay:
    """One way of drawing, and what it means for the study in words."""

    choice: DisplayChoice
    is_recommended: bool
    given_away: float | None
    """The share of comparisons in which one side can only be a system's; None between systems."""

    @property
    def title(self) -> str:
        if self.choice.mode == "grid":
            return _("As finely as the annotations allow")
        if self.choice.mode == "exact" or self.choice.step is None:
            return _("Exact: whole percentages")
        return _("In steps of {step}").format(step=in_percent(self.choice.step))

    @property
    def sentence(self) -> str:
        """What it costs and reveals."""
        off = self.choice.distortion
        told = (
            _("No prediction is drawn with a bar.")
            if off.mean is None
            else _("The bar of a prediction is off by {mean} points on average and by up to {most} points.").format(
                mean=one_decimal(off.mean), most=f"{off.most:.0f}"
            )
        )
        if off.identical:
            told += " " + _("In {number} of {comparisons} comparisons, both sides look the same.").format(
                number=off.identical, comparisons=off.comparisons
            )
        if self.choice.by_grid is not None:
            told += " " + _(
                "From the rounded numbers alone, one could guess the human side {share} of the time (chance is 50%)."
            ).format(share=in_percent(self.choice.by_grid))
        return told

    @property
    def warning(self) -> str:
        """Why not to choose it; empty if there is no reason not to."""
        if self.choice.by_grid is None or self.choice.by_grid <= SURE:
            return ""
        return _("The numbers themselves reveal to experts which side came from people.")


@dataclass(frozen=True, slots=True)
class WeighedDisplays:
    """All the ways offered, for a threshold. `comparisons`: how many they were measured on."""

    comparisons: int
    threshold: float
    displays: tuple[WeighedDisplay, ...]
    hidden: float | None
    """The proportion of labels with a predicted share above zero that are drawn without a bar; None if there are
    none.
    """

    @property
    def sentence(self) -> str:
        """What the threshold does, and what the figures are based on."""
        if not self.comparisons:
            return _("There is nothing to compare yet, so nothing can be measured.")
        measured = _("Measured on {number} randomly drawn comparisons.").format(number=self.comparisons)
        if self.hidden is None:
            return measured
        hidden = _("The threshold hides {share} of the labels that systems predict.")
        return f"{hidden.format(share=in_percent(self.hidden))} {measured}"


def weigh_displays(study: Study) -> WeighedDisplays:
    """The ways of drawing a study, with its current settings in memory. A handful of queries."""
    own, with_people = DisplayRule.of(study), study.compares == Compares.HUMAN_VS_SYSTEM
    pairs = _predicted(read_pairs(study=study, shown=at_random(study)))
    steps = {None if step is None else parts_of_step(step): step for step in (*OFFERED, own.step)}
    if not with_people:
        steps.pop(None, None)
    if own.step is not None:
        steps[parts_of_step(own.step)] = own.step
    if not len(pairs):
        return WeighedDisplays(0, own.threshold, (), None)
    best = None if with_people else EXACT
    found = []
    for step in sorted(steps.values(), key=lambda step: (step != best, -(step or 1))):
        rule = DisplayRule.with_step(step, threshold=own.threshold, version=own.version)
        choice = weighed(pairs, rule, is_chosen=rule == own, with_people=with_people, learns=False)
        away = None if choice.given_away is None else choice.given_away / len(pairs)
        found.append(WeighedDisplay(choice, is_recommended=step == best, given_away=away))
    predicted = pairs.second[pairs.second > 0]
    hidden = float(np.mean(predicted <= own.threshold)) if len(predicted) else None
    return WeighedDisplays(len(pairs), own.threshold, tuple(found), hidden)


def at_random(study: Study) -> list[Shown]:
    """Random comparisons that the study could have; the same for the same seed."""
    found, texts = candidates(study), study.dataset.instances.count()
    with_people = study.compares == Compares.HUMAN_VS_SYSTEM
    rng = generator(study.seed, RandomChoice.WEIGHING)
    if len(found.systems) < (1 if with_people else 2) or not texts:
        return []
    keys = [found.key(int(place)) for place in rng.permutation(len(found.systems))[:MOST_SYSTEMS]]
    shown: list[Shown] = []
    for number in range(min(MOST_COMPARISONS, len(keys) * texts)):
        second = keys[number % len(keys)]
        first = None if with_people else keys[(number + 1 + number // len(keys) % (len(keys) - 1)) % len(keys)]
        shown.append((first, second, int(rng.integers(texts))))
    return shown


def _predicted(pairs: Pairs) -> Pairs:
    """The pairs without comparisons on instances that a system does not predict."""
    kept = ~(absent_rows(pairs.first) | absent_rows(pairs.second))
    return Pairs(pairs.instance[kept], pairs.first[kept], pairs.second[kept], pairs.P, pairs.parts, pairs.task)
