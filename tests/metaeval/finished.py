"""A study with everything that a document must show or leave out, and results of every analysis."""

import copy
import json

import numpy as np
from django.utils import timezone

from annotations.ground.fingerprints import matrix_fingerprint
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
from metaeval.analyses.base.computing import made_with, result_of
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.planning import set_plan, stamp_plan, standing
from tests.metaeval.studies import answered_study

REMARK = "SECRET REMARK"
SEED = 7


def whole_study(slug="demo"):
    """A fixed plan, a pilot, a given-up text with a report, a correction, a guess, a withdrawn text."""
    answered = answered_study(slug, state=StudyState.DRAFT)
    study = answered.study
    as_imported(answered)
    example = {"permutations": 200}
    set_plan(study=study, planned=[{"analysis": "preference_correlation", "parameters": example, "seed": SEED}])
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


_known = {}


def example_result(study, entry):
    """As a worker computes it; of the same inputs once for all tests, since nothing else is in it but the plan."""
    inputs, parameters = gather_study(study), entry.validated(entry.example)
    about = json.dumps([inputs.stated.plain(), inputs.is_simulated, inputs.counts])
    matrices = [np.asarray(matrix).tobytes() for matrix in (inputs.P, *map(inputs.Q.get, inputs.systems))]
    key = (entry.name, inputs.fingerprint, about, *matrices)
    if key not in _known:
        _known[key] = result_of(
            inputs=inputs, entry=entry, parameters=parameters, seed=SEED, work=Work(lambda *_: None)
        )
    asked = parameters.model_dump(mode="json")
    return copy.deepcopy(_known[key]) | {
        "plan": standing(study=study, analysis=entry.name, parameters=asked, seed=SEED)
    }


def finished_run(study, entry):
    result = example_result(study, entry)
    return AnalysisRun.objects.create(
        study=study,
        analysis=entry.name,
        parameters=result["parameters"],
        seed=SEED,
        state=JobState.SUCCEEDED,
        result=result,
        figures=entry.figure_names(result),
        fingerprint=result["fingerprint"],
        made_with=made_with(entry),
        is_simulated=result["is_simulated"],
        finished_at=timezone.now(),
    )
