"""What a side's drawn shape tells about whether it is the human one, from the values alone, without labels or text.

Three measures. Comparisons whose two sides look the same are left out of them. Needs no Django.

- *Tells* are certain: a side whose bars sum to less than any human side in the dataset, or that has more bars, can only
  be a system's. Whoever notices this once knows it from then on.
- *By the grid*: only some shares are possible for people. The guesser knows how many people judged each text, and
  nothing about the systems. How much a value v speaks for people is the ratio of two probabilities: that v is shown
  if the share is k/n, and if the share may be anything within half a share of k/n, with k from 0 to n equally likely.
  It is a Bayes guess in closed form: nothing is fitted, so it works with any number of comparisons. Experts can guess
  like this, so a study should keep it at chance, 0.5. An undecided guess counts as half right.
- *Learned*: a logistic regression without an intercept on the difference of the two sides' features (`features`), with
  a fixed ridge penalty. Swapping the sides reverses the difference, so chance is exactly 0.5. It is tested on texts
  that it was not trained on: folds by text, drawn anew several times. It is a lower bound: another classifier, or a
  lawyer who reads the text, may do better. With fewer comparisons it underestimates more
  (docs/reference/validity.md says by how much), so below `FEWEST_TO_LEARN_FROM` only the other two are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np

from annotations.ground.arrays import Counts, Mask, Matrix, Vector
from annotations.ground.display_rule import NEARLY, PERCENT

IMPOSSIBLE = -50.0  # the logarithm of "never", finite so that two of them add up
FEWEST_TO_LEARN_FROM = 300  # comparisons
FEWEST_TEXTS = 20
TOO_FEW = "too few"
"""The reason given instead of a meaningless figure: fewer comparisons or texts than these."""
MOST_TO_LEARN_FROM = 4_000  # of more, only so many are used, evenly spaced: the figure changes by less than a point
PENALTY = 1.0  # of the ridge regression, on features scaled to a mean square of 1
FOLDS = 10
REPEATS = 20
RESAMPLES = 200
REPEATS_OF_A_RESAMPLE = 2
NEWTON_STEPS = 8
CERTAIN = 5.0  # evidence from the grid is capped at this
NORMAL_95 = 1.959963984540054
ROUNDING = 3  # whole percentages of thirds sum to 99: sums this close to 100 still count as complete
SEED = 20  # for folds and resamples, so that the same comparisons always give the same figure


@dataclass(frozen=True, slots=True)
class Tells:
    """What no human side in a dataset shows: a drawn sum below `lowest_sum` per cent, or more bars than `most_bars`."""

    lowest_sum: int
    most_bars: int

    @classmethod
    def of(cls, human: Counts) -> Tells:
        """The bounds of the human sides as drawn: texts x labels, in per cent."""
        return cls(lowest_sum=int(human.sum(axis=1).min()), most_bars=int((human > 0).sum(axis=1).max()))

    def give_away(self, drawn: Counts) -> Mask:
        """Which systems' sides (rows x labels, in per cent) can only be a system's.

        >>> Tells(lowest_sum=100, most_bars=2).give_away(np.array([[60, 40, 0], [60, 20, 0], [50, 40, 20]])).tolist()
        [False, True, True]
        """
        too_little = drawn.sum(axis=-1) < self.lowest_sum
        too_many = (drawn > 0).sum(axis=-1) > self.most_bars
        telling: Mask = too_little | too_many
        return telling


class DrawnSides(Protocol):
    """One comparison: its text, how many people judged it, the number of parts, and both sides' drawn percentages."""

    @property
    def instance(self) -> int: ...

    @property
    def people(self) -> int: ...
    @property
    def parts(self) -> int: ...
    @property
    def human(self) -> Counts: ...
    @property
    def system(self) -> Counts: ...


def by_grid(pairs: Sequence[DrawnSides]) -> float:
    """The share of pairs in which the guess by the grid is right."""
    return _rightness(evidence_of(pair) for pair in pairs)


def evidence_of(pair: DrawnSides) -> tuple[float, float]:
    """How much the values of the human and of the system's side speak for people: sums of logarithms."""
    evidence = grid_evidence(pair.people, pair.parts)
    human, system = (float(sum(evidence[value] for value in side.tolist())) for side in (pair.human, pair.system))
    return human, system


