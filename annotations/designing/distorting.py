"""What each way of drawing costs and reveals, so that researchers make an informed choice.

Rounding to the shares that people can give hides which side is which but distorts predictions; whole percentages
draw predictions as they are, but immediately reveal shares that five people could never have given. Both are
measured on the planned comparisons, before anybody has seen them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.utils.translation import gettext as _

from annotations.designing.concealing import DrawnPair
from annotations.designing.pairing import Pairs, Shown, read_pairs
from annotations.ground.arrays import Matrix, Vector
from annotations.ground.display_rule import EXACT, NEARLY, PERCENT, DisplayMode, DisplayRule, parts_of_step
from annotations.ground.leaks import Tells, by_grid, learned_leak
from annotations.models import Compares, Study
from annotations.shown.plurals import in_percent, one_decimal

STEPS = (0.05, 0.1, 0.2)
"""The fixed steps that a plan compares with the grid and with whole percentages."""

FAR = 5
"""From this many points on, a bar is notably off."""


@dataclass(frozen=True, slots=True)
class Distortion:
    """How far drawn bars are from the predictions, over all bars on systems' sides, in points (hundredths).

    Args:
        bars: how many bars are drawn.
        mean, p95, most: the mean, 95th percentile and maximum of |drawn - predicted|; None without any bars.
        far: the share of bars that are off by more than `FAR` points; None without any bars.
        below: bars drawn for shares at or below the threshold.
        undrawn: shares above the threshold drawn without a bar.
        people: the maximum of |drawn - said| over the bars on human sides; None if there are none.
        comparisons, identical: how many there are, and in how many of them the two drawn sides look the same.
    """

    bars: int
    mean: float | None
    p95: float | None
    most: float | None
    far: float | None
    below: int
    undrawn: int
    people: float | None
    comparisons: int
    identical: int

    @property
    def statement(self) -> str:
        if self.mean is None or self.p95 is None or self.most is None or self.far is None:
            return _("No prediction is drawn with a bar.")
        told = _(
            "The bars of predictions differ from the predictions by {mean} points on average and by up to "
            "{most} points "
            "({far} of the bars by more than {limit})."
        ).format(mean=one_decimal(self.mean), most=one_decimal(self.most), far=in_percent(self.far), limit=FAR)
        if self.below:
            told += " " + _("{number} of them show shares that do not exceed the threshold.").format(number=self.below)
        return told


@dataclass(frozen=True, slots=True)
class DisplayChoice:
    """One way of drawing a plan's comparisons: what it costs, and what it reveals.

    Args:
        mode, step: as in a study's settings (`DisplayRule`).
        is_chosen: whether the study uses it.
        by_grid: how often somebody who knows only how many people judged each text identifies their side; None between
            systems.
        learned: a lower bound for the same after learning from other texts (leaking.py); None between systems, and if
            there are too few comparisons to learn from.
        given_away: comparisons in which one side can only be a system's.
    """

    mode: DisplayMode
    step: float | None
    is_chosen: bool
    distortion: Distortion
    by_grid: float | None = None
    learned: float | None = None
    given_away: int | None = None

    @property
    def name(self) -> str:
        """Its name in words.

        >>> nothing = Distortion(0, None, None, None, None, 0, 0, None, 0, 0)
        >>> [DisplayChoice(*way, False, nothing).name for way in [("grid", None), ("step", 0.05), ("exact", 0.01)]]
        ['the shares that people can give', 'steps of 5%', 'whole percentages']
        """
        if self.mode == "grid":
            return _("the shares that people can give")
        if self.mode == "exact" or self.step is None:
            return _("whole percentages")
        return _("steps of {step}").format(step=in_percent(self.step))


def distortion(pairs: Pairs, rule: DisplayRule, *, with_people: bool) -> Distortion:
    """What drawing by this rule does to comparisons. `with_people`: whether their first sides are human."""
    drawn = [rule.percentages(side, people=pairs.people, task=pairs.task) for side in (pairs.first, pairs.second)]
    exact: list[Matrix] = [side * PERCENT for side in (pairs.first, pairs.second)]
    systems = slice(1, 2) if with_people else slice(0, 2)
    percent, share = np.concatenate(drawn[systems]), np.concatenate(exact[systems])
    has_bar, is_above = percent > 0, share > (rule.threshold + NEARLY) * PERCENT
    off = np.abs(percent - share)[has_bar]
    of_people = np.abs(drawn[0] - exact[0])[drawn[0] > 0] if with_people else np.empty(0)
    return Distortion(
        bars=len(off),
        mean=_of(off, np.mean),
        p95=_of(off, lambda values: np.percentile(values, 95)),
        most=_of(off, np.max),
        far=_of(off, lambda values: np.mean(values > FAR + NEARLY)),
        below=int((has_bar & ~is_above).sum()),
        undrawn=int((is_above & ~has_bar).sum()),
        people=_of(of_people, np.max),
        comparisons=len(pairs),
        identical=int((drawn[0] == drawn[1]).all(axis=1).sum()),
    )


def _of(values: Vector, what: Callable[[Vector], np.floating]) -> float | None:
    return float(what(values)) if len(values) else None


def display_choices(
    *, study: Study, shown: Sequence[Shown], only_own: bool = False, learns: bool = True
) -> tuple[DisplayChoice, ...]:
    """The grid, some fixed steps, the study's own, and whole percentages: from coarsest to finest.

    Args:
        study: loaded with its settings and dataset; stored or not.
        shown: its comparisons.
        only_own: leave out the alternatives, once they can no longer be chosen.
        learns: as for `weighed`.
    """
    if not shown:
        return ()
    own, with_people = DisplayRule.of(study), study.compares == Compares.HUMAN_VS_SYSTEM
    steps = {parts_of_step(step): step for step in (*STEPS, EXACT)} if not only_own else {}
    if own.step is not None:
        steps[parts_of_step(own.step)] = own.step
    wanted: list[float | None] = [steps[parts] for parts in sorted(steps)]
    if with_people and (own.step is None or not only_own):
        wanted.insert(0, None)
    # In the same order as in concealing.py, so that the same comparisons give the same figure to the last digit.
    pairs = read_pairs(study=study, shown=sorted(shown, key=lambda one: one[1:]))
    rules = [DisplayRule.with_step(step, threshold=own.threshold, version=own.version) for step in wanted]
    return tuple(weighed(pairs, rule, is_chosen=rule == own, with_people=with_people, learns=learns) for rule in rules)


def weighed(
    pairs: Pairs, rule: DisplayRule, *, is_chosen: bool = False, with_people: bool = True, learns: bool = True
) -> DisplayChoice:
    """What drawing comparisons by this rule costs and reveals.

    `with_people`: as for `distortion`. `learns`: also measure what can be learned from the shapes, which takes longest.
    """
    cost = distortion(pairs, rule, with_people=with_people)
    choice = DisplayChoice(mode=rule.mode, step=rule.step, is_chosen=is_chosen, distortion=cost)
    if not with_people:
        return choice
    people, systems = (
        rule.percentages(side, people=pairs.people, task=pairs.task) for side in (pairs.first, pairs.second)
    )
    parts = np.broadcast_to(rule.parts(pairs.people), pairs.people.shape)
    guessed = [
        DrawnPair(instance, judged, into, human[human > 0], system[system > 0])
        for instance, judged, into, human, system in zip(
            pairs.instance.tolist(), pairs.people.tolist(), parts.tolist(), people, systems, strict=True
        )
        if (human != system).any()
    ]
    tells = Tells.of(rule.percentages(pairs.P, people=pairs.parts, task=pairs.task))
    return replace(
        choice,
        by_grid=by_grid(guessed) if guessed else 0.5,
        learned=learned_leak(guessed, interval=False).right if learns else None,
        given_away=int(tells.give_away(systems).sum()),
    )
