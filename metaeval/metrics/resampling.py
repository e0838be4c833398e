"""How well would other people do? Resampled crowds, and how their errors compare with a system's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Matrix, Vector
from metaeval.checking import as_numbers, checked_count, checked_number, checked_type, shown
from metaeval.describing import described
from metaeval.sampling import Replicates, ResamplingPlan, Seed, chosen_seed

from .calibration import distribution_calibration_errors, entropy_calibration_errors
from .pair import DistributionError
from .registry import MetricValue, undefined


@described
@dataclass(frozen=True)
class Resample:
    """A second crowd: a sub-sample of every instance's votes, and its errors against all votes of the instance."""

    size: int
    """Votes per instance in the sub-sample."""
    shares: Matrix
    """(N, K): Its distributions; rows sum to 1."""
    distribution_errors: Vector
    """(N,): DistCE, in [0, 1]."""
    entropy_errors: Vector
    """(N,): EntCE with its sign, in nats."""


def resampled_humans(
    votes: npt.ArrayLike, *, size: int = 20, n_resamples: int = 2, seed: Seed | None = None, rng: Seed | None = None
) -> tuple[Resample, ...]:
    """Reference points H1, H2, ...: how well a smaller crowd of the same people does.

    Parameters
    ----------
    votes : array_like, shape (N, K)
        How many people chose each label, per instance.
    size : int, default 20
        Votes to draw per instance, without replacement.
    n_resamples : int, default 2
        How many crowds to draw, independently.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.

    Returns
    -------
    tuple of Resample
        One per crowd.

    Raises
    ------
    DistributionError
        If `votes` is not a matrix of counts, or an instance has fewer than `size` votes.

    Notes
    -----
    Each crowd has its own stream of random numbers. `resampled_humans_plan` distributes the crowds to several workers.

    References
    ----------
    Baan et al. 2022, Table 2 (20 of the 100 votes of ChaosNLI).

    Examples
    --------
    >>> first, second = resampled_humans([[10, 0], [0, 10]], size=5, seed=1)
    >>> first.shares.tolist(), second.distribution_errors.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0])
    """
    seed = chosen_seed(seed, rng)
    counts = _checked_votes(votes, size)
    people = counts / counts.sum(axis=1, keepdims=True)
    samples = []
    for shares in resampled_humans_plan(votes, size=size, n_resamples=n_resamples, seed=seed).run():
        errors = distribution_calibration_errors(people, shares), entropy_calibration_errors(people, shares)
        samples.append(Resample(size, shares, *errors))
    return tuple(samples)


def resampled_humans_plan(votes: npt.ArrayLike, *, size: int, n_resamples: int, seed: Seed) -> ResamplingPlan:
    """The shares of every sub-sample (n_resamples, N, K), one per block, to distribute."""
    counts = _checked_votes(votes, size)

    def draw(stream: np.random.SeedSequence, samples: int) -> Replicates:
        rng = np.random.default_rng(stream)
        drawn = [[rng.multivariate_hypergeometric(row, size) for row in counts] for _ in range(samples)]
        return np.array(drawn) / size

    return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed, block=1)


@described
@dataclass(frozen=True)
class ErrorHistogram:
    """The shares of instances' errors in equal bins."""

    edges: tuple[float, ...]
    """The B + 1 bounds of the bins."""
    shares: tuple[float, ...]
    """The B shares, which sum to 1."""

    def to_dict(self) -> dict[str, Any]:
        return {"edges": list(self.edges), "shares": list(self.shares)}


