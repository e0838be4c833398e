"""Did people see through the blinding? Bang's index of their guesses."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.checking import checked_count, checked_level, checked_sequences
from metaeval.sampling import Seed, Steps, chosen_seed
from metaeval.stats.intervals import Interval, bootstrap_interval
from metaeval.stats.responses.shares import share_plan, sign_test
from metaeval.stats.results import SignificanceResult, Statistic

NOBODY_ASKED = "nobody was asked"

_GUESSES = ("a", "b", "unknown")


@dataclass(frozen=True)
class BlindingIndex(SignificanceResult):
    """Bang's blinding index, with a normal interval.

    Attributes
    ----------
    value : float
        1 if everyone guesses correctly, 0 at chance level, -1 if everyone guesses incorrectly; NaN where it is
        undefined.
    low, high : float
        The limits.
    standard_error : float
        Standard error of the index.
    pvalue : float
        P-value of 0.
    right, wrong, unsure : int
        How many guesses were correct, how many were wrong, and how many people could not say.
    confidence_level : float
        Confidence level of the interval.
    reason : str
        Why the value is undefined; empty if it is defined.
    notes : tuple of str
        What a reader should know.
    """

    value: float
    low: float
    high: float
    standard_error: float
    pvalue: float
    right: int
    wrong: int
    unsure: int
    confidence_level: float
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def statistic(self) -> float:
        """`value`, under the name that SciPy's results have."""
        return self.value


def blinding_index(right: int, wrong: int, unsure: int = 0, *, confidence_level: float = 0.95) -> BlindingIndex:
    """Bang's blinding index of guesses about which side was human.

    Parameters
    ----------
    right, wrong : int
        How many guesses were correct, and how many were wrong.
    unsure : int, default 0
        How many people could not say.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    BlindingIndex
        An index in [-1, 1], or NaN with a reason.

    Raises
    ------
    ValueError
        If a count is negative.

    Notes
    -----
    Formula: (right - wrong) / n, n = right + wrong + unsure (people who could not say), which is (2 right / (right +
    wrong) - 1) (right + wrong) / n; variance (r (1 - r) + w (1 - w) + 2 r w) / n with r, w the shares; the p-value
    (two-sided, null value 0) is the exact binomial test's on those who guessed. Undefined without any guess.

    References
    ----------
    Bang, Ni and Davis 2004, Assessment of blinding in clinical trials.

    Examples
    --------
    >>> index = blinding_index(right=12, wrong=5, unsure=3)
    >>> round(index.value, 4), round(index.standard_error, 4)
    (0.35, 0.1907)
    """

    from scipy.special import ndtri

    checked_level(confidence_level)
    for name, count in (("right", right), ("wrong", wrong), ("unsure", unsure)):
        checked_count(name, count, 0, hint=", a count of guesses")
    n = right + wrong + unsure
    if n == 0:
        nan = math.nan
        return BlindingIndex(nan, nan, nan, nan, nan, 0, 0, 0, confidence_level, NOBODY_ASKED)
    r, w = right / n, wrong / n
    error = math.sqrt((r * (1 - r) + w * (1 - w) + 2 * r * w) / n)
    width = float(ndtri((1 + confidence_level) / 2)) * error
    p = sign_test(right, right + wrong) if right + wrong else math.nan
    value = r - w
    low, high = max(-1.0, value - width), min(1.0, value + width)
    notes = () if right + wrong else ("nobody guessed a side, so that there is no p-value",)
    return BlindingIndex(value, low, high, error, p, right, wrong, unsure, confidence_level, notes=notes)


@dataclass(frozen=True)
class GuessedBlinding(Statistic):
    """Bang's index over all guesses, with an interval over experts.

    Attributes
    ----------
    index : BlindingIndex
        The index of all guesses.
    interval : Interval
        Percentile interval over resampled experts.
    experts : int
        How many experts guessed.
    """

    index: BlindingIndex
    interval: Interval
    experts: int


def guessed_blinding(
    expert: Sequence[Hashable],
    guess: Sequence[str | None],
    guess_right: Sequence[bool | None],
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    seed: Seed | None = None,
    rng: Seed | None = None,
    progress: Steps | None = None,
) -> GuessedBlinding:
    """`blinding_index` of an export's columns `expert`, `guess` and `guess_right`.

    Parameters
    ----------
    expert : sequence, shape (R,)
        The expert of each response.
    guess : sequence of str or None, shape (R,)
        The guess of each response: a side, 'unknown', or None if nothing was asked.
    guess_right : sequence of bool or None, shape (R,)
        Whether the guess was correct.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    n_resamples : int, default 2000
        How many times experts are resampled.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
    progress : callable, optional
        Called with the numbers of steps done and of all steps.

    Returns
    -------
    GuessedBlinding
        The index and its interval, or NaN with a reason.

    Raises
    ------
    ValueError
        If the lengths differ, or nothing says whether a guess was correct.

    Notes
    -----
    Rows without a guess are left out; 'unknown' counts as unsure. An expert guesses about several comparisons, so the
    interval that treats guesses as independent (`index.low`, `index.high`) is too narrow if experts differ; `interval`
    resamples experts with all their guesses. The p-value remains valid: the human side was drawn at random for each
    comparison, so without any hint each guess is correct with probability 1/2, no matter who guesses. Undefined without
    a guess.

    References
    ----------
    see `blinding_index`; Efron and Tibshirani 1993, section 13.3, for the interval over experts.

    Examples
    --------
    >>> found = guessed_blinding([1, 1, 2, 2, 2], ["a", "b", "unknown", "a", None], [True, True, None, False, None])
    >>> found.index.value, found.index.unsure, found.experts
    (0.25, 1, 2)
    """
    seed = chosen_seed(seed, rng)
    checked_count("n_resamples", n_resamples)
    checked_sequences("one entry per response", expert=expert, guess=guess, guess_right=guess_right)
    given = [
        (who, said, right) for who, said, right in zip(expert, guess, guess_right, strict=True) if said in _GUESSES
    ]
    names = list(dict.fromkeys(who for who, _, _ in given))
    place = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(names), 3), dtype=np.int64)  # right, wrong, unsure of each expert
    for who, said, right in given:
        if said != "unknown" and right not in (True, False):
            msg = f"the guess {said!r} of expert {who!r} is neither right nor wrong; guess_right is {right!r}"
            raise ValueError(msg)
        counts[place[who], 2 if said == "unknown" else 0 if right else 1] += 1
    index = blinding_index(*(int(count) for count in counts.sum(axis=0)), confidence_level=confidence_level)

    if index.reason:
        nothing = Interval(math.nan, math.nan, confidence_level, "percentile", 0, reason=index.reason)
        return GuessedBlinding(index, nothing, 0)
    replicates = share_plan(counts[:, 0] - counts[:, 1], counts.sum(axis=1), n_resamples=n_resamples, seed=seed).run(
        progress
    )
    return GuessedBlinding(index, bootstrap_interval(replicates, confidence_level=confidence_level), len(names))
