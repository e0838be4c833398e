"""How people answered: do they favour a side, do they repeat themselves, did they see through the blinding?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask
from metaeval.checking import as_numbers, checked_count, checked_level, checked_sequences, shown
from metaeval.describing import described, described_as
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.intervals import Interval, bootstrap_interval, wilson_interval
from metaeval.stats.multiplicity import holm
from metaeval.stats.results import SignificanceResult, Statistic

NO_ANSWER = "no answer that counts"

ONE_ANSWER = "only one answer was ever given"
NOBODY_ASKED = "nobody was asked"
_GUESSES = ("a", "b", "unknown")


@described
@dataclass(frozen=True)
class Share(Statistic):
    """A share of n answers with Wilson's interval."""

    name: str
    """What the share is of, such as an expert."""
    value: float
    """In [0, 1]; NaN where it is undefined."""
    low: float
    high: float
    """The limits."""
    n: int
    """How many answers count."""
    pvalue: float | None = None
    p_holm: float | None = None
    """P-value for the null of 1/2, and the same corrected over the experts; None if nothing is tested."""
    left_out: int = 0
    """How many answers do not count."""
    reason: str = ""


def share_of(
    name: str, successes: float, n: int, confidence_level: float, left_out: int, *, half: bool = False
) -> Share:
    if n == 0:
        return Share(name, math.nan, math.nan, math.nan, 0, left_out=left_out, reason=NO_ANSWER)
    low, high = wilson_interval(successes, n, confidence_level=confidence_level)
    p = sign_test(int(successes), n) if half else None
    return Share(name, successes / n, low, high, n, p, left_out=left_out)


def sign_test(successes: int, n: int) -> float:
    """Two-sided exact p-value for a fair coin."""
    from scipy.stats import binomtest  # takes half a second to import, so only when needed

    return float(binomtest(successes, n).pvalue)


def share_plan(chosen: npt.ArrayLike, n: npt.ArrayLike, *, n_resamples: int, seed: Seed) -> ResamplingPlan:
    """Replicates (n_resamples,) of the ratio sum chosen / sum n over resampled experts, to distribute.

    chosen, n: for each expert (E,), the answers that chose side A and those that chose one side; or correct minus wrong
    guesses, and all guesses.
    """
    yes, answers = np.asarray(chosen), np.asarray(n)

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        people = np.random.default_rng(stream).integers(0, len(yes), (size, len(yes)))
        with np.errstate(invalid="ignore"):
            shares: Replicates = yes[people].sum(axis=1) / answers[people].sum(axis=1)
        return shares

    return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed)


@described
@dataclass(frozen=True)
class PositionBias(Statistic):
    """The share of side A among the answers that chose one side."""

    overall: Share
    """Over all answers."""
    interval: Interval
    """Interval of the overall share over resampled experts."""
    experts: tuple[Share, ...]
    """One per expert."""


