"""How uncertainty among people affects agreement with a machine: a random labeller, and curves over certainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np

from annotations.ground.arrays import Codes, Vector
from metaeval.checking import checked_array, checked_choice, checked_count, checked_number
from metaeval.describing import described, described_as
from metaeval.sampling import Replicates, ResamplingPlan, Seed, chosen_seed, seed_sequence, stream
from metaeval.stats.agreement import Annotations, krippendorff_alpha
from metaeval.stats.agreement.annotations import as_annotations
from metaeval.stats.results import Statistic

from .items import Scale, Ties, one_of_each, paired, partitions_by_agreement, side_by_side, typical_labels

ALWAYS_UNDEFINED = "alpha is undefined in every repeat"

Uncertain = Literal["each draws", "all differ"]
"""What people do on an item about which they are uncertain."""

SHARES = tuple(step / 10 for step in range(11))
_MILLION = 1_000_000


@described
@dataclass(frozen=True)
class CurvePoint(Statistic):
    """Alphas if a share of the items is certain: means over repeats, with their standard deviations."""

    share: float
    """The share of certain items."""
    among_humans: float
    with_machine: float
    """Mean alphas; NaN where they are undefined."""
    among_humans_sd: float
    with_machine_sd: float
    """Their standard deviations."""
    n_resamples: int
    """How many repeats there were."""
    undefined: int = 0
    """In how many of them one of the two has no value; means are over the others."""
    reason: str = ""
    with_person: float = math.nan
    with_person_sd: float = math.nan
    """Mean alpha of one random person of each item and the others' typical label, and its standard deviation; NaN where
    it is undefined."""


class Alphas(NamedTuple):
    """Of one repeat."""

    among_humans: float
    with_machine: float
    with_person: float


@described
def random_labeller(
    human: Annotations, *, labels_an_item: int = 1, seed: Seed | None = None, rng: Seed | None = None
) -> Annotations:
    """A machine that labels each of the items uniformly at random: the baseline that any other should beat.

    Parameters
    ----------
    labels_an_item : int, default 1
        How many labels to draw per item.

    Returns
    -------
    Annotations
        The random labels.

    Raises
    ------
    ValueError
        If there is less than one label per item.

    Notes
    -----
    `labeller_plan` distributes the items.

    References
    ----------
    Elangovan et al. 2025, Figure 2, which uses this machine.

    Examples
    --------
    >>> model = random_labeller(Annotations.from_counts([[2, 1], [0, 3]]), labels_an_item=2)
    >>> model.item.tolist(), len(model.annotators)
    ([0, 0, 1, 1], 2)
    """
    seed = chosen_seed(seed, rng)
    human = as_annotations(human)
    labels_an_item = checked_count("labels_an_item", labels_an_item)
    items = len(human.items)
    drawn = labeller_plan(items, labels_an_item, len(human.labels), seed).run().ravel() if items else np.zeros(0)
    return replace(
        human,
        item=np.repeat(np.arange(items), labels_an_item),
        annotator=np.tile(np.arange(labels_an_item), items),
        label=drawn.astype(np.int64),
        annotators=np.arange(labels_an_item),
        missing=0,
    )


def labeller_plan(items: int, labels_an_item: int, labels: int, seed: Seed) -> ResamplingPlan:
    """The positions of the random labeller's labels (items, labels_an_item), to distribute."""

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        return np.random.default_rng(stream).integers(0, labels, (size, labels_an_item)).astype(np.float64)

    return ResamplingPlan(draw, n_resamples=items, seed=seed)