@cache
def grid_evidence(people: int, parts: int) -> Matrix:
    """For every percentage, log P(shown | share is k/people) - log P(shown | share is anywhere near k/people).

    >>> bool((grid_evidence(5, 5) == 0).all())  # drawn in fifths, five people cannot be recognised
    True
    >>> bool(grid_evidence(5, 20)[35] < -40)  # 35% is never a share of five people
    True
    """
    steps = np.arange(parts + 1)
    percent = (2 * PERCENT * steps + parts) // (2 * parts)
    shares = np.arange(people + 1) / people
    exactly = np.bincount(np.floor(shares * parts + 0.5 + NEARLY).astype(int), minlength=parts + 1) / len(shares)
    # Each k's neighbourhood, clipped to [0, 1], overlaps each step's values.
    low, high = np.clip(shares - 0.5 / people, 0, 1), np.clip(shares + 0.5 / people, 0, 1)
    first, last = np.clip((steps - 0.5) / parts, 0, 1), np.clip((steps + 0.5) / parts, 0, 1)
    overlap = np.minimum(high[:, None], last) - np.maximum(low[:, None], first)
    nearly = (np.clip(overlap, 0, None) / (high - low)[:, None]).mean(axis=0)
    by_percent = [np.bincount(percent, weights=weights, minlength=PERCENT + 1) for weights in (exactly, nearly)]
    evidence = np.zeros(PERCENT + 1)
    for value in np.flatnonzero(by_percent[1] > 0):
        ratio = by_percent[0][value] / by_percent[1][value]
        evidence[value] = round(float(np.log(ratio)), 9) if ratio > 0 else IMPOSSIBLE
    return evidence


def _rightness(scores: Iterable[tuple[float, float]]) -> float:
    """The share of (human, system) scores in which the human side's is the larger; ties count as half."""
    pairs = np.array(list(scores))
    lead = pairs[:, 0] - pairs[:, 1]
    return float(np.mean(np.where(np.abs(lead) < 1e-6, 0.5, lead > 0)))


@dataclass(frozen=True, slots=True)
class LearnedLeak:
    """How often a classifier of shapes identifies the human side correctly, on texts it has not seen.

    `right`, `low`, `high`, `right_when_sure`: shares in [0, 1]; None with a `reason` if there are too few to learn
    from. `low` and `high` are a 95% interval: `right` -/+ 1.96 standard deviations of the whole procedure repeated on
    resampled texts. `right_when_sure` is the share correct in the fifth of the comparisons about which it is surest.
    """

    comparisons: int
    right: float | None = None
    low: float | None = None
    high: float | None = None
    right_when_sure: float | None = None
    reason: str = ""


def features(percent: Counts) -> Vector:
    """The shape of one side, ignoring labels, as eleven numbers.

    The number of bars; their sum; the sum of their squares; the smallest; whether they sum to less than 100%; the
    three largest; how many are at most 20%, at least 80%, and 100%.

    >>> features(np.array([40, 60])).tolist()
    [2.0, 1.0, 0.52, 0.4, 0.0, 0.6, 0.4, 0.0, 0.0, 0.0, 0.0]
    """
    values = np.sort(percent)[::-1] / 100
    largest = np.zeros(3)
    largest[: len(values)] = values[:3]
    total = int(percent.sum())
    return np.array(
        [
            len(values),
            total / 100,
            np.square(values).sum(),
            values[-1] if len(values) else 0,
            total < 100 - ROUNDING,
            *largest,
            (percent <= 20).sum(),
            (percent >= 80).sum(),
            (percent == 100).sum(),
        ]
    )


def difference(pair: DrawnSides) -> Vector:
    """The human side's features minus the system side's; the last one is how much the grid speaks for people."""
    human, system = np.clip(evidence_of(pair), -CERTAIN, CERTAIN)
    return np.append(features(pair.human) - features(pair.system), human - system)


