"""How well is a study going? Sides, repeats, time, agreement with the rest, blinding, reports, drop-out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from annotations.ground.arrays import Mask
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.inputs import Reports, StudyInputs, SubjectKind
from metaeval.analyses.inputs.answers import LABELLED_BEFORE, PILOT
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.study_quality.agreement import group_rows, steps_of
from metaeval.analyses.study_quality.answers import (
    guess_rows,
    repeat_measures,
    repeat_rows,
    shape_leak,
    side_rows,
    time_measures,
    time_rows,
)
from metaeval.analyses.study_quality.parameters import Pilot, StudyQuality
from metaeval.analyses.study_quality.result import (
    STEPS,
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
    StudyQualityFindings,
    StudyQualityResult,
    all_and_each,
    answer,
    expert_name,
    tables_of,
)
from metaeval.sampling import stream

NOBODY_ANSWERED = "Nobody has answered yet: all measures are undefined until somebody does."
PILOT_ONLY = "The answers of the pilot only."


@analysis(
    title="How well is the study going?",
    subjects=["study"],
    parameters=StudyQuality,
    result=StudyQualityResult,
    version=4,
    figures=["quality_times", "quality_agreement", "quality_sides", "quality_outcomes", "quality_places"],
    example={"resamples": 100},
    words=PlainWords(
        question="How well is the study going?",
        group="The study itself",
        shows="How far along the experts are, how long they take, whether they favour a side and how far they agree. "
        "It needs experts who take part.",
        place=0,
        needs={SubjectKind.STUDY: ("experts",)},
        compared=("pilot", "distance"),
        statistics=("quick_seconds", "least_common", "resamples", "level"),
        answer=answer,
    ),
)
def study_quality(inputs: StudyInputs, parameters: StudyQuality, seed: int, work: Work) -> StudyQualityFindings:
    """Examines how a study's experts answer, while it runs or afterwards: how fast, how consistently, on which side.

    Position bias: the share of A among the answers that chose one side. Self-consistency: repeats that got the
    same answer. Blinding: Bang's index of the guesses at the end. Agreement with the rest: Krippendorff's
    alpha of one expert with the others. Groups: experts by what they said about themselves. Drop-out: experts who began
    and stopped. Skips after step 2 was shown, and how much they could change each system's preference fraction. What
    cannot be said yet is undefined, with the reason. Experts are identified only by number.
    """
    if not inputs.experts:
        raise AnalysisError("The study has no experts yet. Invite some.")
    root = root_stream(seed, Purpose.STUDY_QUALITY)
    level, resamples = parameters.level, parameters.resamples
    study, scope = in_scope(inputs, parameters.pilot)
    work.stage("Answers", until=0.3)
    # The pilot's places are part of the plan: an expert who answered one has one less to do.
    people = place_rows(study if scope == "only" else inputs, scope)
    steps = steps_of(study, distance=parameters.distance, least_common=parameters.least_common)
    sides, bias = side_rows(study, level=level, resamples=resamples, seed=stream(root, 0))
    guesses, blinding = guess_rows(study, level=level, resamples=resamples, seed=stream(root, 1))
    repeats = repeat_rows(study, level=level)
    times = time_rows(study, parameters.quick_seconds)
    skips, skipped_systems = skip_rows(study)
    stopped = drop_out(inputs, people, scope, level)
    work.stage("Resampling")
    plans: dict[str, Plan] = {}
    for number, step in enumerate(steps):
        plans |= step.plans(resamples=resamples, seed=stream(stream(root, 2), number))
    replicates = work.run(plans)
    findings = StudyQualityFindings(
        scope=scope,
        state=inputs.state,
        people=people,
        times=times,
        sides=sides,
        consistency=repeats,
        guesses=guesses,
        agreement=[row for step in steps for row in step.rows(study, replicates, level)],
        reports=report_rows(study),
        reported_instances=reported_instances(study),
        drop_out=stopped,
        measures=[
            bias,
            *repeat_measures(repeats),
            *(step.measure(replicates, level) for step in steps),
            blinding,
            *time_measures(times),
            reported_share(study, level),
            QualityMeasure.of("drop_out", "Drop-out: share of those who began", stopped),
        ],
        skips=skips,
        skipped_systems=skipped_systems,
        counts=_counts(study),
        exclusions=_exclusions(inputs, study, scope),
        notes=_notes(inputs, study, scope),
        groups=group_rows(study, distance=parameters.distance, least_common=parameters.least_common),
        leak=shape_leak(study),
        tables=[],
    )
    tables = tables_of(findings, level=level, quick_seconds=parameters.quick_seconds)
    return findings.model_copy(update={"tables": tables})


def _counts(study: StudyInputs) -> dict[str, int]:
    answers = study.answers
    present = ~answers.is_skipped
    return {
        "experts": len(study.experts),
        "places": len(answers),
        "label_responses": int((present & answers.is_labelled).sum()),
        "preference_responses": int((present & answers.is_answered).sum()),
        "reports": len(study.reports),
        "skipped_after_step_2": int(skipped_after_step_2(study).sum()),
    }


def _exclusions(inputs: StudyInputs, study: StudyInputs, scope: Scope) -> list[Exclusion]:
    """What is left out of everything but the table of places."""
    count = len(inputs.answers) - len(study.answers)
    reason = PILOT if scope == "leave_out" else "given after the pilot"
    exclusions = [Exclusion(what="places", count=count, reason=reason)] if count else []
    repeats = int((study.answers.is_answered & (study.answers.repeat_of >= 0)).sum())
    if repeats:
        reason = "deliberate repeats, which count for self-consistency and time only"
        exclusions.append(Exclusion(what="responses", count=repeats, reason=reason))
    again = int(study.answers.counting_labels(include_pilot=True).again.sum())
    if again:
        reason = f"{LABELLED_BEFORE}: they count for self-consistency and time only"
        exclusions.append(Exclusion(what="responses", count=again, reason=reason, of=STEPS["labels"]))
    return exclusions


def _notes(inputs: StudyInputs, study: StudyInputs, scope: Scope) -> list[str]:
    notes = []
    if not (study.answers.is_labelled | study.answers.is_answered).any():
        notes.append(NOBODY_ANSWERED)
    elif inputs.state != "closed":
        notes.append(f"The study is {inputs.state}: these are the answers so far, and the numbers will change.")
    if scope == "only":
        notes.append(PILOT_ONLY)
    if scope == "include":
        notes.append("The answers of the pilot are included.")
    return notes


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
