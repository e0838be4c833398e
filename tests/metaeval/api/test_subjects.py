"""Runs on datasets, votes, several datasets and nothing over the API: who may start and see them."""

import uuid

import pytest
from pydantic import Field
from rest_framework.test import APIClient

from annotations.background import jobs
from annotations.models import Dataset, Event, EventKind, User
from metaeval.analyses.base.parameters import Parameters, choices
from metaeval.analyses.base.registry import Analysis, analyses
from metaeval.analyses.base.result import AnyResult, Findings
from metaeval.analyses.base.table import column, table
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import start_run
from tests.metaeval.datasets import annotated_dataset, voted_dataset

pytestmark = pytest.mark.django_db(transaction=True)

EVERYTHING = tuple(SubjectKind(name) for name in ("dataset", "votes", "datasets", "nothing"))


class CountParameters(Parameters):
    labels: list[str] = Field(default=[], title="Labels", description="Which.", json_schema_extra=choices("labels"))
    system: str | None = Field(default=None, title="System", description="Which.", json_schema_extra=choices("systems"))


def count_things(inputs, parameters, seed, work):
    """Counts what there is."""
    work.step(1, 1)
    rows = [{"what": name, "count": count} for name, count in inputs.counts.items()]
    return Findings(
        tables=[table("counted", "What there is", [column("what", "What"), column("count", "Count")], rows)]
    )


@pytest.fixture(autouse=True)
def _an_analysis_of_everything_but_studies(monkeypatch):
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)
    analyses.names()  # loads all others
    words = PlainWords(question="Counts")
    entry = Analysis(
        "count_things", "Counts", "Counts.", EVERYTHING, CountParameters, AnyResult, (), 1, count_things, words
    )
    monkeypatch.setitem(analyses._entries, "count_things", entry)


def signed_in(email, **fields):
    user = User.objects.create_user(email, **fields)
    client = APIClient()
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client, user


@pytest.fixture
def ann(db):
    """Someone who imported two datasets and votes."""
    client, user = signed_in("ann@example.org")
    for dataset in (annotated_dataset("one"), annotated_dataset("two"), voted_dataset("arena")):
        Dataset.objects.filter(pk=dataset.pk).update(created_by=user)
    give_import(user)
    return client


@pytest.fixture
def ben(db):
    """Someone who imported one of the two."""
    client, user = signed_in("ben@example.org")
    give_import(user)
    return client


def give_import(user):
    from django.contrib.auth.models import Permission

    user.user_permissions.add(Permission.objects.get(codename="add_dataset"))


def finished(client, path, body):
    answer = client.post(path, {"analysis": "count_things", **body}, format="json")
    assert answer.status_code == 202, answer.json()
    jobs.run(AnalysisRun, uuid.UUID(answer.json()["id"]))
    return client.get(f"/api/runs/{answer.json()['id']}/").json()


def test_a_dataset_and_its_votes_are_analysed_at_one_address(ann):
    of_data = finished(ann, "/api/datasets/one/runs/", {})
    assert (of_data["subject"], of_data["dataset"], of_data["study"], of_data["seed"]) == ("dataset", "one", None, 0)
    assert of_data["about"] == "Data one"
    of_votes = finished(ann, "/api/datasets/arena/runs/", {})
    assert (of_votes["subject"], of_votes["result"]["subject"]["kind"]) == ("votes", "votes")
    (listed,) = ann.get("/api/datasets/one/runs/").json()
    assert listed["id"] == of_data["id"]
    event = Event.objects.filter(kind=EventKind.ANALYSED).last()
    assert event.subject == "one"


def test_several_datasets_and_nothing_are_analysed_at_another(ann):
    start_run(subject=Subject.of_dataset(Dataset.objects.get(slug="one")), analysis="count_things", parameters={})
    several = finished(ann, "/api/runs/", {"datasets": ["two", "one"]})
    assert (several["subject"], several["datasets"], several["about"]) == (
        "datasets",
        ["one", "two"],
        "Data one, Data two",
    )
    nothing = finished(ann, "/api/runs/", {"seed": 4})
    assert (nothing["subject"], nothing["is_simulated"], nothing["about"]) == ("nothing", True, "Simulation")
    assert [run["id"] for run in ann.get("/api/runs/").json()] == [nothing["id"], several["id"]]


def test_nobody_sees_runs_on_what_they_may_not_see(ann, ben):
    pks = [
        finished(ann, "/api/datasets/one/runs/", {})["id"],
        finished(ann, "/api/runs/", {"datasets": ["one", "two"]})["id"],
        finished(ann, "/api/runs/", {})["id"],
    ]
    Dataset.objects.filter(slug="two").update(created_by=User.objects.get(email="ben@example.org"))
    for pk in pks:
        for path in ("", "tables/", "tables/counted/", "figures/x/"):
            assert ben.get(f"/api/runs/{pk}/{path}").status_code == 404
    assert ben.get("/api/runs/").json() == []
    for path in ("runs/", "analyses/"):
        assert ben.get(f"/api/datasets/one/{path}").status_code == 404
    assert ben.post("/api/datasets/one/runs/", {"analysis": "count_things"}, format="json").status_code == 404
    asked = {"analysis": "count_things", "datasets": ["one", "two"]}
    assert ben.post("/api/runs/", asked, format="json").status_code == 404
    assert ann.get(f"/api/runs/{pks[1]}/").status_code == 404, "one of the datasets is not theirs any more"
    assert ann.get(f"/api/runs/{pks[0]}/").status_code == 200


def test_the_possible_analyses_come_with_the_subject_s_own_choices(ann):
    possible = {entry["name"]: entry for entry in ann.get("/api/datasets/one/analyses/").json()}
    assert "preference_correlation" not in possible
    entry = possible["count_things"]
    properties = entry["parameters"]["properties"]
    assert properties["labels"]["items"]["enum"] == ["contradiction", "entailment", "neutral"]
    assert properties["system"]["anyOf"][0]["enum"][0] == "Alpha / M0 / 1"
    assert entry["subjects"] == list(EVERYTHING)
    names = [entry["name"] for entry in ann.get("/api/analyses/free/").json()]
    assert "count_things" in names
    assert "preference_correlation" not in names


def test_the_schema_of_results_is_published(ann):
    assert ann.get("/api/analyses/result-schema/").json()["properties"]["schema"]["const"] == 2


def test_a_subject_that_the_analysis_does_not_know_is_refused(ann):
    answer = ann.post("/api/datasets/one/runs/", {"analysis": "preference_correlation"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "analysis_impossible")


def test_queries_do_not_grow_with_the_runs(ann, django_assert_max_num_queries):
    datasets = Dataset.objects.filter(slug__in=["one", "two"])
    for _ in range(20):
        start_run(
            subject=Subject.of_datasets(datasets),
            analysis="count_things",
            parameters={},
            actor=User.objects.get(email="ann@example.org"),
        )
    with django_assert_max_num_queries(8):
        assert len(ann.get("/api/runs/").json()) == 20