def learned_leak(pairs: Sequence[DrawnSides], *, interval: bool = True) -> LearnedLeak:
    """What a classifier learns from the shapes of these comparisons, cross-validated by text.

    Without `interval`, `low` and `high` are None: resampling takes nearly all the time.
    """
    if len(pairs) > MOST_TO_LEARN_FROM:
        pairs = [pairs[place] for place in np.linspace(0, len(pairs) - 1, MOST_TO_LEARN_FROM, dtype=int)]
    distinct, texts = np.unique([pair.instance for pair in pairs], return_inverse=True)
    if len(pairs) < FEWEST_TO_LEARN_FROM or len(distinct) < FEWEST_TEXTS:
        return LearnedLeak(len(pairs), reason=TOO_FEW)
    scaled = scaled_differences(pairs)
    rng = np.random.Generator(np.random.PCG64(SEED))
    once = np.ones(len(pairs))
    leads = _leads(scaled, texts, once, repeats=REPEATS, rng=rng)
    right = _right(leads, once)
    spread = _spread(scaled, texts, rng) if interval else None
    lead = leads.mean(axis=1)
    surest = np.argsort(-np.abs(lead), kind="stable")[: max(1, len(lead) // 5)]
    return LearnedLeak(
        comparisons=len(pairs),
        right=right,
        low=None if spread is None else max(0.0, right - spread),
        high=None if spread is None else min(1.0, right + spread),
        right_when_sure=_right(lead[surest, None], np.ones(len(surest))),
    )


def named_rightly(pairs: Sequence[DrawnSides]) -> float:
    """`LearnedLeak.right` alone, for any number of comparisons; used to simulate how much it underestimates."""
    texts = np.unique([pair.instance for pair in pairs], return_inverse=True)[1]
    rng = np.random.Generator(np.random.PCG64(SEED))
    once = np.ones(len(pairs))
    return _right(_leads(scaled_differences(pairs), texts, once, repeats=REPEATS, rng=rng), once)


def scaled_differences(pairs: Sequence[DrawnSides]) -> Matrix:
    """comparisons x features: human minus system, scaled by their root mean squares; constant ones left out."""
    differences = np.array([difference(pair) for pair in pairs])
    size = np.sqrt(np.square(differences).mean(axis=0))
    scaled: Matrix = differences[:, size > 0] / size[size > 0]
    return scaled


def _spread(X: Matrix, texts: Counts, rng: np.random.Generator) -> float:
    """Half the width of the 95% interval."""
    resampled = [
        _right(_leads(X, texts, weight, repeats=REPEATS_OF_A_RESAMPLE, rng=rng), weight)
        for weight in (_resample(texts, rng) for _ in range(RESAMPLES))
    ]
    return NORMAL_95 * float(np.std(resampled, ddof=1))


def _resample(texts: Counts, rng: np.random.Generator) -> Vector:
    """How often each comparison counts when texts are drawn with replacement."""
    count = int(texts.max()) + 1
    times = np.bincount(rng.integers(count, size=count), minlength=count)
    weights: Vector = times[texts].astype(np.float64)
    return weights


def _right(leads: Matrix, weight: Vector) -> float:
    """The share of comparisons in which the human side leads; undecided ones count as half."""
    judged = np.where(np.abs(leads) < 1e-9, 0.5, leads > 0).mean(axis=1)
    return float(weight @ judged / weight.sum())


def _leads(X: Matrix, texts: Counts, weight: Vector, *, repeats: int, rng: np.random.Generator) -> Matrix:
    """comparisons x repeats: by how much the human side leads, as predicted from the other folds' texts."""
    count = int(texts.max()) + 1
    folds = np.array([rng.permutation(np.arange(count) % FOLDS) for _ in range(repeats)])[:, texts]
    held_out = folds[:, None, :] == np.arange(FOLDS)[:, None]  # repeats x folds x comparisons
    learning = np.where(held_out, 0.0, weight).reshape(repeats * FOLDS, -1)
    scores = (X @ _fitted(X, learning)).T.reshape(held_out.shape)
    leads: Matrix = np.where(held_out, scores, 0.0).sum(axis=1).T
    return leads


def _fitted(X: Matrix, weights: Matrix) -> Matrix:
    """features x fits: the coefficients c that minimise sum w log(1 + exp(-Xc)) + PENALTY / 2 |c|², for each row of w.

    Newton's method for all fits at once: their Hessians are one product of matrices. (One call of SciPy's `minimize`
    per fit gives the same to 1e-6 and takes a hundred times as long.)
    """

    from scipy.special import expit

    fits, width = len(weights), X.shape[1]
    row, column = np.triu_indices(width)
    products = X[:, row] * X[:, column]
    coefficients = np.zeros((width, fits))
    hessians = np.empty((fits, width, width))
    for _ in range(NEWTON_STEPS):
        wrong = expit(-(X @ coefficients))
        gradients = X.T @ (weights.T * wrong) - PENALTY * coefficients
        upper = (products.T @ (weights.T * wrong * (1 - wrong))).T
        hessians[:, row, column] = hessians[:, column, row] = upper
        hessians += PENALTY * np.eye(width)
        coefficients += np.linalg.solve(hessians, gradients.T[..., None])[..., 0].T
    return coefficients