def error_histogram(errors: npt.ArrayLike, *, bins: int = 20, span: tuple[float, float] = (0.0, 1.0)) -> ErrorHistogram:
    """The shares of instances' errors in equal bins [a, b), the last one closed.

    Parameters
    ----------
    errors : array_like, shape (N,)
        One error per instance.
    bins : int, default 20
        How many bins.
    span : tuple of float, default (0.0, 1.0)
        Where the first bin begins and the last one ends.

    Returns
    -------
    ErrorHistogram
        The bounds of the bins and their shares.

    Raises
    ------
    DistributionError
        If an error is NaN or outside the span, which is never silently fitted to the data.

    References
    ----------
    Baan et al. 2022.

    Examples
    --------
    >>> error_histogram([0.1, 0.2, 0.9], bins=2).shares
    (0.6666666666666666, 0.3333333333333333)
    """
    values = as_numbers("errors", errors, "one error per instance (instances,)")
    checked_count("bins", bins)
    low, high = _checked_span(span)
    if values.ndim != 1 or not values.size or not ((values >= low) & (values <= high)).all():
        msg = f"errors have shape {values.shape}; expected (instances,), every value within {span}"
        raise DistributionError(msg)
    counts, edges = np.histogram(values, bins=bins, range=span)
    return ErrorHistogram(tuple(edges.tolist()), tuple((counts / values.size).tolist()))


def _checked_span(span: Any) -> tuple[float, float]:
    if not isinstance(span, (tuple, list)) or len(span) != 2:
        msg = f"span is {shown(span)}; expected two numbers that rise, such as (0, 1)"
        raise ValueError(msg)
    low, high = (checked_number("span", bound) for bound in span)
    if not low < high:
        msg = f"span is {shown(span)}; expected two numbers that rise, such as (0, 1)"
        raise ValueError(msg)
    return low, high


@described
@dataclass(frozen=True)
class HistogramComparison:
    """How far one distribution of errors is from another."""

    kl: MetricValue
    """Kullback-Leibler divergence in nats, or NaN with a reason."""
    tvd: MetricValue
    """Total variation distance."""

    def to_dict(self) -> dict[str, Any]:
        return {"kl": self.kl.to_dict(), "tvd": self.tvd.to_dict()}


def compare_errors(reference: ErrorHistogram, other: ErrorHistogram) -> HistogramComparison:
    """How far a system's distribution of errors is from that of the resampled people.

    Parameters
    ----------
    reference, other : ErrorHistogram
        The errors of people and of the system, in the same bins.

    Returns
    -------
    HistogramComparison
        The KL divergence and the total variation distance.

    Raises
    ------
    DistributionError
        If the bins differ.

    Notes
    -----
    Formulas: KL = sum_b r_b log(r_b / o_b), TVD = (1/2) sum_b |r_b - o_b|. KL is undefined (NaN with the reason) where
    a bin that is filled in the reference is empty in the other, because it would be infinite.

    References
    ----------
    Baan et al. 2022, Table 2.

    Examples
    --------
    >>> a, b = error_histogram([0.1, 0.9], bins=2), error_histogram([0.1, 0.2, 0.3, 0.9], bins=2)
    >>> compare_errors(a, b).tvd
    0.25
    """
    checked_type("reference", reference, ErrorHistogram, "an ErrorHistogram")
    checked_type("other", other, ErrorHistogram, "an ErrorHistogram")
    if reference.edges != other.edges:
        msg = "the histograms have different bins"
        raise DistributionError(msg)
    r, o = np.array(reference.shares), np.array(other.shares)
    empty = int(((r > 0) & (o == 0)).sum())
    tvd = MetricValue(float(np.abs(r - o).sum() / 2))
    if empty:
        return HistogramComparison(undefined(f"{empty} of the reference's bins are empty in the other"), tvd)
    used = r > 0
    return HistogramComparison(MetricValue(max(0.0, float((r[used] * np.log(r[used] / o[used])).sum()))), tvd)


def _checked_votes(votes: npt.ArrayLike, size: int) -> Codes:
    counts = as_numbers("votes", votes, "whole numbers (instances, labels)")
    checked_count("size", size)
    if counts.ndim != 2 or 0 in counts.shape or not (counts >= 0).all() or not (counts == np.round(counts)).all():
        msg = f"votes have shape {counts.shape}; expected whole numbers >= 0 of shape (instances, labels)"
        raise DistributionError(msg)
    few = np.flatnonzero(counts.sum(axis=1) < size)
    if size < 1 or few.size:
        msg = f"size is {size}; expected at least 1 and no more than every instance has votes"
        raise DistributionError(msg + (f" (instance {few[0]} has {counts[few[0]].sum():g})" if few.size else ""))
    return counts.astype(np.int64)
