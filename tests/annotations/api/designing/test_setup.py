"""Beginning a study and setting it up by the API."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from annotations.designing.lifecycle import add_member
from annotations.models import Role, Study, User
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study, make_study

pytestmark = pytest.mark.django_db

JSON = "application/json"


def signed_in(email: str, *, may_create: bool = False, **fields) -> Client:
    user = User.objects.filter(email=email).first() or User.objects.create_user(email, **fields)
    if may_create:
        user.user_permissions.add(Permission.objects.get(codename="add_study"))
    client = Client()
    client.force_login(user)
    return client


def in_study(study: Study, role: Role, email: str = "") -> Client:
    client = signed_in(email or f"{role}@example.org")
    add_member(study=study, user=User.objects.get(email=email or f"{role}@example.org"), role=role)
    return client


@pytest.fixture
def maker():
    """Somebody who may begin studies, and imported a dataset."""
    client = signed_in("maker@example.org", may_create=True)
    dataset = make_dataset()
    dataset.created_by = User.objects.get(email="maker@example.org")
    dataset.save(update_fields=["created_by"])
    return client


def post(client, address, **body):
    return client.post(f"/api/v1/{address}", body, JSON)


def patch(client, slug, **body):
    return client.patch(f"/api/v1/studies/{slug}/", body, JSON)


def test_a_study_is_begun_with_safe_defaults_and_its_maker_administers_it(maker):
    answer = post(maker, "studies/", dataset="some-dataset", title="What people see")
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert (made["slug"], made["role"], made["state"], made["version"]) == ("what-people-see", "admin", "draft", 1)
    assert made["question_labels"] == "Which labels, if any, apply to this text?"
    assert made["chosen_systems"] == []
    assert len(made["systems"]) == 2


def test_settings_that_are_given_count_more_than_the_presets(maker):
    made = post(
        maker, "studies/", dataset="some-dataset", title="T", slug="t", preset="original", experts_per_comparison=2
    ).json()
    assert made["experts_per_comparison"] == 2
    assert "areas of law" in made["question_labels"]


def test_what_is_wrong_is_told_by_the_field(maker):
    for body, field in (
        ({"title": "T", "dataset": "nothing"}, "dataset"),
        ({"dataset": "some-dataset"}, "title"),
        ({"dataset": "some-dataset", "title": "T", "colour": "red"}, "colour"),
        ({"dataset": "some-dataset", "title": "T", "slug": "new"}, "slug"),
        ({"dataset": "some-dataset", "title": "T", "systems": ["X"]}, "systems"),
        ({"dataset": "some-dataset", "title": "T", "display_step": 0.3}, "display_step"),
    ):
        answer = post(maker, "studies/", **body)
        assert answer.status_code == 400
        assert list(answer.json()["fields"]) == [field]
    assert not Study.objects.exists()


def test_who_may_not_begin_studies_finds_no_such_address():
    make_dataset()
    assert post(signed_in("stranger@example.org"), "studies/", dataset="some-dataset", title="T").status_code == 404
    admin = signed_in("root@example.org", is_superuser=True)
    assert post(admin, "studies/", dataset="some-dataset", title="T").status_code == 201


def test_two_researchers_of_one_draft_are_told_of_each_other():
    study = make_study()
    ann, bob = (in_study(study, Role.RESEARCHER, f"{name}@example.org") for name in ("ann", "bob"))
    assert patch(ann, "study", title="Ann's", version=1).json()["version"] == 2
    refusal = patch(bob, "study", title="Bob's", version=1)
    assert (refusal.status_code, refusal.json()["code"]) == (409, "edited_meanwhile")
    assert refusal.json()["data"]["who"] == "Person 0", "addresses are for admins"
    assert patch(bob, "study", title="Bob's", version=2).status_code == 200


def test_experts_and_strangers_change_nothing_and_an_open_study_keeps_its_settings():
    study = make_open_study(experts=2)
    assert patch(in_study(study, Role.EXPERT), "study", title="X").status_code == 404
    assert patch(signed_in("stranger@example.org"), "study", title="X").status_code == 404
    answer = patch(in_study(study, Role.ADMIN), "study", title="X")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_a_draft")


def test_presets_and_wordings_are_there_for_who_sets_up_and_for_nobody_else(maker):
    presets = maker.get("/api/v1/study-presets/?dataset=some-dataset").json()["results"]
    assert [one["name"] for one in presets] == ["safe", "original"]
    assert "areas of law" in presets[1]["settings"]["question_labels"]
    words = maker.get("/api/v1/question-wordings/?task=multilabel&language=de").json()["results"]
    assert [one["is_default"] for one in words] == [True, False, False]
    assert [one["is_original"] for one in words] == [False, False, True]
    stranger = signed_in("stranger@example.org")
    assert stranger.get("/api/v1/study-presets/").status_code == 404
    assert stranger.get("/api/v1/question-wordings/?task=ordinal").status_code == 404
    assert maker.get("/api/v1/question-wordings/?task=nothing").status_code == 400


def test_the_setup_tells_live_what_other_numbers_would_amount_to_and_stores_nothing():
    study = make_study()
    ann = in_study(study, Role.RESEARCHER)
    told = ann.get("/api/v1/studies/study/setup/").json()
    assert (told["comparisons"], told["places"], told["experts_needed"]) == (6, 12, 2)
    tried = ann.get("/api/v1/studies/study/setup/?instances_per_system=6&experts_per_comparison=3&experts=9").json()
    assert (tried["comparisons"], tried["places"], tried["experts"], tried["missing_experts"]) == (12, 36, 9, 0)
    assert ann.get("/api/v1/studies/study/setup/").json() == told
    assert ann.get("/api/v1/studies/study/setup/?instances_per_system=0").status_code == 400
    assert in_study(study, Role.EXPERT).get("/api/v1/studies/study/setup/").status_code == 404


def test_the_setup_takes_as_many_queries_for_many_texts_and_systems(django_assert_max_num_queries):
    for slug, size in (("small", 4), ("large", 80)):
        study = make_study(dataset=make_dataset(slug=slug, instances=size, systems=size // 2), slug=slug)
        ann = in_study(study, Role.RESEARCHER)
        with django_assert_max_num_queries(14):
            assert ann.get(f"/api/v1/studies/{slug}/setup/").status_code == 200


def test_a_draft_is_planned_as_often_as_wanted_and_an_open_study_no_more():
    study = make_study(experts=2)
    ann = in_study(study, Role.RESEARCHER)
    first = post(ann, "studies/study/plan/").json()
    assert (first["comparisons"], first["places"], first["missing_experts"]) == (6, 12, 0)
    assert post(ann, "studies/study/plan/").json() == first
    in_study(study, Role.ADMIN).post("/api/v1/studies/study/transition/", {"to": "open"}, JSON)
    assert post(ann, "studies/study/plan/").json()["code"] == "not_a_draft"
    assert post(in_study(study, Role.EXPERT), "studies/study/plan/").status_code == 404