@described
def simulated_curve(
    *,
    items: int = 200,
    annotators: int = 3,
    labels: int = 5,
    shares: Sequence[float] = SHARES,
    accuracy: float | None = None,
    scale: Scale = "nominal",
    uncertain: Uncertain = "each draws",
    ties: Ties = "label order",
    n_resamples: int = 20,
    seed: Seed | None = None,
    rng: Seed | None = None,
) -> tuple[CurvePoint, ...]:
    """Alpha among people, and between their typical label and a machine, against the share of certain items.

    Parameters
    ----------
    items, annotators, labels : int, default 200, 3 and 5
        How many there are.
    shares : sequence of float, optional
        Shares of certain items.
    accuracy : float, optional
        Probability with which the machine gives a certain item's label. The default is a machine that labels at random.
    uncertain : {'each draws', 'all differ'}, default 'each draws'
        What annotators do on an uncertain item.
    ties : {'label order', 'first given'}, default 'label order'
        Which of several most frequent labels is the majority.
    n_resamples : int, default 20
        How many repeats per share.

    Returns
    -------
    tuple of CurvePoint
        One per share.

    Raises
    ------
    ValueError
        If a share or the accuracy is not in [0, 1], or if all are to differ and there are fewer labels than annotators.

    Notes
    -----
    On a certain item, all annotators give the same label. By default, it is drawn uniformly, and on an uncertain item
    each annotator draws their own. The paper's code has another design (`uncertain="all differ"`): every label is that
    of equally many certain items, and on an uncertain item the annotators' labels are drawn without replacement, so
    that they always disagree. There, two annotators, two labels, 200 items and `ties="first given"` are its nominal
    dataset; three labels, 600 items and `scale="ordinal"` its ordinal one.

    The machine gives a certain item's label with probability `accuracy`, and otherwise a random label; None means the
    random labeller throughout. With few certain items, even the random labeller agrees with the majority as well as
    people agree with each other (in the paper's design, better); with many, it does not: the effect of Figure 2.

    Every share and repeat has its own random numbers, so points can be computed separately.

    References
    ----------
    Elangovan et al. 2025, Figure 2 and appendix A.11.

    Examples
    --------
    >>> paper = {"annotators": 2, "labels": 2, "uncertain": "all differ", "ties": "first given"}
    >>> for point in simulated_curve(shares=[0.0, 0.5, 1.0], **paper):
    ...     print(round(point.among_humans, 3), abs(point.with_machine) < 0.05)
    -0.995 True
    0.002 True
    1.0 True
    """
    seed = chosen_seed(seed, rng)
    _check(shares, n_resamples, accuracy)
    items, annotators, labels = (
        checked_count(name, value, least)
        for name, value, least in (("items", items, 1), ("annotators", annotators, 1), ("labels", labels, 1))
    )
    checked_choice("scale", scale, get_args(Scale))
    checked_choice("uncertain", uncertain, get_args(Uncertain))
    if uncertain == "all differ" and labels < annotators:
        msg = f"{annotators} annotators cannot all differ with {labels} labels; take fewer annotators or more labels"
        raise ValueError(msg)
    root = seed_sequence(seed)

    def once(share: float, repeat: int) -> Alphas:
        own = _stream(root, share, repeat)
        rng = np.random.default_rng(own)
        certain = np.arange(items) < round(share * items)
        if uncertain == "all differ":
            truth = np.arange(items) % labels
            votes = rng.permuted(np.tile(np.arange(labels), (items, 1)), axis=1)[:, :annotators].T.copy()
        else:
            truth = rng.integers(0, labels, items)
            votes = rng.integers(0, labels, (annotators, items))
        votes[:, certain] = truth[certain]
        model = rng.integers(0, labels, items)
        knows = certain & (rng.random(items) < (0.0 if accuracy is None else accuracy))
        model[knows] = truth[knows]
        people = Annotations.from_matrix(votes, labels=range(labels))
        return _alphas(people, typical_labels(people, scale, ties=ties).codes, model, scale=scale, ties=ties, own=own)

    return tuple(_point(share, [once(share, repeat) for repeat in range(n_resamples)]) for share in shares)