@described
def position_bias(
    expert: Sequence[str],
    a_chosen: npt.ArrayLike,
    b_chosen: npt.ArrayLike,
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    seed: Seed | None = None,
    rng: Seed | None = None,
    progress: Steps | None = None,
) -> PositionBias:
    """How often side A was chosen among responses that chose exactly one; 1/2 without bias, as sides are random.

    Parameters
    ----------
    a_chosen, b_chosen : array_like of bool, shape (R,)
        Whether each response chose the side.
    n_resamples : int, default 2000
        How many times experts are resampled.

    Returns
    -------
    PositionBias
        The shares, or NaN with a reason.

    Raises
    ------
    ValueError
        If the lengths differ.

    Notes
    -----
    Responses that chose both sides or neither are left out and counted. Each expert gets Wilson's interval, the exact
    binomial p of 1/2, and Holm's correction over the experts. The overall share has both Wilson's interval, which
    treats answers as independent, and the percentile interval over resampled experts, which does not. Undefined without
    any such answer.

    References
    ----------
    Wilson 1927, Probable Inference (the intervals of shares); Efron and Tibshirani 1993, section 13.3 (over experts).

    Examples
    --------
    >>> bias = position_bias("xxxxyyyy", [1, 1, 1, 0, 1, 1, 0, 0], [0, 0, 0, 1, 0, 1, 1, 1])
    >>> round(bias.overall.value, 4), bias.overall.n, bias.overall.left_out
    (0.5714, 7, 1)
    """
    seed = chosen_seed(seed, rng)
    checked_level(confidence_level)
    checked_count("n_resamples", n_resamples)
    checked_sequences("one entry per response", expert=expert, a_chosen=a_chosen, b_chosen=b_chosen)
    a, b = _checked_answers("a_chosen", a_chosen), _checked_answers("b_chosen", b_chosen)
    if a.ndim != 1 or a.shape != b.shape or len(expert) != len(a):
        msg = f"expert, a_chosen, b_chosen have {len(expert)}, {a.size}, {b.size} entries; expected one a response"
        raise ValueError(msg)
    names = tuple(dict.fromkeys(expert))
    code = np.array([names.index(name) for name in expert], dtype=np.int64)
    one_side = a != b
    chosen = np.bincount(code[one_side & a], minlength=len(names))
    n = np.bincount(code[one_side], minlength=len(names))
    left_out = np.bincount(code[~one_side], minlength=len(names))
    each = [
        share_of(name, int(chosen[i]), int(n[i]), confidence_level, int(left_out[i]), half=True)
        for i, name in enumerate(names)
    ]
    corrected = holm([math.nan if share.pvalue is None else share.pvalue for share in each]) if each else np.zeros(0)
    experts = tuple(
        share if share.pvalue is None else replace(share, p_holm=float(p))
        for share, p in zip(each, corrected, strict=True)
    )
    overall = share_of("all", int(chosen.sum()), int(n.sum()), confidence_level, int(left_out.sum()), half=True)

    replicates = (
        np.zeros(0) if overall.reason else share_plan(chosen, n, n_resamples=n_resamples, seed=seed).run(progress)
    )
    interval = bootstrap_interval(replicates, confidence_level=confidence_level, undefined_because=overall.reason)
    return PositionBias(overall, interval, experts)


def _checked_answers(name: str, answers: npt.ArrayLike) -> Mask:
    values = as_numbers(name, answers, "yes or no (True, False, 1, 0) of each response")
    if not np.isin(values, (0, 1)).all():
        msg = f"{name} is {shown(answers)}; expected yes or no (True, False, 1, 0) of each response"
        raise ValueError(msg)
    return values.astype(np.bool_)


@described
@dataclass(frozen=True)
class SelfConsistency(Statistic):
    """The share of repeated questions that got the same answer, and how far it is above chance.

    Notes
    -----
    `kappa` = (share - chance) / (1 - chance), chance = sum over answers of the squared share of the repeats that gave
    it (Scott's pi). `experts` contains each expert's share.
    """

    overall: Share
    """Over all experts."""
    chance: float
    """The share by chance."""
    kappa: float
    """Scott's pi; NaN where it is undefined."""
    experts: tuple[Share, ...]
    """One per expert."""
    reason: str = ""


