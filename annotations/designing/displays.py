"""What each way of drawing costs and reveals, so that researchers make an informed choice.

Rounding to the shares that people can give hides which side is which but distorts predictions; whole percentages
draw predictions as they are, but immediately reveal shares that five people could never have given. Both are
measured on the planned comparisons, before anybody has seen them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from django.db.models import Count, Max
from django.utils.translation import gettext as _

from annotations.designing.averaging import candidates
from annotations.designing.concealing import Concealment, GivenAway, concealment, drawn_pairs
from annotations.designing.pairing import Pairs, Shown, read_pairs, stored_shown
from annotations.ground.arrays import Matrix, Vector, absent_rows
from annotations.ground.display_rule import EXACT, NEARLY, PERCENT, DisplayMode, DisplayRule, parts_of_step
from annotations.ground.leaks import LearnedLeak, Tells, by_grid, learned_leak
from annotations.ground.seeding import RandomChoice, generator
from annotations.models import Compares, PlanFigures, Study, StudyState
from annotations.shown.plurals import in_percent, one_decimal

STEPS = (0.05, 0.1, 0.2)
"""The fixed steps that a plan compares with the grid and with whole percentages."""

FAR = 5
"""From this many points on, a bar is notably off."""

MOST_COMPARISONS, MOST_SYSTEMS = 240, 12
OFFERED: tuple[float | None, ...] = (None, 0.05, 0.1, EXACT)
"""The grid of the annotations, whole 5%, whole 10%, whole percentages."""
SURE = 0.6
"""Above this share of correct guesses from the rounded numbers alone, the numbers themselves reveal the human side."""

FOLLOWS_FROM = ("compares", "give_aways", "display_threshold", "display_step", "display_rule")


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
        sentence = _(
            "The bars of predictions differ from the predictions by {mean} points on average and by up to {most} "
            "points ({far} of the bars by more than {limit})."
        ).format(mean=one_decimal(self.mean), most=one_decimal(self.most), far=in_percent(self.far), limit=FAR)
        if self.below:
            sentence += " " + _("{number} of them show shares that do not exceed the threshold.").format(
                number=self.below
            )
        return sentence


@dataclass(frozen=True, slots=True)
class DisplayChoice:
    """One way of drawing a plan's comparisons: what it costs, and what it reveals.

    Args:
        mode, step: as in a study's settings (`DisplayRule`).
        is_chosen: whether the study uses it.
        by_grid: how often somebody who knows only how many people judged each text identifies their side; None between
            systems.
        learned: a lower bound for the same after learning from other texts ; None between systems, and if there are too
            few comparisons to learn from.
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


def display_choices(*, study: Study, shown: Sequence[Shown], learns: bool = True) -> tuple[DisplayChoice, ...]:
    """The grid, some fixed steps, the study's own, and whole percentages: from coarsest to finest.

    Args:
        study: loaded with its settings and dataset; stored or not.
        shown: its comparisons.
        learns: as for `weighed`.
    """
    if not shown:
        return ()
    own, with_people = DisplayRule.of(study), study.compares == Compares.HUMAN_VS_SYSTEM
    steps = {parts_of_step(step): step for step in (*STEPS, EXACT)}
    if own.step is not None:
        steps[parts_of_step(own.step)] = own.step
    offered = [*([None] if with_people else []), *(steps[parts] for parts in sorted(steps))]
    # In the same order as in concealing.py, so that the same comparisons give the same figure to the last digit.
    pairs = read_pairs(study=study, shown=sorted(shown, key=lambda pair: pair[1:]))
    rules = [DisplayRule.with_step(step, threshold=own.threshold, version=own.version) for step in offered]
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
    drawn = drawn_pairs(pairs.instance, pairs.people, parts, people, systems)
    guessed = [pair for pair in drawn if not pair.identical]
    tells = Tells.of(rule.percentages(pairs.P, people=pairs.parts, task=pairs.task))
    return replace(
        choice,
        by_grid=by_grid(guessed) if guessed else 0.5,
        learned=learned_leak(guessed, interval=False).right if learns else None,
        given_away=int(tells.give_away(systems).sum()),
    )


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
        sentence = (
            _("No prediction is drawn with a bar.")
            if off.mean is None
            else _("The bar of a prediction is off by {mean} points on average and by up to {most} points.").format(
                mean=one_decimal(off.mean), most=f"{off.most:.0f}"
            )
        )
        if off.identical:
            sentence += " " + _("In {number} of {comparisons} comparisons, both sides look the same.").format(
                number=off.identical, comparisons=off.comparisons
            )
        if self.choice.by_grid is not None:
            sentence += " " + _(
                "From the rounded numbers alone, one could guess the human side {share} of the time (chance is 50%)."
            ).format(share=in_percent(self.choice.by_grid))
        return sentence

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
    """The proportion of labels with a predicted share above zero that get no bar; None if there are no such labels."""

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
    displays = []
    for step in sorted(steps.values(), key=lambda step: (step != best, -(step or 1))):
        rule = DisplayRule.with_step(step, threshold=own.threshold, version=own.version)
        choice = weighed(pairs, rule, is_chosen=rule == own, with_people=with_people, learns=False)
        away = None if choice.given_away is None else choice.given_away / len(pairs)
        displays.append(WeighedDisplay(choice, is_recommended=step == best, given_away=away))
    predicted = pairs.second[pairs.second > 0]
    hidden = float(np.mean(predicted <= own.threshold)) if len(predicted) else None
    return WeighedDisplays(len(pairs), own.threshold, tuple(displays), hidden)


