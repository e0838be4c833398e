"""The same question is answered from the stored run; the log says what happened to each run."""

import pytest
from django.db import IntegrityError, transaction

from annotations.background import jobs
from annotations.erasing.subjects import open_gate
from annotations.models import JobState, PreferenceResponse, User
from metaeval.analyses.base import computing
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun, AnalysisRunLine
from metaeval.jobs.runs import cancel_run, rerun, retry_run, start_run
from tests.worlds.answering import unsaved_preference

pytestmark = pytest.mark.django_db(transaction=True)

FEW = {"permutations": 300, "metrics": ["po_jsd"], "coefficients": ["kendall"]}


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)


def start(study, **options):
    options = {"parameters": FEW, "seed": 5, **options}
    return start_run(subject=Subject.of_study(study), analysis="preference_correlation", **options)


def finished(study, **options):
    run = start(study, **options)
    assert jobs.run(AnalysisRun, run.pk)
    return AnalysisRun.objects.get(pk=run.pk)


def lines(run):
    return list(AnalysisRunLine.objects.filter(run=run).values_list("text", flat=True))


def test_the_same_question_is_answered_by_the_stored_result_unless_a_rerun_is_asked_for(study):
    first = finished(study)
    for options in ({}, {"parameters": FEW | {"both": "1"}}):  # defaults are the same question
        same = finished(study, **options)
        assert same.pk != first.pk
        assert same.answered_by_id == first.pk, "and never one that was itself answered so"
        assert (same.result, same.figures, same.fingerprint) == (first.result, first.figures, first.fingerprint)
    assert lines(same)[-2].startswith("The same question was answered on ")
    assert finished(study, rerun=True).answered_by is None
    again = rerun(run=same)
    assert jobs.run(AnalysisRun, again.pk)
    assert AnalysisRun.objects.get(pk=again.pk).answered_by is None


def test_what_was_stored_computes_nothing(study, monkeypatch):
    finished(study)
    monkeypatch.setattr("metaeval.analyses.base.computing.result_of", lambda **_: pytest.fail("computed anew"))
    assert finished(study).state == JobState.SUCCEEDED


def test_another_seed_parameter_input_or_version_is_another_question(answered, monkeypatch):
    study = answered.study
    first = finished(study)
    others = [finished(study, seed=6), finished(study, parameters=FEW | {"permutations": 301})]
    PreferenceResponse.objects.bulk_create([unsaved_preference(answered.assignments[0], False, False, revision=1)])
    others.append(finished(study))
    with transaction.atomic(), open_gate():  # nothing but an erasure deletes an answer
        PreferenceResponse.objects.filter(revision=1).delete()
    assert finished(study).answered_by == first
    monkeypatch.setattr(computing, "version", lambda library: "0.0")
    others.append(finished(study))
    assert [run.answered_by for run in others] == [None] * 4


def test_what_was_cancelled_or_is_not_done_yet_answers_nothing(study):
    start(study)
    cancel_run(run=start(study))
    assert finished(study).answered_by is None


def test_asking_reads_neither_answers_nor_matrices_whatever_is_stored(study, django_assert_max_num_queries):
    finished(study)
    with django_assert_max_num_queries(12) as queries:
        start(study)
    told = " ".join(query["sql"] for query in queries.captured_queries)
    assert not any(table in told for table in ("preferenceresponse", "labelresponse", "annotations_assignment", "gold"))


def test_the_log_tells_what_happened_in_order(study):
    somebody = User.objects.create_user("ann@example.org")
    run = finished(study, actor=somebody)
    told = lines(run)
    assert told[0] == "Requested by ann@example.org"
    assert told[1].startswith("Started by worker ")
    assert told[1].endswith(", attempt 1")
    assert told[2:] == [
        "Metrics on the exact predictions, over the whole dataset",
        "Metrics on the values that experts were shown, over the whole dataset",
        "Permutations and resamples",
        "Finished with 3 tables and 5 figures",
    ]


def test_the_log_of_a_failure_has_its_reason_and_never_an_unknown_error_s_words(study, monkeypatch):
    def fail(**_):
        raise RuntimeError("my landlord says")

    monkeypatch.setattr("metaeval.analyses.base.computing.result_of", fail)
    run = start(study)
    jobs.run(AnalysisRun, run.pk)
    assert lines(run)[-1].split(": ")[1].split(", ") == [
        "RuntimeError",
        f"study {study.slug}",
        "preference_correlation",
    ]
    retry_run(run=AnalysisRun.objects.get(pk=run.pk))
    assert lines(run)[-1] == "Tried again"
    cancel_run(run=AnalysisRun.objects.get(pk=run.pk))
    assert lines(run)[-1] == "Cancelled"


def test_lines_are_never_changed(study):
    run = start(study)
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        AnalysisRunLine.objects.filter(run=run).update(text="nothing happened")
