"""How far experts got: what became of their places, and who stopped."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.study_quality.naming import expert_name
from metaeval.analyses.study_quality.result import DropOut, ExpertPlaces, QualityEstimate, Scope, Standing
from metaeval.stats import wilson_interval

NOTHING_GIVEN = "nothing was given to this expert"

NO_PART = "the pilot has no part that everybody has to do"


def place_rows(study: StudyInputs, scope: Scope) -> list[ExpertPlaces]:
    """One row per expert: their places, and what became of them."""
    reports = Counter(study.answers.expert[study.reports.answer].tolist())
    part = _part(study)
    is_empty = not study.is_named and _left_in_pool(study) <= 0
    return [
        _places(study, scope, number, part=part, is_empty=is_empty, reports=reports[number]) for number in study.experts
    ]


def _places(
    study: StudyInputs, scope: Scope, number: int, *, part: int | None, is_empty: bool, reports: int
) -> ExpertPlaces:
    answers = study.answers
    mine = answers.expert == number
    kept = mine & ~answers.is_skipped
    answered = kept & answers.is_answered
    half = kept & answers.is_labelled & ~answers.is_answered & ~answers.is_withdrawn
    waiting = kept & ~answers.is_labelled & ~answers.is_answered & ~answers.is_withdrawn
    gone = kept & ~answers.is_answered & answers.is_withdrawn
    had = int(answered.sum() + half.sum() + waiting.sum())
    # Repeats come on top of a part of the pool, and count as assigned to someone by name.
    due = None if scope == "only" else had if study.is_named else part
    done = int((answered & (study.is_named | (answers.repeat_of < 0))).sum())
    share = min(1.0, done / due) if due else None
    is_active = number not in study.inactive
    state = _standing(
        share,
        has_begun=bool((mine & answers.is_labelled).any() or answered.any()),
        has_all_there_is=is_empty and not half.any(),
        may_go_on=study.state != "closed" and is_active,
    )
    return ExpertPlaces(
        expert=expert_name(number),
        answered=int(answered.sum()),
        half=int(half.sum()),
        waiting=int(waiting.sum()),
        skipped=int((mine & answers.is_skipped).sum()),
        withdrawn=int(gone.sum()),
        repeats=int((answered & (answers.repeat_of >= 0)).sum()),
        pilot=int((answered & answers.is_pilot).sum()),
        corrected=int((answered & ((answers.labels_revisions > 1) | (answers.preference_revisions > 1))).sum()),
        reports=reports,
        part=due,
        share=share,
        is_active=is_active,
        state=state,
        reason=_no_share(scope, due),
    )


def _part(study: StudyInputs) -> int | None:
    """Everyone's equal part of the pool: the planned places divided by the experts who take part, rounded up."""
    taking_part = len(study.experts) - len(study.inactive)
    return math.ceil(study.comparisons * study.experts_per_comparison / taking_part) if taking_part else None


def _left_in_pool(study: StudyInputs) -> int:
    """How many of the planned places nobody has answered."""
    answers = study.answers
    answered = answers.counting(answers.is_answered, include_pilot=study.state == "pilot").kept & ~answers.is_withdrawn
    return study.comparisons * study.experts_per_comparison - int(answered.sum())


def _standing(share: float | None, *, has_begun: bool, has_all_there_is: bool, may_go_on: bool) -> Standing:
    """An expert is done when their part is done, or when the pool is empty."""
    if share is not None and share >= 1:
        return "done"
    if not has_begun:
        return "never began"
    if has_all_there_is:
        return "done"
    return "under way" if may_go_on else "stopped"


def _no_share(scope: Scope, due: int | None) -> str:
    if scope == "only":
        return NO_PART
    return "" if due else NOTHING_GIVEN


def drop_out(study: StudyInputs, rows: Sequence[ExpertPlaces], scope: Scope, level: float) -> DropOut:
    """Of the experts who began, the share who stopped before their part was done."""
    states = Counter(row.state for row in rows)
    share = _stopped(study, states, scope, level)
    return DropOut(
        experts=len(rows),
        never_began=states["never began"],
        under_way=states["under way"],
        stopped=states["stopped"],
        done=states["done"],
        value=share.value,
        low=share.low,
        high=share.high,
        n=share.n,
        reason=share.reason,
    )


def _stopped(study: StudyInputs, states: Counter[Standing], scope: Scope, level: float) -> QualityEstimate:
    began = states.total() - states["never began"]
    reason = ""
    if scope == "only":
        reason = NO_PART
    elif not began:
        reason = "no expert has begun"
    elif states["under way"]:
        reason = f"the study is {study.state}, and {states['under way']} of {began} experts may still go on"
    if reason:
        return QualityEstimate(value=None, low=None, high=None, n=began, reason=reason)
    low, high = wilson_interval(states["stopped"], began, confidence_level=level)
    return QualityEstimate(value=states["stopped"] / began, low=low, high=high, n=began, reason="")