def at_random(study: Study) -> list[Shown]:
    """Random comparisons that the study could have; the same for the same seed."""
    compared, texts = candidates(study), study.dataset.instances.count()
    with_people = study.compares == Compares.HUMAN_VS_SYSTEM
    rng = generator(study.seed, RandomChoice.WEIGHING)
    if len(compared.systems) < (1 if with_people else 2) or not texts:
        return []
    keys = [compared.key(int(place)) for place in rng.permutation(len(compared.systems))[:MOST_SYSTEMS]]
    shown: list[Shown] = []
    for number in range(min(MOST_COMPARISONS, len(keys) * texts)):
        second = keys[number % len(keys)]
        first = None if with_people else keys[(number + 1 + number // len(keys) % (len(keys) - 1)) % len(keys)]
        shown.append((first, second, int(rng.integers(texts))))
    return shown


def _predicted(pairs: Pairs) -> Pairs:
    whole = ~(absent_rows(pairs.first) | absent_rows(pairs.second))
    return Pairs(pairs.instance[whole], pairs.first[whole], pairs.second[whole], pairs.P, pairs.parts, pairs.task)


def plan_figures(*, study: Study) -> tuple[Concealment | None, tuple[DisplayChoice, ...]]:
    """How well the study's stored plan hides which side is which, and what each way of drawing costs; measured once.

    After the draft, only the study's own way of drawing is included, since no other can be chosen any more.
    """
    basis = _basis(study)
    stored = PlanFigures.objects.filter(study=study, basis=basis).first()
    if stored is not None:
        hidden, choices = _read(stored.figures)
    else:
        shown = stored_shown(study)
        hidden = concealment(study=study, shown=((second, instance) for _, second, instance in shown))
        choices = display_choices(study=study, shown=shown)
        figures = {"concealment": hidden and asdict(hidden), "choices": [asdict(choice) for choice in choices]}
        PlanFigures.objects.update_or_create(study=study, defaults={"basis": basis, "figures": figures})
    if study.state != StudyState.DRAFT:
        choices = tuple(choice for choice in choices if choice.is_chosen)
    return hidden, choices


def _basis(study: Study) -> dict[str, Any]:
    """What the figures depend on. A new plan has new comparisons."""
    newest = study.comparisons.aggregate(newest=Max("pk"), comparisons=Count("pk"))
    return {name: getattr(study, name) for name in FOLLOWS_FROM} | newest


def _read(figures: dict[str, Any]) -> tuple[Concealment | None, tuple[DisplayChoice, ...]]:
    hidden = figures["concealment"]
    if hidden:
        given_away = tuple(GivenAway(**system) for system in hidden["given_away"])
        parts = {"learned": LearnedLeak(**hidden["learned"]), "tells": Tells(**hidden["tells"])}
        hidden = Concealment(**hidden | parts | {"given_away": given_away})
    choices = [
        DisplayChoice(**choice | {"distortion": Distortion(**choice["distortion"])}) for choice in figures["choices"]
    ]
    return hidden, tuple(choices)
