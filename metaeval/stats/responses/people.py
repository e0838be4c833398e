"""How people answered: do they favour a side, do they repeat themselves?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask
from metaeval.checking import as_numbers, checked_count, checked_level, checked_sequences, shown
from metaeval.sampling import Seed, Steps, chosen_seed
from metaeval.stats.intervals import Interval, bootstrap_interval
from metaeval.stats.multiplicity import holm
from metaeval.stats.responses.shares import Share, share_of, share_plan
from metaeval.stats.results import Statistic

ONE_ANSWER = "only one answer was ever given"


@dataclass(frozen=True)
class PositionBias(Statistic):
    """The share of side A among the answers that chose one side.

    Attributes
    ----------
    overall : Share
        Over all answers.
    interval : Interval
        Interval of the overall share over resampled experts.
    experts : tuple of Share
        One per expert.
    """

    overall: Share
    interval: Interval
    experts: tuple[Share, ...]


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
    expert : sequence, shape (R,)
        The expert of each response.
    a_chosen, b_chosen : array_like of bool, shape (R,)
        Whether each response chose the side.
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

    if overall.reason:
        nothing = Interval(math.nan, math.nan, confidence_level, "percentile", 0, reason=overall.reason)
        return PositionBias(overall, nothing, experts)
    replicates = share_plan(chosen, n, n_resamples=n_resamples, seed=seed).run(progress)
    return PositionBias(overall, bootstrap_interval(replicates, confidence_level=confidence_level), experts)


def _checked_answers(name: str, answers: npt.ArrayLike) -> Mask:
    values = as_numbers(name, answers, "yes or no (True, False, 1, 0) of each response")
    if not np.isin(values, (0, 1)).all():
        msg = f"{name} is {shown(answers)}; expected yes or no (True, False, 1, 0) of each response"
        raise ValueError(msg)
    return values.astype(np.bool_)


@dataclass(frozen=True)
class SelfConsistency(Statistic):
    """The share of repeated questions that got the same answer, and how far it is above chance.

    Attributes
    ----------
    overall : Share
        Over all experts.
    chance : float
        The share by chance.
    kappa : float
        Scott's pi; NaN where it is undefined.
    experts : tuple of Share
        One per expert.
    reason : str
        Why the value is undefined; empty if it is defined.

    Notes
    -----
    `kappa` = (share - chance) / (1 - chance), chance = sum over answers of the squared share of the repeats that gave
    it (Scott's pi). `experts` contains each expert's share.
    """

    overall: Share
    chance: float
    kappa: float
    experts: tuple[Share, ...]
    reason: str = ""


def self_consistency(
    expert: Sequence[str], question: Sequence[Hashable], answer: Sequence[Hashable], *, confidence_level: float = 0.95
) -> SelfConsistency:
    """How often experts who see a comparison again answer it the same way.

    Parameters
    ----------
    expert : sequence, shape (R,)
        The expert of each response.
    question : sequence of hashable, shape (R,)
        The question of each response.
    answer : sequence of hashable, shape (R,)
        The answer: anything that can be compared, such as (a chosen, b chosen).
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    SelfConsistency
        The shares and kappa, or NaN with a reason.

    Raises
    ------
    ValueError
        If the lengths differ.

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
    given: dict[tuple[str, Hashable], list[Hashable]] = {}
    for person, asked, said in zip(expert, question, answer, strict=True):
        given.setdefault((person, asked), []).append(said)
    names = tuple(dict.fromkeys(expert))
    same, repeats = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
    once = dict.fromkeys(names, 0)
    seen: dict[Hashable, int] = {}
    for (person, _), answers in given.items():
        r = len(answers)
        if r == 1:
            once[person] += 1
            continue
        equal = sum(answers[i] == answers[j] for i in range(r) for j in range(i))
        same[person] += equal * 2 / r
        repeats[person] += r - 1
        for one in answers:
            seen[one] = seen.get(one, 0) + 1
    experts = tuple(share_of(name, same[name], repeats[name], confidence_level, once[name]) for name in names)
    overall = share_of("all", sum(same.values()), sum(repeats.values()), confidence_level, sum(once.values()))
    if overall.reason:
        reason = "no comparison was answered twice by one expert"
        return SelfConsistency(overall, math.nan, math.nan, experts, reason)
    chance = sum((count / sum(seen.values())) ** 2 for count in seen.values())
    if len(seen) == 1:
        return SelfConsistency(overall, chance, math.nan, experts, ONE_ANSWER)
    return SelfConsistency(overall, chance, (overall.value - chance) / (1 - chance), experts)
