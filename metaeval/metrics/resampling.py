"""How well would other people do? Resampled crowds, and how their errors are distributed beside a system's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotations.arrays import Codes, Matrix, Vector
from metaeval.checking import as_numbers, checked_count, checked_number, checked_type, shown
from metaeval.sampling import Replicates, ResamplingPlan, Seed, chosen_seed

from .calibration import distribution_calibration_errors, entropy_calibration_errors
from .pair import DistributionError
from .value import MetricValue, undefined


@dataclass(frozen=True)
class Resample:
    """A second crowd: a sub-sample of every instance's votes, and its errors against all votes of the instance."""

    size: int
    shares: Matrix
    """(N, K), rows summing to 1."""
    distribution_errors: Vector
    """DistCE, (N,)."""
    entropy_errors: Vector
    """EntCE with its sign, in nats, (N,)."""


def resampled_humans(
    votes: npt.ArrayLike, *, size: int = 20, n_resamples: int = 2, seed: Seed | None = None, rng: Seed | None = None
) -> tuple[Resample, ...]:
    """Reference points H1, H2, ...: how well a smaller crowd of the same people does.

    From the counts `votes` (N, K) of every instance, `size` are drawn without replacement, `n_resamples` times
    independently, each from a stream of its own (`resampled_humans_plan` shares them out). Raises
    `DistributionError` for what is not a matrix of counts or an instance with fewer than `size` votes.
    Source: Baan et al. 2022, Table 2 (20 of the 100 votes of ChaosNLI).

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
    """The shares of every sub-sample (n_resamples, N, K), one a block, for sharing out."""
    counts = _checked_votes(votes, size)

    def draw(stream: np.random.SeedSequence, samples: int) -> Replicates:
        rng = np.random.default_rng(stream)
        drawn = [[rng.multivariate_hypergeometric(row, size) for row in counts] for _ in range(samples)]
        return np.array(drawn) / size

    return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed, block=1)


@dataclass(frozen=True)
class ErrorHistogram:
    """The shares of the per-instance errors that fall in equal bins: `shares` (B,), `edges` (B + 1,)."""

    edges: tuple[float, ...]
    shares: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"edges": list(self.edges), "shares": list(self.shares)}


def error_histogram(errors: npt.ArrayLike, *, bins: int = 20, span: tuple[float, float] = (0.0, 1.0)) -> ErrorHistogram:
    """The distribution of per-instance errors over `bins` equal bins [a, b) of `span`, the last one closed.

    `errors` has shape (N,). Raises `DistributionError` for errors that are NaN or outside the span, which belongs
    to the figure and is never fitted to the data silently. Source: Baan et al. 2022.

    >>> error_histogram([0.1, 0.2, 0.9], bins=2).shares
    (0.6666666666666666, 0.3333333333333333)
    """
    values = as_numbers("errors", errors, "one error an instance (instances,)")
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


@dataclass(frozen=True)
class HistogramComparison:
    """KL divergence (nats) and total variation distance of one distribution of errors from another."""

    kl: MetricValue
    tvd: MetricValue

    def to_dict(self) -> dict[str, Any]:
        return {"kl": self.kl.to_dict(), "tvd": self.tvd.to_dict()}


def compare_errors(reference: ErrorHistogram, other: ErrorHistogram) -> HistogramComparison:
    """How far a system's distribution of errors is from that of the resampled people.

    Formulas: KL = sum_b r_b log(r_b / o_b), TVD = (1/2) sum_b |r_b - o_b|. KL is undefined (NaN with the reason)
    where a bin of the reference is empty in the other; raises `DistributionError` when the bins differ.
    Source: Baan et al. 2022, Table 2.

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
    given = as_numbers("votes", votes, "whole numbers (instances, labels)")
    checked_count("size", size)
    if given.ndim != 2 or 0 in given.shape or not (given >= 0).all() or not (given == np.round(given)).all():
        msg = f"votes have shape {given.shape}; expected whole numbers >= 0 of shape (instances, labels)"
        raise DistributionError(msg)
    few = np.flatnonzero(given.sum(axis=1) < size)
    if size < 1 or few.size:
        msg = f"size is {size}; expected at least 1 and no more than every instance has votes"
        raise DistributionError(msg + (f" (instance {few[0]} has {given[few[0]].sum():g})" if few.size else ""))
    return given.astype(np.int64)
