"""Results side by side, at their readable addresses, and cited: only for people who may see them, with few queries."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from annotations.background import jobs
from annotations.models import Assignment, Event, EventKind, Role, StudyState
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.planning import set_plan, stamp_plan
from metaeval.jobs.runs import rerun, start_run
from tests.metaeval.studies import answered_study
from tests.worlds.studies import make_member, make_study

pytestmark = pytest.mark.django_db(transaction=True)

FEW: dict[str, Any] = {"permutations": 200, "metrics": ["po_jsd", "soft_micro_f1"], "coefficients": ["pearson"]}
ASKED: dict[str, Any] = {"analysis": "preference_correlation", "parameters": FEW, "seed": 5}


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)


def client_of(study, role, email):
    client = APIClient()
    client.force_login(make_member(study, role, email).user, "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def researcher(study):
    return client_of(study, Role.RESEARCHER, "researcher@example.org")


def finished(study, **change):
    return done(start_run(subject=Subject.of_study(study), **{**ASKED, **change}))


def done(run):
    jobs.run(AnalysisRun, run.pk)
    return AnalysisRun.objects.get(pk=run.pk)


def compared(client, first, second):
    return client.get(f"/api/runs/{first.pk}/comparison/{second.pk}/")


def test_runs_of_a_study_are_numbered_each_analysis_by_itself(study):
    asked = [ASKED, {**ASKED, "seed": 6}, {"analysis": "study_quality", "parameters": {}}]
    other = answered_study("other").study
    numbers = [start_run(subject=Subject.of_study(study), **one).number for one in asked]
    assert numbers == [1, 2, 1]
    assert start_run(subject=Subject.of_study(other), **ASKED).number == 1
    simulation = start_run(subject=Subject.nothing(), analysis="power", parameters={})
    assert simulation.number is None


def test_a_result_is_found_by_an_address_that_can_be_read(researcher, study):
    run = finished(study)
    start_run(subject=Subject.of_study(study), analysis="study_quality", parameters={})  # its first, too
    shown = researcher.get(f"/api/studies/{study.slug}/results/preference_correlation/1/")
    assert shown.json()["id"] == str(run.pk)
    assert shown.json()["number"] == 1
    assert shown.json() == researcher.get(f"/api/runs/{run.pk}/").json()
    assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW, study=study).count() == 1
    assert researcher.get(f"/api/studies/{study.slug}/results/preference_correlation/2/").status_code == 404


def test_whoever_is_not_in_the_study_or_only_answers_gets_a_404(researcher, study):
    run, again = finished(study), finished(study, seed=6)
    elsewhere = make_study(dataset=study.dataset, slug="elsewhere")
    outsider = client_of(elsewhere, Role.ADMIN, "outsider@example.org")
    expert = client_of(study, Role.EXPERT, "expert@example.org")
    addresses = [
        f"studies/{study.slug}/results/preference_correlation/1/",
        f"runs/{run.pk}/comparison/{again.pk}/",
        f"runs/{run.pk}/citation/",
    ]
    for address in addresses:
        assert researcher.get(f"/api/{address}").status_code == 200
        for stranger in (outsider, expert):
            assert stranger.get(f"/api/{address}").status_code == 404
    # Half of it is not enough either.
    foreign = done(start_run(subject=Subject.of_study(answered_study("other").study), **ASKED))
    assert compared(researcher, run, foreign).status_code == 404


def test_a_repeated_run_says_that_every_number_is_the_same(researcher, study):
    first = finished(study)
    second = done(rerun(run=first))
    found = compared(researcher, first, second).json()
    assert (found["changed"], found["is_same_data"]) == (0, True)
    assert found["compared"] > 20
    assert (found["asked"], found["counts"], found["versions"]) == ([], [], [])
    main, *others = found["tables"]
    assert len(main["rows"]) == 2
    assert all(table["rows"] == [] for table in others)
    assert found["first"]["answer"] == found["second"]["answer"] != ""


def test_what_was_asked_otherwise_and_what_came_out_stand_side_by_side(researcher, study):
    first = finished(study)
    second = finished(study, seed=6, parameters={**FEW, "permutations": 300})
    found = compared(researcher, first, second).json()
    assert found["asked"] == [
        {"name": "Random orders to compare with", "first": "200", "second": "300"},
        {"name": "Seed", "first": "5", "second": "6"},
    ]
    assert found["is_same_data"] is True
    assert found["changed"] > 0
    main = found["tables"][0]
    assert (main["naming"], len(main["rows"])) == (["Metric"], 2)
    by_heading = dict(zip(main["columns"], main["rows"][0]["cells"], strict=True))
    interval = next(cell for heading, cell in by_heading.items() if heading.endswith("interval"))
    assert interval["first"].startswith("[")
    assert interval["difference"] == ""
    p = [cell for row in main["rows"] for cell in row["cells"] if cell["difference"]]
    assert p
    assert all(cell["differs"] and cell["difference"][0] in "+−t" for cell in p)


def test_changed_data_are_said_with_their_counts(researcher, study):
    first = finished(study)
    Assignment.objects.filter(pk=study.assignments.first().pk).update(is_pilot=True)
    second = finished(study)
    found = compared(researcher, first, second).json()
    assert found["is_same_data"] is False
    assert found["counts"] != []
    assert found["asked"] == []


def test_what_cannot_be_compared_is_refused_with_a_reason(researcher, study):
    run = finished(study)
    other = start_run(subject=Subject.of_study(study), analysis="study_quality", parameters={})
    waiting = start_run(subject=Subject.of_study(study), **{**ASKED, "seed": 6})
    for second, code in ((other, "cannot_compare"), (waiting, "not_finished")):
        answer = compared(researcher, run, second)
        assert (answer.status_code, answer.json()["code"]) == (409, code)


def test_a_citation_has_what_is_needed_to_find_and_repeat_the_result_and_whose_method_it_is(researcher, study):
    run = finished(study)
    cited = researcher.get(f"/api/runs/{run.pk}/citation/").json()
    address = f"http://testserver/studies/{study.slug}/results/preference_correlation/1"
    for text in (cited["text"], cited["bibtex"]):
        assert study.title in text
        assert address in text
        assert "seed 5" in text
        assert run.fingerprint[:12] in text
        assert run.fingerprint[:13] not in text
    assert cited["bibtex"].startswith("@misc{demo-preference-correlation-1,\n")
    assert any("Kurniawan" in work for work in cited["works"])
    assert any("Phipson" in work for work in cited["works"])


def test_lists_say_what_was_planned(researcher, study):
    type(study).objects.filter(pk=study.pk).update(state=StudyState.DRAFT)
    set_plan(study=study, planned=[{**ASKED, "note": ""}])
    stamp_plan(study=study)
    finished(study)
    finished(study, seed=6)
    rows = researcher.get(f"/api/studies/{study.slug}/runs/").json()
    assert {row["number"]: row["is_planned"] for row in rows} == {1: True, 2: False}


def test_queries_do_not_grow_with_the_data(researcher, study, django_assert_max_num_queries):
    first, second = finished(study), finished(study, seed=6)
    address = f"/api/studies/{study.slug}/results/preference_correlation/1/"
    compared(researcher, first, second)
    researcher.get(address)
    for number in range(7, 10):
        finished(study, seed=number)
    with django_assert_max_num_queries(9):
        assert compared(researcher, first, second).status_code == 200
    with django_assert_max_num_queries(7):
        assert researcher.get(address).status_code == 200
    with django_assert_max_num_queries(6):
        assert researcher.get(f"/api/runs/{first.pk}/citation/").status_code == 200
