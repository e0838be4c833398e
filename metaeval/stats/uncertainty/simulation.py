"""How uncertainty among people affects agreement with a machine: a random labeller, and curves over certainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from annotations.arrays import Codes
from metaeval.checking import checked_array, checked_choice, checked_count, checked_number
from metaeval.sampling import Replicates, ResamplingPlan, Seed, chosen_seed, seed_sequence, stream
from metaeval.stats.agreement import Annotations, krippendorff_alpha
from metaeval.stats.agreement.annotations import as_annotations
from metaeval.stats.results import Statistic

from .pairing import Paired, paired, side_by_side
from .partitions import partitions_by_agreement
from .typical import Scale, typical_labels

ALWAYS_UNDEFINED = "alpha is undefined in every repeat"

SHARES = tuple(step / 10 for step in range(11))
_MILLION = 1_000_000


@dataclass(frozen=True)
class CurvePoint(Statistic):
    """Alphas if a share of the items is certain: means over repeats, with their standard deviations.

    Attributes
    ----------
    share : float
        The share of certain items.
    among_humans, with_machine : float
        Mean alphas; NaN where they are undefined.
    among_humans_sd, with_machine_sd : float
        Their standard deviations.
    n_resamples : int
        How many repeats there were.
    undefined : int
        In how many of them one of the two has no value; means are over the others.
    reason : str
        Why the value is undefined; empty if it is defined.
    """

    share: float
    among_humans: float
    with_machine: float
    among_humans_sd: float
    with_machine_sd: float
    n_resamples: int
    undefined: int = 0
    reason: str = ""


def random_labeller(
    human: Annotations, *, labels_an_item: int = 1, seed: Seed | None = None, rng: Seed | None = None
) -> Annotations:
    """A machine that labels each of the items uniformly at random: the baseline that any other should beat.

    Parameters
    ----------
    human : Annotations
        People's labels.
    labels_an_item : int, default 1
        How many labels to draw per item.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.

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


