"""How well is a study going? Sides, repeats, time, agreement with the rest, blinding, reports, drop-out."""

from __future__ import annotations

from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.inputs import StudyInputs, SubjectKind
from metaeval.analyses.inputs.answers import LABELLED_BEFORE, PILOT
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.study_quality.agreement import group_rows, steps_of
from metaeval.analyses.study_quality.answers import repeat_measures, repeat_rows, time_measures, time_rows
from metaeval.analyses.study_quality.parameters import StudyQuality
from metaeval.analyses.study_quality.places import (
    drop_out,
    in_scope,
    place_rows,
    report_rows,
    reported_instances,
    reported_share,
    skip_rows,
    skipped_after_step_2,
)
from metaeval.analyses.study_quality.result import (
    STEPS,
    QualityMeasure,
    Scope,
    StudyQualityFindings,
    StudyQualityResult,
    answer,
    tables_of,
)
from metaeval.analyses.study_quality.sides import guess_rows, shape_leak, side_rows
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
