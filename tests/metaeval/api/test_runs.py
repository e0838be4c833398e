"""Runs over the API: for researchers and admins of the study, with a fixed number of queries."""

import csv
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotations.background import jobs
from annotations.models import Assignment, Event, EventKind, Role, Study, StudyState, System
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import start_run
from tests.worlds.studies import make_member, make_study

pytestmark = pytest.mark.django_db(transaction=True)

FEW: dict[str, Any] = {"permutations": 200, "metrics": ["po_jsd", "soft_micro_f1"], "coefficients": ["pearson"]}
ASKED: dict[str, Any] = {"analysis": "preference_correlation", "parameters": FEW, "seed": 5}


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)


@pytest.fixture
def researcher(study):
    client = APIClient()
    client.force_login(
        make_member(study, Role.RESEARCHER, "researcher@example.org").user, "django.contrib.auth.backends.ModelBackend"
    )
    return client


@pytest.fixture
def admin(study):
    client = APIClient()
    client.force_login(
        make_member(study, Role.ADMIN, "admin@example.org").user, "django.contrib.auth.backends.ModelBackend"
    )
    return client


@pytest.fixture
def finished(study):
    run = start_run(subject=Subject.of_study(study), **ASKED)
    jobs.run(AnalysisRun, run.pk)
    return AnalysisRun.objects.get(pk=run.pk)


def test_the_analyses_are_listed_with_the_schema_of_their_parameters(researcher):
    entries = {entry["name"]: entry for entry in researcher.get("/api/analyses/").json()}
    assert set(entries) == set(analyses.names())
    entry = entries["preference_correlation"]
    assert {"name", "title", "description", "subjects", "parameters", "figures"} < set(entry)
    assert entry["parameters"]["properties"]["permutations"]["maximum"] == 10_000_000


def test_a_run_is_started_watched_and_read(researcher, study):
    started = researcher.post(f"/api/studies/{study.slug}/runs/", ASKED, format="json")
    assert started.status_code == 202
    body = started.json()
    assert (body["state"], body["seed"], body["result"], body["worker_alive"]) == ("queued", 5, None, False)
    assert body["progress"] == {"done": 0, "total": 0, "message": "", "seconds_left": None}
    jobs.run(AnalysisRun, uuid.UUID(body["id"]))
    (listed,) = researcher.get(f"/api/studies/{study.slug}/runs/").json()
    assert "result" not in listed
    shown = researcher.get(f"/api/runs/{body['id']}/")
    assert shown.headers["Cache-Control"] == "no-store"
    assert shown.json()["state"] == "succeeded"
    assert shown.json()["result"]["seed"] == 5
    spec = researcher.get(f"/api/runs/{body['id']}/figures/scatter/").json()
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")


def test_the_table_comes_as_json_and_as_csv_that_no_spreadsheet_runs(researcher, answered):
    System.objects.filter(pk=answered.systems[3].pk).update(model="=HYPERLINK(1)", predictions=answered.P * 0 + 0.5)
    run = start_run(subject=Subject.of_study(answered.study), **ASKED)
    jobs.run(AnalysisRun, run.pk)
    table = researcher.get(f"/api/runs/{run.pk}/tables/correlations/").json()
    answer = researcher.get(f"/api/runs/{run.pk}/tables/correlations/?format=csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert (
        answer.headers["Content-Disposition"] == 'attachment; filename="demo-preference_correlation-correlations.csv"'
    )
    rows = list(csv.DictReader(answer.content.decode().splitlines()))
    assert [row["metric"] for row in rows] == [row["metric"] for row in table["rows"]]
    assert float(rows[0]["pearson_p"]) == table["rows"][0]["pearson_p"]
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row.values())


def test_an_unknown_figure_is_not_there(researcher, finished):
    for path in ("figures/pie/", "figures/scatter-f1/"):
        assert researcher.get(f"/api/runs/{finished.pk}/{path}").status_code == 404


def test_what_is_not_finished_has_no_figure_and_no_table(researcher, study):
    run = start_run(subject=Subject.of_study(study), **ASKED)
    for path in ("figures/scatter/", "tables/correlations/"):
        answer = researcher.get(f"/api/runs/{run.pk}/{path}")
        assert answer.status_code == 409
        assert answer.json()["code"] == "not_finished"