def simulated_curve(
    *,
    items: int = 200,
    annotators: int = 3,
    labels: int = 5,
    shares: Sequence[float] = SHARES,
    accuracy: float | None = None,
    scale: Scale = "nominal",
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
    scale : {'nominal', 'ordinal'}, default 'nominal'
        Whether labels are ordered.
    n_resamples : int, default 20
        How many repeats per share.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.

    Returns
    -------
    tuple of CurvePoint
        One per share.

    Raises
    ------
    ValueError
        If a share or the accuracy is not in [0, 1].

    Notes
    -----
    On a certain item, all annotators give the same label, drawn uniformly; on an uncertain one, each draws their own.
    The machine gives a certain item's label with probability `accuracy`, and otherwise a random label; None means the
    random labeller throughout. With few certain items, even the random labeller agrees with the majority as well as
    people agree with each other; with many, it does not: the effect of Figure 2 of Elangovan et al. (2025).

    Every share and repeat has its own random numbers, so points can be computed separately.

    References
    ----------
    Elangovan et al. 2025, Figure 2.
    """
    seed = chosen_seed(seed, rng)
    _check(shares, n_resamples, accuracy)
    items, annotators, labels = (
        checked_count(name, value, least)
        for name, value, least in (("items", items, 1), ("annotators", annotators, 1), ("labels", labels, 1))
    )
    checked_choice("scale", scale, get_args(Scale))
    root = seed_sequence(seed)

    def once(share: float, repeat: int) -> tuple[float, float]:
        rng = _generator(root, share, repeat)
        certain = np.arange(items) < round(share * items)
        truth = rng.integers(0, labels, items)
        votes = rng.integers(0, labels, (annotators, items))
        votes[:, certain] = truth[certain]
        model = rng.integers(0, labels, items)
        knows = certain & (rng.random(items) < (0.0 if accuracy is None else accuracy))
        model[knows] = truth[knows]
        people = Annotations.from_matrix(votes, labels=range(labels))
        return _alphas(people, typical_labels(people, scale).codes, model, scale)

    return tuple(_point(share, [once(share, repeat) for repeat in range(n_resamples)]) for share in shares)


def subset_curve(
    human: Annotations,
    machine: Annotations,
    scale: Scale = "nominal",
    *,
    shares: Sequence[float] = SHARES,
    size: int = 100,
    n_resamples: int = 20,
    seed: Seed | None = None,
    rng: Seed | None = None,
) -> tuple[CurvePoint, ...]:
    """Alpha among people and with a machine in random subsets of real items, against the share of certain items.

    Parameters
    ----------
    human : Annotations
        People's labels.
    machine : Annotations
        The machine's labels.
    scale : {'nominal', 'ordinal'}, default 'nominal'
        Whether labels are ordered.
    shares : sequence of float, optional
        Shares of certain items.
    size : int, default 100
        How many items a subset has.
    n_resamples : int, default 20
        How many repeats per share.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.

    Returns
    -------
    tuple of CurvePoint
        One per share.

    Raises
    ------
    ValueError
        If a share is not in [0, 1], or the size is below 1.

    Notes
    -----
    Certain items are those with PA = 100%. Items are drawn without replacement, the certain ones from those on which
    everyone agrees. If there are too few items of a kind, the share is undefined and says so. Figure 5 of Elangovan et
    al. (2025) uses subsets of 100.

    References
    ----------
    Elangovan et al. 2025, Figure 5.
    """
    seed = chosen_seed(seed, rng)
    _check(shares, n_resamples, None)
    size = checked_count("size", size, hint=", the items of a subset")
    checked_choice("scale", scale, get_args(Scale))
    both = paired(human, machine)
    agreed = np.zeros(len(both.places), dtype=np.bool_)
    agreed[list(partitions_by_agreement(both.human, scale)[1].items)] = True
    sure, unsure = np.flatnonzero(agreed), np.flatnonzero(~agreed)
    people, model = (typical_labels(side, scale).codes for side in (both.human, both.machine))
    root = seed_sequence(seed)
    points = []
    for share in shares:
        wanted = round(share * size)
        if wanted > len(sure) or size - wanted > len(unsure):
            reason = f"{len(sure)} certain and {len(unsure)} uncertain items, {wanted} and {size - wanted} wanted"
            points.append(CurvePoint(share, math.nan, math.nan, math.nan, math.nan, 0, reason=reason))
            continue
        values = [
            _subset(both, people, model, scale, _drawn(_generator(root, share, repeat), sure, unsure, wanted, size))
            for repeat in range(n_resamples)
        ]
        points.append(_point(share, values))
    return tuple(points)


def _subset(both: Paired, people: Codes, model: Codes, scale: Scale, chosen: Codes) -> tuple[float, float]:
    return _alphas(both.human.only(chosen), people[chosen], model[chosen], scale)


def _drawn(rng: np.random.Generator, sure: Codes, unsure: Codes, wanted: int, size: int) -> Codes:
    parts = rng.choice(sure, wanted, replace=False), rng.choice(unsure, size - wanted, replace=False)
    return np.concatenate(parts)


def _alphas(people: Annotations, typical: Codes, model: Codes, scale: Scale) -> tuple[float, float]:
    among = krippendorff_alpha(people, scale).value
    return among, krippendorff_alpha(side_by_side(people, typical, model), scale).value


def _point(share: float, values: Sequence[tuple[float, float]]) -> CurvePoint:
    pairs = np.array(values)
    defined = pairs[np.isfinite(pairs).all(axis=1)]
    undefined = len(pairs) - len(defined)
    if not len(defined):
        reason = ALWAYS_UNDEFINED
        return CurvePoint(share, math.nan, math.nan, math.nan, math.nan, len(pairs), undefined, reason)
    mean, spread = defined.mean(axis=0), defined.std(axis=0, ddof=1) if len(defined) > 1 else (math.nan, math.nan)
    return CurvePoint(share, float(mean[0]), float(mean[1]), float(spread[0]), float(spread[1]), len(pairs), undefined)


def _generator(root: np.random.SeedSequence, share: float, repeat: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(stream(stream(root, round(share * _MILLION)), repeat)))


def _check(shares: Sequence[float], n_resamples: int, accuracy: float | None) -> None:
    checked_count("n_resamples", n_resamples)
    given = checked_array("shares", shares, 1, "shares of certain items in [0, 1]")
    if given.size and not 0 <= given.min() <= given.max() <= 1:
        msg = f"shares are {list(shares)}; expected shares of certain items in [0, 1]"
        raise ValueError(msg)
    if accuracy is not None:
        checked_number("accuracy", accuracy, least=0, most=1, expected="a share in [0, 1], or None")
