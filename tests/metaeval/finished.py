"""A study with everything that a document must show or leave out, and results of every analysis."""

from django.utils import timezone

from annotations.fingerprints import matrix_fingerprint
from annotations.models import (
    Assignment,
    Guess,
    Instance,
    JobState,
    PreferenceResponse,
    Report,
    ReportReason,
    Study,
    StudyState,
    System,
)
from metaeval.analyses.base.computing import made_with
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.planning import set_plan, stamp_plan
from metaeval.jobs.runs import compute
from tests.metaeval.studies import answered_study

REMARK = "SECRET REMARK"


def whole_study(slug="demo"):
    """A fixed plan, a pilot, a given-up text with a report, a correction, a guess, a withdrawn text."""
    answered = answered_study(slug, state=StudyState.DRAFT)
    study = answered.study
    as_imported(answered)
    example = {"permutations": 200}
    set_plan(study=study, planned=[{"analysis": "preference_correlation", "parameters": example, "seed": 7}])
    stamp_plan(study=study)
    Study.objects.filter(pk=study.pk).update(state=StudyState.OPEN, opened_at=timezone.now())
    study.refresh_from_db()
    first, second, third, fourth = answered.assignments[:4]
    now = timezone.now()
    Assignment.objects.filter(pk=first.pk).update(is_pilot=True)
    Assignment.objects.filter(pk=second.pk).update(released_at=now)
    Report.objects.create(
        assignment=second, reason=ReportReason.values[0], text=REMARK, skipped=True, key=first.token, created_at=now
    )
    PreferenceResponse.objects.create(
        assignment=third, a_chosen=True, b_chosen=True, certainty=None, revision=1, key=first.token, created_at=now
    )
    Guess.objects.create(assignment=fourth, side="unknown", key=fourth.token, created_at=now)
    Instance.objects.filter(dataset=study.dataset, position=3).update(withdrawn_at=now)
    return study


def as_imported(answered):
    """The systems with the fingerprints that an import would have stored; returns the study."""
    for system in answered.systems:
        System.objects.filter(pk=system.pk).update(fingerprint=matrix_fingerprint(system.predictions))
    return answered.study


def with_results(study, *names):
    """Analyses of the study (all of them, or those named), with the parameters of their examples, as finished runs."""
    for entry in analyses:
        if SubjectKind.STUDY in entry.subjects and (not names or entry.name in names):
            finished_run(study, entry)
    return study


def finished_run(study, entry):
    result = compute(
        subject=Subject.of_study(study),
        analysis=entry.name,
        parameters=entry.example,
        seed=7,
        progress=lambda *_: None,
    )
    return AnalysisRun.objects.create(
        study=study,
        analysis=entry.name,
        parameters=result["parameters"],
        seed=7,
        state=JobState.SUCCEEDED,
        result=result,
        figures=entry.figure_names(result),
        fingerprint=result["fingerprint"],
        made_with=made_with(entry),
        is_simulated=result["is_simulated"],
        finished_at=timezone.now(),
    )