def test_what_cannot_be_started_is_refused_with_a_code(researcher, study):
    changes: list[tuple[dict[str, Any], str, int]] = [
        ({"analysis": "magic"}, "unknown_name", 404),
        ({"parameters": {"permutations": 1}}, "invalid", 400),
        ({"parameters": ["permutations"]}, "invalid", 400),
        ({"seed": -1}, "invalid", 400),
        ({"seed": 2**63}, "invalid", 400),
    ]
    for change, code, status in changes:
        answer = researcher.post(f"/api/studies/{study.slug}/runs/", {**ASKED, **change}, format="json")
        assert (answer.status_code, answer.json()["code"]) == (status, code), change
        assert not AnalysisRun.objects.exists()


def test_a_wrong_parameter_is_named(researcher, study):
    asked = {**ASKED, "parameters": {"permutations": 1}}
    answer = researcher.post(f"/api/studies/{study.slug}/runs/", asked, format="json")
    assert answer.json()["data"] == {"permutations": "Input should be greater than or equal to 100"}
    assert answer.json()["fields"] == {"permutations": ["This must be 100 or more."]}


def test_a_run_is_cancelled_and_tried_again(researcher, study):
    run = start_run(subject=Subject.of_study(study), **ASKED)
    assert researcher.post(f"/api/runs/{run.pk}/cancel/").json()["state"] == "cancelled"
    assert researcher.post(f"/api/runs/{run.pk}/cancel/").json()["code"] == "cannot_cancel"
    again = researcher.post(f"/api/runs/{run.pk}/retry/")
    assert (again.status_code, again.json()["state"]) == (202, "queued")
    assert researcher.post(f"/api/runs/{run.pk}/retry/").json()["code"] == "cannot_retry"


def test_only_an_admin_of_the_study_reads_the_traceback_of_a_failure(researcher, admin, study):
    Assignment.objects.update(is_pilot=True)
    run = start_run(subject=Subject.of_study(study), **ASKED)
    jobs.run(AnalysisRun, run.pk)
    elsewhere = make_member(study, Role.RESEARCHER, "elsewhere@example.org").user
    make_member(make_study(dataset=study.dataset, slug="elsewhere"), Role.ADMIN, elsewhere.email)
    admin_of_another = APIClient()
    admin_of_another.force_login(elsewhere, "django.contrib.auth.backends.ModelBackend")
    for client, sees in ((researcher, False), (admin_of_another, False), (admin, True)):
        body = client.get(f"/api/runs/{run.pk}/").json()
        assert body["error"].startswith("No responses count yet")
        assert bool(body["error_detail"]) == sees


def test_to_everybody_else_nothing_is_there(answered, finished):
    other = make_study(dataset=answered.study.dataset, slug="other")
    people = {
        "expert": answered.experts[0].user,
        "stranger": make_member(other, Role.RESEARCHER, "stranger@example.org").user,
        "expelled": make_member(answered.study, Role.RESEARCHER, "gone@example.org").user,
    }
    people["expelled"].memberships.update(is_active=False)
    slug, pk = answered.study.slug, finished.pk
    for who, user in people.items():
        client = APIClient()
        client.force_login(user, "django.contrib.auth.backends.ModelBackend")
        paths = [f"runs/{pk}/", f"runs/{pk}/figures/scatter/", f"runs/{pk}/table/", f"studies/{slug}/runs/"]
        paths += [] if who == "stranger" else ["analyses/"]
        for path in paths:
            assert client.get(f"/api/{path}").status_code == 404, (who, path)
        for path, body in ((f"studies/{slug}/runs/", ASKED), (f"runs/{pk}/cancel/", {}), (f"runs/{pk}/retry/", {})):
            assert client.post(f"/api/{path}", body, format="json").status_code == 404, (who, path)
    assert AnalysisRun.objects.count() == 1


def test_without_a_session_nothing_answers(finished):
    client = APIClient()
    for path in ("analyses/", "studies/demo/runs/", f"runs/{finished.pk}/", f"runs/{finished.pk}/figures/scatter/"):
        assert client.get(f"/api/{path}").status_code in {401, 403}


