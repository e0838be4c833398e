"""The experts' places: which of them count, what became of them, what was skipped and what was reported."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from annotations.ground.arrays import Mask
from metaeval.analyses.inputs import Reports, StudyInputs
from metaeval.analyses.study_quality.parameters import Pilot
from metaeval.analyses.study_quality.result import (
    DropOut,
    ExpertPlaces,
    QualityEstimate,
    QualityMeasure,
    ReportedInstance,
    ReportsOfReason,
    Scope,
    SkippedOfExpert,
    SkippedOfSystem,
    Standing,
    all_and_each,
    expert_name,
)

NO_PLACES = "nothing was given to this expert"
NO_PART = "the pilot has no part that everybody has to do"
REASONS = {
    "unreadable": "cannot be read",
    "distressing": "distressing",
    "identifies_person": "identifies a person",
    "other": "something else",
}


def in_scope(study: StudyInputs, pilot: Pilot) -> tuple[StudyInputs, Scope]:
    """The study with the places that count; `auto`: the pilot's, as long as there are no others."""
    answers = study.answers
    scope: Scope
    if pilot == "auto":
        is_begun = answers.is_labelled | answers.is_answered
        scope = "leave_out" if (is_begun & ~answers.is_pilot).any() or not is_begun.any() else "only"
    else:
        scope = pilot
    counting: Mask = {
        "include": np.ones(len(answers), dtype=np.bool_),
        "leave_out": ~answers.is_pilot,
        "only": answers.is_pilot,
    }[scope]
    place = np.cumsum(counting) - 1
    reported = counting[study.reports.answer]
    reports = Reports(
        answer=place[study.reports.answer[reported]],
        reason=tuple(reason for reason, counts in zip(study.reports.reason, reported, strict=True) if counts),
        skipped=study.reports.skipped[reported],
    )
    return replace(study, answers=answers.of(counting), reports=reports), scope


def place_rows(study: StudyInputs, scope: Scope) -> list[ExpertPlaces]:
    """One row per expert: their places, and what became of them.

    In a pool, everyone's part is equal: the planned places divided by the experts who take part, rounded up.
    """
    answers = study.answers
    reports = Counter(answers.expert[study.reports.answer].tolist())
    planned = study.comparisons * study.experts_per_comparison
    taking_part = len(study.experts) - len(study.inactive)
    part = math.ceil(planned / taking_part) if taking_part else None
    counting = answers.counting(answers.is_answered, include_pilot=study.state == "pilot").kept & ~answers.is_withdrawn
    is_empty = not study.is_named and int(counting.sum()) >= planned
    return [
        _places(study, scope, number, part=part, is_empty=is_empty, reports=reports[number]) for number in study.experts
    ]


def _places(
    study: StudyInputs, scope: Scope, number: int, *, part: int | None, is_empty: bool, reports: int
) -> ExpertPlaces:
    answers = study.answers
    mine = answers.expert == number
    present = mine & ~answers.is_skipped
    answered = present & answers.is_answered
    withdrawn = present & ~answers.is_answered & answers.is_withdrawn
    half = present & answers.is_labelled & ~answers.is_answered & ~answers.is_withdrawn
    waiting = present & ~answers.is_labelled & ~answers.is_answered & ~answers.is_withdrawn
    # Repeats come on top of a part of the pool, and count as assigned to someone by name.
    if scope == "only":
        part = None
    elif study.is_named:
        part = int(answered.sum() + half.sum() + waiting.sum())
    done = int((answered & (study.is_named | (answers.repeat_of < 0))).sum())
    share = min(1.0, done / part) if part else None
    is_active = number not in study.inactive
    state: Standing
    if share is not None and share >= 1:
        state = "done"
    elif not ((mine & answers.is_labelled).any() or answered.any()):
        state = "never began"
    elif is_empty and not half.any():  # nothing is left in the pool
        state = "done"
    else:
        state = "under way" if study.state != "closed" and is_active else "stopped"
    return ExpertPlaces(
        expert=expert_name(number),
        answered=int(answered.sum()),
        half=int(half.sum()),
        waiting=int(waiting.sum()),
        skipped=int((mine & answers.is_skipped).sum()),
        withdrawn=int(withdrawn.sum()),
        repeats=int((answered & (answers.repeat_of >= 0)).sum()),
        pilot=int((answered & answers.is_pilot).sum()),
        corrected=int((answered & ((answers.labels_revisions > 1) | (answers.preference_revisions > 1))).sum()),
        reports=reports,
        part=part,
        share=share,
        is_active=is_active,
        state=state,
        reason=NO_PART if scope == "only" else "" if part else NO_PLACES,
    )


