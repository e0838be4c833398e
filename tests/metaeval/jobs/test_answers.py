"""The result of a run in one sentence: stored with it, made for earlier ones, and shown to people who may see it."""

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from annotations.background import jobs
from annotations.models import Event, EventKind, JobState, Role, Study, StudyState
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs import answers
from metaeval.jobs.answers import UNREADABLE, store_answers
from metaeval.jobs.executing import tidy_up_runs
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import start_run
from tests.metaeval.finished import finished_run
from tests.metaeval.studies import answered_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db(transaction=True)

ASKED = {"analysis": "system_scores", "parameters": {}, "seed": 5}


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)


@pytest.fixture
def study():
    return answered_study().study


@pytest.fixture
def researcher(study):
    client = APIClient()
    client.force_login(
        make_member(study, Role.RESEARCHER, "researcher@example.org").user, "django.contrib.auth.backends.ModelBackend"
    )
    return client


def done(study, **asked):
    run = start_run(subject=Subject.of_study(study), **{**ASKED, **asked})
    assert jobs.run(AnalysisRun, run.pk)
    return AnalysisRun.objects.get(pk=run.pk)


def closed(study):
    Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED, closed_at=timezone.now())


def test_it_is_stored_with_the_result_and_again_where_an_earlier_result_is_taken(study):
    first = done(study)
    assert first.answer.startswith("Of nine methods, M0")
    assert done(study).answer == first.answer
    AnalysisRun.objects.update(answer="")
    assert done(study).answer == first.answer


def test_a_result_of_before_gets_its_sentence_on_the_way_and_is_given_it_by_the_worker_that_tidies_up(
    study, researcher
):
    closed(study)
    run = finished_run(study, analyses.get("system_scores"))
    assert run.answer == ""
    (row,) = researcher.get("/api/v1/studies/demo/runs/").json()["results"]
    assert row["answer"].startswith("Of nine methods, M0")
    assert researcher.get(f"/api/v1/runs/{run.pk}/").json()["answer"] == row["answer"]
    tidy_up_runs()
    run.refresh_from_db()
    assert run.answer == row["answer"]


def test_a_result_that_cannot_be_read_says_so(study):
    run = finished_run(study, analyses.get("system_scores"))
    AnalysisRun.objects.update(result={"schema": 0})
    store_answers()
    run.refresh_from_db()
    assert run.answer == UNREADABLE


def test_before_a_study_closes_answers_are_told_only_to_who_asks_and_that_leaves_an_event(study, researcher):
    done(study)
    looks = Event.objects.filter(kind=EventKind.UNBLINDED_VIEW)
    for address in ("runs", "analyses"):
        assert told_at(researcher, address) == [None]
        assert not looks.exists()
    for address in ("runs", "analyses"):
        (said,) = told_at(researcher, address, "?answers=true")
        assert said.startswith("Of nine methods, M0")
    (event,) = looks
    assert event.data == {"what": "answers of analyses"}
    closed(study)
    assert told_at(researcher, "runs") == told_at(researcher, "analyses") == [said]
    assert looks.count() == 1


def told_at(client, address, query=""):
    rows = client.get(f"/api/v1/studies/demo/{address}/{query}").json()["results"]
    if address == "runs":
        return [row["answer"] for row in rows]
    return [row["latest"]["answer"] for row in rows if row["latest"]]


def test_a_run_that_works_says_how_long_it_still_takes(study, researcher):
    run = start_run(subject=Subject.of_study(study), **ASKED)
    since = timezone.now() - timedelta(seconds=30)
    AnalysisRun.objects.filter(pk=run.pk).update(
        state=JobState.RUNNING, started_at=since, progress_done=75, progress_total=100
    )
    left = researcher.get(f"/api/v1/runs/{run.pk}/").json()["progress"]["seconds_left"]
    assert 9 <= left <= 12
    AnalysisRun.objects.filter(pk=run.pk).update(progress_done=0)
    assert researcher.get(f"/api/v1/runs/{run.pk}/").json()["progress"]["seconds_left"] is None


@pytest.mark.parametrize(("block", "is_known"), [(0, False), (3, False), (84, True)])
def test_how_long_it_takes_is_not_guessed_before_the_blocks_of_its_loop_move(study, researcher, block, is_known):
    run = start_run(subject=Subject.of_study(study), **ASKED)
    AnalysisRun.objects.filter(pk=run.pk).update(
        state=JobState.RUNNING,
        started_at=timezone.now() - timedelta(seconds=30),
        progress_done=1500 + block,
        progress_total=10_000,
        progress_message=f"Permutations and resamples: block {block} of 168",
    )
    left = researcher.get(f"/api/v1/runs/{run.pk}/").json()["progress"]["seconds_left"]
    assert (left is not None) is is_known


@pytest.mark.parametrize("address", ["runs", "analyses"])
def test_many_runs_take_as_many_queries_as_one(study, researcher, address, django_assert_max_num_queries, monkeypatch):
    monkeypatch.setattr(answers, "AT_ONCE", 2)
    closed(study)
    entry = analyses.get("system_scores")
    finished_run(study, entry)
    path = f"/api/v1/studies/demo/{address}/"
    researcher.get(path)
    with django_assert_max_num_queries(60) as counted:
        researcher.get(path)
    for _ in range(5):
        finished_run(study, entry)
    with django_assert_max_num_queries(len(counted)):
        researcher.get(path)