def test_looking_at_a_result_before_the_study_closes_leaves_one_event_a_look(researcher, study, finished):
    looks = Event.objects.filter(kind=EventKind.UNBLINDED_VIEW)
    researcher.get(f"/api/studies/{study.slug}/runs/")
    assert not looks.exists()
    for _ in range(2):
        researcher.get(f"/api/runs/{finished.pk}/")
        researcher.get(f"/api/runs/{finished.pk}/figures/scatter/")
    (event,) = looks
    assert (event.actor_email, event.data) == ("researcher@example.org", {"what": "result of preference_correlation"})


def test_who_asks_for_answers_before_the_study_closes_is_in_its_history_once(researcher, study):
    start_run(subject=Subject.of_study(study), **ASKED)
    looks = Event.objects.filter(kind=EventKind.UNBLINDED_VIEW)
    for answers, told in (("false", None), ("true", "")):
        assert not looks.exists()
        (listed,) = researcher.get(f"/api/studies/{study.slug}/runs/", {"answers": answers}).json()
        assert listed["answer"] == told
    researcher.get(f"/api/studies/{study.slug}/analyses/", {"answers": "true"})
    (event,) = looks
    assert (event.actor_email, event.study) == ("researcher@example.org", study)
    assert event.data.keys() == {"what"}


def test_the_answers_of_a_closed_study_are_told_unasked_and_nobody_notes_it(researcher, study):
    start_run(subject=Subject.of_study(study), **ASKED)
    Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED)
    (listed,) = researcher.get(f"/api/studies/{study.slug}/runs/").json()
    assert listed["answer"] == ""
    assert not Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).exists()


def test_each_way_of_looking_at_a_result_leaves_an_event(study, finished):
    parts = [
        "",
        "figures/scatter/",
        "figures/scatter/?format=svg",
        "tables/",
        "tables/correlations/",
        "tables/correlations/?format=csv",
    ]
    for number, part in enumerate(parts):  # each by somebody who has not looked yet
        user = make_member(study, Role.RESEARCHER, f"researcher{number}@example.org").user
        client = APIClient()
        client.force_login(user, "django.contrib.auth.backends.ModelBackend")
        assert client.get(f"/api/runs/{finished.pk}/{part}").status_code == 200
        event = Event.objects.get(kind=EventKind.UNBLINDED_VIEW, actor=user)
        assert event.data == {"what": "result of preference_correlation"}


def test_after_the_study_closed_looking_leaves_nothing(researcher, study, finished):
    Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED)
    researcher.get(f"/api/runs/{finished.pk}/")
    assert not Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).exists()


def test_watching_a_run_that_has_no_result_yet_leaves_nothing(researcher, study):
    run = start_run(subject=Subject.of_study(study), **ASKED)
    researcher.get(f"/api/runs/{run.pk}/")
    assert not Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).exists()


def test_a_result_which_may_be_long_is_read_where_it_is_shown_and_not_to_ask_again(researcher, study):
    run = start_run(subject=Subject.of_study(study), **ASKED)
    read = []
    for method, address in ((researcher.get, ""), (researcher.post, "rerun/")):
        with CaptureQueriesContext(connection) as seen:
            assert method(f"/api/runs/{run.pk}/{address}").status_code in {200, 202}
        read.append(sum('"metaeval_analysisrun"."result"' in one["sql"] for one in seen))
    assert read == [1, 0]


def test_queries_do_not_grow_with_the_data(researcher, study, django_assert_max_num_queries):
    for _ in range(30):
        start_run(subject=Subject.of_study(study), **ASKED)
    run = AnalysisRun.objects.first()
    with django_assert_max_num_queries(6):
        assert len(researcher.get(f"/api/studies/{study.slug}/runs/").json()) == 30
    with django_assert_max_num_queries(7):
        researcher.get(f"/api/runs/{run.pk}/")
    with django_assert_max_num_queries(20):
        researcher.post(f"/api/studies/{study.slug}/runs/", ASKED, format="json")
    with django_assert_max_num_queries(4):
        researcher.get("/api/analyses/")