@described_as(position_bias)
def self_consistency(
    expert: Sequence[str], question: Sequence[Hashable], answer: Sequence[Hashable], *, confidence_level: float = 0.95
) -> SelfConsistency:
    """How often experts who see a comparison again answer it the same way.

    Parameters
    ----------
    question : sequence of hashable, shape (R,)
        The question of each response.
    answer : sequence of hashable, shape (R,)
        The answer: anything that can be compared, such as (a chosen, b chosen).

    Returns
    -------
    SelfConsistency
        The shares and kappa, or NaN with a reason.

    Notes
    -----
    Responses may be in any order. A question that an expert answered r >= 2 times gives r (r - 1) / 2 pairs, each with
    weight 2 / r, so that it counts as r - 1 repeats; the intervals treat these as independent. Questions answered once
    are left out and counted. Undefined without repeats; kappa also if only one answer was ever given.

    References
    ----------
    Scott 1955, Reliability of Content Analysis (pi).

    Examples
    --------
    >>> found = self_consistency("xxxx", [1, 1, 2, 2], ["A", "A", "A", "B"])
    >>> found.overall.value, found.overall.n, round(found.kappa, 4)
    (0.5, 2, -0.3333)
    """
    checked_level(confidence_level)
    checked_sequences("one each", expert=expert, question=question, answer=answer)
    repeated: dict[tuple[str, Hashable], list[Hashable]] = {}
    for person, item, reply in zip(expert, question, answer, strict=True):
        repeated.setdefault((person, item), []).append(reply)
    names = tuple(dict.fromkeys(expert))
    same, repeats = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
    once = dict.fromkeys(names, 0)
    seen: dict[Hashable, int] = {}
    for (person, _), answers in repeated.items():
        r = len(answers)
        if r == 1:
            once[person] += 1
            continue
        equal = sum(answers[i] == answers[j] for i in range(r) for j in range(i))
        same[person] += equal * 2 / r
        repeats[person] += r - 1
        for repeat in answers:
            seen[repeat] = seen.get(repeat, 0) + 1
    experts = tuple(share_of(name, same[name], repeats[name], confidence_level, once[name]) for name in names)
    overall = share_of("all", sum(same.values()), sum(repeats.values()), confidence_level, sum(once.values()))
    if overall.reason:
        reason = "no comparison was answered twice by one expert"
        return SelfConsistency(overall, math.nan, math.nan, experts, reason)
    chance = sum((count / sum(seen.values())) ** 2 for count in seen.values())
    if len(seen) == 1:
        return SelfConsistency(overall, chance, math.nan, experts, ONE_ANSWER)
    return SelfConsistency(overall, chance, (overall.value - chance) / (1 - chance), experts)


@described
@dataclass(frozen=True)
class BlindingIndex(SignificanceResult, statistic="value"):
    """Bang's blinding index, with a normal interval."""

    value: float
    """1 if everyone guesses correctly, 0 at chance level, -1 if everyone guesses incorrectly; NaN where it is
    undefined."""
    low: float
    high: float
    """The limits."""
    standard_error: float
    """Standard error of the index."""
    pvalue: float
    """P-value of 0."""
    right: int
    wrong: int
    unsure: int
    """How many guesses were correct, how many were wrong, and how many people could not say."""
    confidence_level: float
    """Confidence level of the interval."""
    reason: str = ""
    notes: tuple[str, ...] = ()


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


@described
@dataclass(frozen=True)
class GuessedBlinding(Statistic):
    """Bang's index over all guesses, with an interval over experts."""

    index: BlindingIndex
    """The index of all guesses."""
    interval: Interval
    """Percentile interval over resampled experts."""
    experts: int
    """How many experts guessed."""


@described_as(position_bias)
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
    guess : sequence of str or None, shape (R,)
        The guess of each response: a side, 'unknown', or None if nothing was asked.
    guess_right : sequence of bool or None, shape (R,)
        Whether the guess was correct.

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
    guesses = [
        (who, side, right) for who, side, right in zip(expert, guess, guess_right, strict=True) if side in _GUESSES
    ]
    names = list(dict.fromkeys(who for who, _, _ in guesses))
    place = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(names), 3), dtype=np.int64)  # right, wrong, unsure of each expert
    for who, side, right in guesses:
        if side != "unknown" and right not in (True, False):
            msg = f"the guess {side!r} of expert {who!r} is neither right nor wrong; guess_right is {right!r}"
            raise ValueError(msg)
        counts[place[who], 2 if side == "unknown" else 0 if right else 1] += 1
    index = blinding_index(*(int(count) for count in counts.sum(axis=0)), confidence_level=confidence_level)

    plan = share_plan(counts[:, 0] - counts[:, 1], counts.sum(axis=1), n_resamples=n_resamples, seed=seed)
    replicates = np.zeros(0) if index.reason else plan.run(progress)
    interval = bootstrap_interval(replicates, confidence_level=confidence_level, undefined_because=index.reason)
    return GuessedBlinding(index, interval, len(names))
