"""The analysis plan in sentences, and the choices that set it at once."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from annotations.models import Event, EventKind, Role, Study, StudyState, User
from metaeval.analyses.base.registry import analyses
from metaeval.jobs.planning import CHOICES, in_words, planned_rows, set_plan
from tests.metaeval.studies import answered_study
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_member, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(db: None) -> Study:
    study: Study = answered_study("drafted", systems=6, state=StudyState.DRAFT).study
    return study


def said(study: Study, *planned: dict[str, Any]) -> Sequence[str]:
    rows = [
        {**row, "parameters": analyses.get(row["analysis"]).validated(row.get("parameters", {})).model_dump()}
        for row in planned
    ]
    return [" ".join(one.sentences) for one in in_words(study, rows)]


def test_the_unit_the_test_and_its_permutations_are_named(draft: Study) -> None:
    (usual,) = said(draft, {"analysis": "preference_correlation"})
    assert "over 6 systems" in usual
    assert "change places" in usual
    assert "The test is two-sided, and the smallest p that it can give is ." in usual
    assert "Two metrics are compared by leaving out each method in turn." in usual
    asked = {"exchangeable": "systems", "permutations": 100, "alternative": "greater", "metrics": ["po_jsd"]}
    (other,) = said(draft, {"analysis": "preference_correlation", "parameters": asked})
    assert "1 metric: " in other
    assert "Any two of the 6 systems can change places" in other
    assert "100 permutations are drawn. The test looks at one side (only higher)." in other


def test_few_systems_and_none_have_words_too() -> None:
    one = make_study(dataset=make_dataset(systems=1, slug="one"), slug="one")
    for row in CHOICES[0].planned:
        assert all(said(one, row))


def test_every_analysis_of_studies_has_sentences(draft: Study) -> None:
    names = [name for name in analyses.names() if "study" in analyses.get(name).subjects]
    for told in in_words(draft, [{"analysis": name} for name in names]):
        assert told.title == analyses.get(told.analysis).title
        assert told.sentences
        assert all(one[0].isupper() or one[0].isdigit() for one in told.sentences)
        assert all(one.endswith(".") for one in told.sentences)


def test_what_is_not_installed_any_more_says_so(draft: Study) -> None:
    (told,) = in_words(draft, [{"analysis": "gone_by", "parameters": {}}])
    assert told.title == "Gone by"
    assert "cannot be computed by this version" in told.sentences[0]


@pytest.mark.parametrize("choice", CHOICES, ids=lambda one: one.name)
def test_a_choice_sets_the_whole_plan_and_is_known_again(draft: Study, choice: Any) -> None:
    client = Client()
    client.force_login(make_member(draft, Role.RESEARCHER, "researcher@example.org").user)
    address = f"/api/v1/studies/{draft.slug}/analysis-plan/"
    words = client.get(f"{address}words/").json()
    planned = next(one["planned"] for one in words["choices"] if one["name"] == choice.name)
    assert client.put(address, {"planned": planned}, "application/json").status_code == 200
    again = client.get(f"{address}words/").json()
    assert [one["name"] for one in again["choices"] if one["is_made"]] == [choice.name]
    assert [one["analysis"] for one in again["planned"]] == [one["analysis"] for one in planned]
    assert choice.is_made(planned_rows(draft))
    set_plan(study=draft, planned=[{"analysis": "agreement", "parameters": {"level": 0.9}}])
    own = client.get(f"{address}words/").json()
    assert not any(one["is_made"] for one in own["choices"])


def test_experts_read_no_plan(draft: Study) -> None:
    client = Client()
    client.force_login(make_member(draft, Role.EXPERT, "e@example.org").user)
    assert client.get(f"/api/v1/studies/{draft.slug}/analysis-plan/words/").status_code == 404


def test_a_new_study_plans_what_the_original_study_computed() -> None:
    user = User.objects.create_user("maker@example.org")
    user.user_permissions.add(Permission.objects.get(codename="add_study"))
    dataset = make_dataset()
    dataset.created_by = user
    dataset.save(update_fields=["created_by"])
    client = Client()
    client.force_login(user)
    body = {"title": "Second", "dataset": dataset.slug}
    assert client.post("/api/v1/studies/", body, content_type="application/json").status_code == 201
    assert CHOICES[0].is_made(planned_rows(Study.objects.get(slug="second")))
    assert Event.objects.filter(kind=EventKind.ANALYSES_PLANNED, actor=user).count() == 1