@described_as(simulated_curve)
def subset_curve(
    human: Annotations,
    machine: Annotations,
    scale: Scale = "nominal",
    *,
    shares: Sequence[float] = SHARES,
    size: int = 100,
    ties: Ties = "label order",
    n_resamples: int = 20,
    seed: Seed | None = None,
    rng: Seed | None = None,
) -> tuple[CurvePoint, ...]:
    """Alpha among people and with a machine in random subsets of real items, against the share of certain items.

    Parameters
    ----------
    size : int, default 100
        How many items a subset has.
    ties : {'label order', 'first given'}, default 'label order'
        Which of several most frequent labels is people's majority.

    Raises
    ------
    ValueError
        If a share is not in [0, 1], or the size is below 1.

    Notes
    -----
    Certain items are those with PA = 100%. Items are drawn without replacement, the certain ones from those on which
    everyone agrees. If there are too few items of a kind, the share is undefined and says so. Figures 1 and 5 of
    Elangovan et al. (2025) use such subsets, of 100 items: a point's `among_humans` is their line HH, `with_machine`
    their line of the majorities (H^w M^w), and `with_person` that of people's majority with another person (H^w H').
    The paper does not say whether that person's own label is part of the majority; here it is not.

    References
    ----------
    Elangovan et al. 2025, Figures 1 and 5, appendix A.5.
    """
    seed = chosen_seed(seed, rng)
    _check(shares, n_resamples, None)
    size = checked_count("size", size, hint=", the items of a subset")
    checked_choice("scale", scale, get_args(Scale))
    both = paired(human, machine)
    agreed = np.zeros(len(both.places), dtype=np.bool_)
    agreed[list(partitions_by_agreement(both.human, scale)[1].items)] = True
    sure, unsure = np.flatnonzero(agreed), np.flatnonzero(~agreed)
    people, model = typical_labels(both.human, scale, ties=ties).codes, typical_labels(both.machine, scale).codes
    root = seed_sequence(seed)
    points = []
    for share in shares:
        certain = round(share * size)
        if certain > len(sure) or size - certain > len(unsure):
            reason = f"{len(sure)} certain and {len(unsure)} uncertain items, {certain} and {size - certain} wanted"
            points.append(CurvePoint(share, math.nan, math.nan, math.nan, math.nan, 0, reason=reason))
            continue
        streams = [_stream(root, share, repeat) for repeat in range(n_resamples)]
        drawn = [_drawn(np.random.default_rng(own), sure, unsure, certain, size) for own in streams]
        values = [
            _alphas(both.human.only(chosen), people[chosen], model[chosen], scale=scale, ties=ties, own=own)
            for chosen, own in zip(drawn, streams, strict=True)
        ]
        points.append(_point(share, values))
    return tuple(points)


def _drawn(rng: np.random.Generator, sure: Codes, unsure: Codes, certain: int, size: int) -> Codes:
    parts = rng.choice(sure, certain, replace=False), rng.choice(unsure, size - certain, replace=False)
    return np.concatenate(parts)


def _alphas(
    people: Annotations, typical: Codes, model: Codes, *, scale: Scale, ties: Ties, own: np.random.SeedSequence
) -> Alphas:
    person, others = _one_and_the_others(people, stream(own, 0))
    compared = (
        people,
        side_by_side(people, typical, model),
        side_by_side(people, typical_labels(others, scale, ties=ties).codes, person),
    )
    return Alphas(*(krippendorff_alpha(annotations, scale).value for annotations in compared))


def _one_and_the_others(people: Annotations, seed: Seed) -> tuple[Codes, Annotations]:
    """The label of one random person of each item, and the labels of all others."""
    person = one_of_each(people, seed)
    alike = np.flatnonzero(people.label == person[people.item])
    rest = np.delete(np.arange(len(people.item)), alike[np.unique(people.item[alike], return_index=True)[1]])
    who = None if people.annotator is None else people.annotator[rest]
    return person, replace(people, item=people.item[rest], annotator=who, label=people.label[rest])


def _point(share: float, values: Sequence[Alphas]) -> CurvePoint:
    every = np.array(values)
    defined = every[np.isfinite(every[:, :2]).all(axis=1)]
    undefined = len(every) - len(defined)
    if not len(defined):
        reason = ALWAYS_UNDEFINED
        return CurvePoint(share, math.nan, math.nan, math.nan, math.nan, len(every), undefined, reason)
    (among, among_sd), (machine, machine_sd), (person, person_sd) = map(_mean_and_spread, defined.T)
    return CurvePoint(
        share,
        among,
        machine,
        among_sd,
        machine_sd,
        len(every),
        undefined,
        with_person=person,
        with_person_sd=person_sd,
    )


def _mean_and_spread(values: Vector) -> tuple[float, float]:
    """Of the values that there are; NaN if there are too few."""
    values = values[np.isfinite(values)]
    mean = float(values.mean()) if len(values) else math.nan
    return mean, float(values.std(ddof=1)) if len(values) > 1 else math.nan


def _stream(root: np.random.SeedSequence, share: float, repeat: int) -> np.random.SeedSequence:
    return stream(stream(root, round(share * _MILLION)), repeat)


def _check(shares: Sequence[float], n_resamples: int, accuracy: float | None) -> None:
    checked_count("n_resamples", n_resamples)
    checked = checked_array("shares", shares, 1, "shares of certain items in [0, 1]")
    if checked.size and not 0 <= checked.min() <= checked.max() <= 1:
        msg = f"shares are {list(shares)}; expected shares of certain items in [0, 1]"
        raise ValueError(msg)
    if accuracy is not None:
        checked_number("accuracy", accuracy, least=0, most=1, expected="a share in [0, 1], or None")
