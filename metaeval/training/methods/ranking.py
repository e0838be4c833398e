"""Annotator ranking: majority votes weigh more where the annotators often side with the majority."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from annotations.ground.arrays import Codes, Matrix, Vector
from metaeval.training.applying import require
from metaeval.training.judgements import HumanJudgements
from metaeval.training.registry import CROSS_ENTROPY, TrainingMethod, method
from metaeval.training.targets import Targets


def annotator_scores(judgements: HumanJudgements, *, hard: bool = False) -> Matrix:
    """r, how well each person agrees with the majority.

    Formula: r_a = mean of P_i(mv_i) over those of a's annotations that chose mv_i, 0 if there is none; hard: the share
    of a's annotations that chose mv_i. Multilabel, for each label k: with d_ik = 1 if P_ik > 1/2, else 0, and p_ik =
    P_ik if d_ik = 1, else 1 - P_ik, r_ak = mean of p_ik over those of a's annotations with y_iak = d_ik, 0 if there is
    none; hard: the share of a's annotations with y_iak = d_ik. Somebody who annotated a text twice counts twice.

    Args:
        judgements: whose persons are all known.
        hard: whether agreement counts 1, rather than the share of those who agree.

    Returns:
        Values in [0, 1], in the order of `judgements.people`; 0 for people without annotations. Shape (A, 1);
        multilabel: (A, K).
    """
    agrees, share = _agreement(judgements)
    person, people = judgements.person, len(judgements.people)
    summed = _per_group(agrees if hard else agrees * share, person, people)
    counted = _per_group(np.ones_like(agrees) if hard else agrees, person, people)
    scores: Matrix = np.divide(summed, counted, out=np.zeros_like(summed), where=counted > 0)
    return scores


def example_weights(judgements: HumanJudgements, scores: Matrix) -> Vector:
    """w (N,), the sum of the scores of those who annotated each instance; multilabel: of their mean over labels."""
    per_annotation = scores.mean(axis=1)[judgements.person]
    weights: Vector = np.bincount(judgements.instance, per_annotation, minlength=judgements.size).astype(np.float64)
    return weights


def _agreement(judgements: HumanJudgements) -> tuple[Matrix, Matrix]:
    """For each annotation, whether it agrees with the majority (1 or 0) and the share of those who do; shape (M, 1).
    Multilabel: label by label; shape (M, K).
    """
    P, majority = judgements.shares, judgements.majority
    if judgements.multilabel:
        agrees = (judgements.chosen == majority[judgements.instance]).astype(np.float64)
        return agrees, np.where(majority > 0, P, 1.0 - P)[judgements.instance]
    hits = (judgements.chosen * majority[judgements.instance]).sum(axis=1, keepdims=True)
    return hits, (P * majority).sum(axis=1, keepdims=True)[judgements.instance]


def _per_group(values: Matrix, group: Codes, groups: int) -> Matrix:
    """The sums of the rows of each group, shape (groups, columns)."""
    return np.stack([np.bincount(group, column, minlength=groups) for column in values.T], axis=1)


class RankingMethod(TrainingMethod):
    """What both kinds of scores share: sum over i of w_i CE(mv_i, q_i), divided by the number of examples."""

    source = "Kurniawan et al. 2026, section 4; weights as in its published code"
    objective = (
        f"The sum over the batch's examples of weight times {CROSS_ENTROPY}, divided by the number of examples, "
        "not by the sum of the weights."
    )
    needs_people = True
    hard: ClassVar[bool]

    def targets(self, judgements: HumanJudgements) -> Targets:
        require(self, judgements)
        weights = example_weights(judgements, annotator_scores(judgements, hard=self.hard))
        return Targets.one_each(judgements, judgements.majority, weight=weights)


@method
class AnnotatorRanking(RankingMethod):
    """AR."""

    name = "AR"
    title = "annotator ranking"
    learns = (
        "The majority vote, weighted by its annotators' scores: how large the majorities are with which each of them "
        "agrees."
    )
    hard = False


@method
class HardAnnotatorRanking(RankingMethod):
    """ARh."""

    name = "ARh"
    title = "annotator ranking, hard scores"
    learns = "The majority vote, weighted by its annotators' scores: how often each of them agrees with the majority."
    hard = True
