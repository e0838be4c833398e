"""Who waits for whom: one person has only so many jobs at a time, and each job says what comes before it."""

import threading

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotations.background import jobs
from annotations.models import ExportJob, ImportFile, ImportJob, JobState, Role, User
from metaeval.documents.models import StudyDocument
from metaeval.jobs.models import AnalysisRun
from metaeval.training_jobs.models import Training, TrainingJob
from tests.metaeval.studies import answered_study
from tests.metaeval.training_jobs.world import TINY, judged_dataset
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db(transaction=True)

MOST = 3


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch, settings):
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)
    settings.HLV_JOBS_PER_PERSON = MOST


@pytest.fixture
def study():
    return answered_study().study


def client_of(user):
    client = APIClient()
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def ann(study):
    user = make_member(study, Role.RESEARCHER, "ann@example.org").user
    user.is_superuser = True
    user.save()
    return client_of(user)


def analyse(client):
    body = {"analysis": "preference_correlation", "parameters": {"permutations": 100}, "rerun": True}
    return client.post("/api/v1/studies/demo/runs/", body, format="json")


def export(client):
    return client.post("/api/v1/studies/demo/export-files/", {"format": "jsonl"}, format="json")


def report(client):
    return client.post("/api/v1/studies/demo/documents/", {"kind": "report_html"}, format="json")


def upload(client):
    file = SimpleUploadedFile("a.csv", b"instance,label,probability\na,tax,1\n")
    return client.post("/api/v1/imports/", {"files": [file], "kind": "dataset", "dataset": "small"})


def train(client):
    body = {"parameters": TINY | {"model": f"m{Training.objects.count()}"}}
    return client.post("/api/v1/datasets/problems/trainings/", body, format="json")


ASK = {AnalysisRun: analyse, ExportJob: export, StudyDocument: report, ImportJob: upload, TrainingJob: train}


@pytest.mark.parametrize("kind", ASK, ids=lambda kind: kind.__name__)
def test_what_is_more_than_a_person_may_have_at_a_time_is_refused_until_one_has_ended(ann, kind, tried):
    judged_dataset()
    made = [ASK[kind](ann) for _ in range(MOST)]
    assert {answer.status_code for answer in made} == {202}, made[-1].content
    files = ImportFile.objects.count()
    refused = [ASK[kind](ann) for _ in range(5)]
    tried(MOST + len(refused), "jobs asked for by one person")
    assert {(answer.status_code, answer.json()["code"]) for answer in refused} == {(409, "too_many_jobs")}
    data = refused[0].json()["data"]
    assert (sum(data["unfinished"].values()), data["most"]) == (MOST, MOST)
    assert set(data["jobs"]) == {answer.json()["id"] for answer in made}, "which"
    assert (kind.unfinished_of(User.objects.get(email="ann@example.org").pk).count(), ImportFile.objects.count()) == (
        MOST,
        files,
    )
    TrainingJob.objects.update(state=JobState.SUCCEEDED)
    Training.objects.update(state="ready")
    for model in ASK:
        first = model._default_manager.first()
        if first is not None:
            jobs.cancel(first)
    assert ASK[kind](ann).status_code == 202
    assert ASK[kind](ann).status_code == (409 if kind is not TrainingJob else 202)


def test_a_queue_is_counted_over_all_its_kinds_and_each_person_alone(ann, study):
    judged_dataset()
    assert [ASK[kind](ann).status_code for kind in (AnalysisRun, ExportJob, ImportJob)] == [202] * 3
    refused = report(ann)
    assert refused.status_code == 409
    assert refused.json()["data"]["unfinished"] == {"importjob": 1, "exportjob": 1, "analysisrun": 1}
    assert train(ann).status_code == 202, "another queue"
    assert report(client_of(make_member(study, Role.RESEARCHER, "ben@example.org").user)).status_code == 202


def test_every_kind_of_job_is_limited_or_is_no_choice_of_a_persons():
    """Mails and notifications follow from other acts, shards are parts of runs, and to erase is a duty."""
    limited = {model for model in jobs.job_models() if model.is_limited}
    assert limited == set(ASK)
    assert {model.__name__ for model in set(jobs.job_models()) - limited} == {
        "AnalysisShard",
        "Erasure",
        "Letter",
        "Notice",
    }


def test_what_ended_counts_again_when_it_is_tried_again(ann):
    first = analyse(ann).json()["id"]
    ann.post(f"/api/v1/runs/{first}/cancel/")
    for _ in range(MOST):
        export(ann)
    refused = ann.post(f"/api/v1/runs/{first}/retry/")
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_jobs")
    assert AnalysisRun.objects.get(pk=first).state == JobState.CANCELLED


def test_requests_at_the_same_moment_do_not_exceed_it(study):
    user = make_member(study, Role.RESEARCHER, "ann@example.org").user
    together = threading.Barrier(8)
    statuses = []

    def ask():
        try:
            client = client_of(user)
            together.wait(30)
            statuses.append(report(client).status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [202] * MOST + [409] * (8 - MOST)
    assert StudyDocument.objects.count() == MOST


def test_each_job_says_what_comes_before_it_and_never_whose_or_what(ann, study):
    ben = client_of(make_member(study, Role.RESEARCHER, "ben@example.org").user)
    User.objects.filter(email="ben@example.org").update(name="Benedict")
    judged_dataset()
    export(ben)
    for ask in (export, report, analyse):
        ask(ann)
    addresses = ("studies/demo/export-files", "studies/demo/documents", "studies/demo/runs")
    told = [ann.get(f"/api/v1/{address}/").json()["results"][0] for address in addresses]
    assert [(one["waits_for"]["own"], one["waits_for"]["others"]) for one in told] == [(0, 1), (1, 1), (2, 1)]
    assert "Benedict" not in str([one["waits_for"] for one in told])
    detail = ann.get(f"/api/v1/export-files/{told[0]['id']}/").json()
    assert detail["waits_for"] == told[0]["waits_for"]
    jobs.cancel(ExportJob.objects.get(pk=told[0]["id"]))
    assert ann.get(f"/api/v1/export-files/{told[0]['id']}/").json()["waits_for"] is None
    upload(ann)
    (imported,) = ann.get("/api/v1/imports/").json()["results"]
    assert (imported["waits_for"]["own"], imported["waits_for"]["others"]) == (2, 1)


@pytest.mark.parametrize("address", ["studies/demo/export-files", "studies/demo/documents", "studies/demo/runs"])
def test_a_list_is_asked_for_as_often_with_many_that_wait_as_with_one(
    ann, settings, address, django_assert_num_queries
):
    settings.HLV_JOBS_PER_PERSON = 100
    ask = {"export-files": export, "documents": report, "runs": analyse}[address.rpartition("/")[2]]
    ask(ann)
    ann.get(f"/api/v1/{address}/")  # what is asked once is known from now on
    with CaptureQueriesContext(connection) as asked:
        assert len(ann.get(f"/api/v1/{address}/").json()["results"]) == 1
    few = len(asked)
    for _ in range(9):
        ask(ann)
    with django_assert_num_queries(few):
        assert len(ann.get(f"/api/v1/{address}/").json()["results"]) == 10
