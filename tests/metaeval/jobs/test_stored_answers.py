"""The same question is answered from the stored run; the log tells what happened to each run."""

import pytest
from django.db import IntegrityError, transaction

from annotations.background import jobs
from annotations.models import JobState, PreferenceResponse, User
from metaeval.analyses.base import computing
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.log_model import AnalysisRunLine
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import cancel_run, rerun, retry_run, start_run
from tests.worlds.answering import unsaved_preference

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    monkeypatch.setattr(jobs.run_job, "delay", lambda *_: None)


def start(study, **options):
    options = {"parameters": {"permutations": 300}, "seed": 5, **options}
    return start_run(subject=Subject.of_study(study), analysis="preference_correlation", **options)


def finished(study, **options):
    run = start(study, **options)
    assert jobs.run(AnalysisRun, run.pk)
    return AnalysisRun.objects.get(pk=run.pk)


def lines(run):
    return list(AnalysisRunLine.objects.filter(run=run).values_list("text", flat=True))


def test_the_same_question_is_answered_from_the_stored_run_unless_a_rerun_is_asked_for(study):
    first = finished(study)
    assert start(study).pk == first.pk
    assert start(study, parameters={"permutations": 300, "both": "1"}).pk == first.pk, "defaults are the same question"
    again = start(study, rerun=True)
    assert again.pk != first.pk
    assert again.state == JobState.QUEUED
    assert rerun(run=first).pk not in {first.pk, again.pk}


def test_another_seed_parameter_input_or_version_is_another_question(answered, monkeypatch):
    study = answered.study
    first = finished(study)
    others = [
        start(study, seed=6),
        start(study, parameters={"permutations": 301}),
    ]
    PreferenceResponse.objects.bulk_create([unsaved_preference(answered.assignments[0], False, False, revision=1)])
    others.append(start(study))
    PreferenceResponse.objects.filter(revision=1).delete()
    assert start(study).pk == first.pk
    monkeypatch.setattr(computing, "version", lambda library: "0.0")
    others.append(start(study))
    assert len({first.pk, *(run.pk for run in others)}) == 5


def test_what_failed_or_is_not_done_yet_answers_nothing(study):
    waiting = start(study)
    assert start(study).pk != waiting.pk
    cancelled = cancel_run(run=waiting)
    assert start(study).pk != cancelled.pk


def test_asking_whether_an_answer_is_stored_reads_no_matrix(study, django_assert_max_num_queries):
    finished(study)
    with django_assert_max_num_queries(16) as queries:
        start(study)
    assert not any('"gold"' in query["sql"] and "SELECT" in query["sql"] for query in queries.captured_queries)


def test_the_log_tells_what_happened_in_order(study):
    somebody = User.objects.create_user("ann@example.org")
    run = finished(study, actor=somebody)
    told = lines(run)
    assert told[0] == "Asked for by ann@example.org"
    assert told[1].startswith("Taken up by worker ")
    assert told[1].endswith(", attempt 1")
    assert told[2:] == [
        "Metrics on the exact predictions, over the whole dataset",
        "Metrics on the values that experts were shown, over the whole dataset",
        "Permutations and resamples",
        "Finished with 4 tables and 15 figures",
    ]


def test_the_log_of_a_failure_has_its_reason_and_never_an_unknown_error_s_words(study, monkeypatch):
    def fail(**_):
        raise RuntimeError("my landlord says")

    monkeypatch.setattr("metaeval.jobs.executing.result_of", fail)
    run = start(study)
    jobs.run(AnalysisRun, run.pk)
    assert lines(run)[-1] == "Failed: RuntimeError"
    retry_run(run=AnalysisRun.objects.get(pk=run.pk))
    assert lines(run)[-1] == "Tried again"
    cancel_run(run=AnalysisRun.objects.get(pk=run.pk))
    assert lines(run)[-1] == "Cancelled"


def test_lines_are_never_changed(study):
    run = start(study)
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        AnalysisRunLine.objects.filter(run=run).update(text="nothing happened")