def drop_out(study: StudyInputs, rows: Sequence[ExpertPlaces], scope: Scope, level: float) -> DropOut:
    """Of the experts who began, the share who stopped before their part was done."""
    states = Counter(row.state for row in rows)
    began = states.total() - states["never began"]
    reason = ""
    if scope == "only":
        reason = NO_PART
    elif not began:
        reason = "no expert has begun"
    elif states["under way"]:
        reason = f"the study is {study.state}, and {states['under way']} of {began} experts may still go on"
    share = (
        QualityEstimate.undefined(reason, began) if reason else QualityEstimate.share(states["stopped"], began, level)
    )
    return DropOut(
        experts=len(rows),
        never_began=states["never began"],
        under_way=states["under way"],
        stopped=states["stopped"],
        done=states["done"],
        **share.plain(),
    )


def skipped_after_step_2(study: StudyInputs) -> Mask:
    """The places whose step 2 was shown and which the expert then skipped; without deliberate repeats."""
    answers = study.answers
    return answers.is_skipped & answers.was_shown & ~answers.is_answered & (answers.repeat_of < 0)


def skip_rows(study: StudyInputs) -> tuple[list[SkippedOfExpert], list[SkippedOfSystem]]:
    """How often each expert skipped what they had seen, and each system's preference fraction at worst and at best.

    At worst the system would not have been chosen in any of its skipped comparisons, at best in all:
    chosen / (answers + skipped) and (chosen + skipped) / (answers + skipped). Empty if nothing was skipped like this.
    """
    skipped = skipped_after_step_2(study)
    if not skipped.any():
        return [], []
    answers = study.answers
    shown = answers.was_shown & (answers.repeat_of < 0)
    experts = []
    for name, mine in all_and_each(study.experts, answers.expert):
        seen, gone = int((mine & shown).sum()), int((mine & skipped).sum())
        experts.append(SkippedOfExpert(expert=name, shown=seen, skipped=gone, share=_ratio(gone, seen)))
    return experts, [_skipped_of_system(study, place, name, skipped) for place, name in enumerate(study.systems)]


def _skipped_of_system(study: StudyInputs, place: int, name: str, skipped: Mask) -> SkippedOfSystem:
    answers = study.answers
    counting = answers.counting(answers.is_answered, include_pilot=True).kept
    sides = [(answers.first == place, answers.first_chosen), (answers.second == place, answers.second_chosen)]
    count = int(sum((counting & is_of_system).sum() for is_of_system, _ in sides))
    chosen = int(sum((counting & is_of_system & is_chosen).sum() for is_of_system, is_chosen in sides))
    gone = int((skipped & (sides[0][0] | sides[1][0])).sum())
    return SkippedOfSystem(
        system=name,
        answers=count,
        chosen=chosen,
        skipped=gone,
        fraction=_ratio(chosen, count),
        worst=_ratio(chosen, count + gone),
        best=_ratio(chosen + gone, count + gone),
    )


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def report_rows(study: StudyInputs) -> list[ReportsOfReason]:
    """Reports by reason."""
    reports, answers = study.reports, study.answers
    rows = []
    for reason, title in REASONS.items():
        entries = np.flatnonzero([entry == reason for entry in reports.reason])
        places = reports.answer[entries]
        rows.append(
            ReportsOfReason(
                reason=title,
                reports=len(entries),
                left=int(reports.skipped[entries].sum()),
                instances=len(np.unique(answers.instance[places])),
                experts=len(np.unique(answers.expert[places])),
            )
        )
    return rows


def reported_instances(study: StudyInputs) -> list[ReportedInstance]:
    """Every reported instance, those with most reports first."""
    reasons: dict[int, list[str]] = {}
    instances = study.answers.instance[study.reports.answer].tolist()
    for instance, reason in zip(instances, study.reports.reason, strict=True):
        reasons.setdefault(instance, []).append(REASONS[reason])
    turns = np.unique(np.stack([study.answers.instance, study.answers.expert]), axis=1)
    experts = np.bincount(turns[0], minlength=len(study.P))
    return [
        ReportedInstance(
            instance=study.data.instances[instance],
            reports=len(reasons[instance]),
            experts=int(experts[instance]),
            reasons=", ".join(sorted(set(reasons[instance]))),
        )
        for instance in sorted(reasons, key=lambda instance: (-len(reasons[instance]), instance))
    ]


def reported_share(study: StudyInputs, level: float) -> QualityMeasure:
    """The share of the taken places for which something was reported."""
    n, reported = len(study.answers), len(np.unique(study.reports.answer))
    share = QualityEstimate.share(reported, n, level) if n else QualityEstimate.undefined("no place was taken")
    return QualityMeasure.of("reported", "Share of places with a report", share)
