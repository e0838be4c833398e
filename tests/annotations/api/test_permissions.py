"""Which addresses there are for whom: what a person may not see does not exist for them."""

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import Permission
from django.http import HttpResponse
from django.test import Client, RequestFactory

from annotations.api.people.authentication import SamePersonMiddleware
from annotations.api.views import NotOnlyExpert, administered_study, unblinded_study
from annotations.designing.lifecycle import add_member
from annotations.ground.errors import NotAllowed, NotFound
from annotations.models import Membership, Role, Study, User
from annotations.people.access import tokens
from tests.annotations.api.addresses import every_address
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db

ADMINS_ONLY = "/api/studies/a/invitations/"
FOR_RESEARCHERS = ("/api/datasets/", "/api/studies/a/exports/")


@pytest.fixture
def ann():
    """Somebody who researches study a and administers study b."""
    person = User.objects.create_user("ann@example.org")
    for slug, role in (("a", Role.RESEARCHER), ("b", Role.ADMIN)):
        study = make_study(dataset=make_dataset(slug=f"data-{slug}"), slug=slug)
        add_member(study=study, user=person, role=role)
    return person


def status(person, address, **headers):
    client = Client()
    client.force_login(person)
    return client.get(address, headers=headers).status_code


def test_who_administers_one_study_is_no_admin_of_another(ann):
    assert status(ann, "/api/studies/b/invitations/") == 200
    assert status(ann, ADMINS_ONLY) == 403
    Membership.objects.filter(user=ann, study__slug="a").update(role=Role.ADMIN)
    assert status(ann, ADMINS_ONLY) == 200


def test_each_address_is_about_the_study_that_it_names():
    root = User.objects.create_superuser("root@example.org")
    dataset = make_dataset()
    request = SimpleNamespace(user=root)
    for slug in ("a", "b"):
        Study.objects.create(dataset=dataset, slug=slug, seed=1)
    assert [unblinded_study(request, slug).slug for slug in ("a", "b")] == ["a", "b"]
    with pytest.raises(NotFound):
        unblinded_study(request, "c")


def test_for_an_expert_and_a_stranger_no_address_of_researchers_exists(ann):
    expert, stranger = (User.objects.create_user(f"{name}@example.org") for name in ("expert", "stranger"))
    add_member(study=Membership.objects.get(user=ann, study__slug="a").study, user=expert, role=Role.EXPERT)
    for address in (*FOR_RESEARCHERS, ADMINS_ONLY, "/api/imports/"):
        assert [status(who, address) for who in (expert, stranger)] == [404, 404]
    assert [status(ann, address) for address in FOR_RESEARCHERS] == [200, 200]


def test_an_admin_of_one_study_researches_another_and_who_only_answers_does_neither():
    dataset, ann, ben = make_dataset(), *(User.objects.create_user(f"{name}@example.org") for name in ("ann", "ben"))
    studies = {slug: Study.objects.create(dataset=dataset, slug=slug, seed=1) for slug in ("a", "b")}
    for slug, user, role in (("a", ann, Role.RESEARCHER), ("b", ann, Role.ADMIN), ("a", ben, Role.EXPERT)):
        add_member(study=studies[slug], user=user, role=role)
    request = SimpleNamespace(user=ann)
    assert administered_study(request, "b") == studies["b"]
    with pytest.raises(NotAllowed):
        administered_study(request, "a")
    assert NotOnlyExpert().has_permission(request, None) is True
    with pytest.raises(NotFound):
        NotOnlyExpert().has_permission(SimpleNamespace(user=ben), None)


def test_only_a_page_that_says_for_whom_it_acts_is_held_to_it():
    middleware = SamePersonMiddleware(lambda _: HttpResponse("acted"))
    for headers, expected in (({}, 200), ({"X-HLV-User": "1"}, 200), ({"X-HLV-User": "2"}, 409)):
        request = RequestFactory().post("/api/v1/studies/", headers=headers)
        request.user = User(pk=1)
        assert middleware(request).status_code == expected


def test_who_is_not_signed_in_is_asked_to_and_neither_previews_texts_nor_begins_studies():
    for address in ("markdown/", "study-setups/", "studies/"):
        answer = Client().post(f"/api/v1/{address}", {"markdown": "x"}, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated"), address


def test_who_has_left_every_study_finds_the_researchers_addresses_gone(ann):
    Membership.objects.filter(user=ann).update(is_active=False)
    assert [status(ann, address) for address in FOR_RESEARCHERS] == [404, 404]


def test_imports_are_for_who_may_bring_datasets_and_so_is_the_list_of_datasets(ann):
    importer = User.objects.create_user("importer@example.org")
    importer.user_permissions.add(Permission.objects.get(codename="add_dataset"))
    assert [status(importer, address) for address in ("/api/imports/", "/api/datasets/")] == [200, 200]
    assert status(ann, "/api/imports/") == 404


def test_a_page_that_asks_for_somebody_else_is_told_so_and_any_other_is_answered(ann):
    asked = {"nobody said": {}, "myself": {"X-HLV-User": str(ann.pk)}, "another": {"X-HLV-User": str(ann.pk + 1)}}
    found = {who: status(ann, "/api/studies/a/", **headers) for who, headers in asked.items()}
    assert found == {"nobody said": 200, "myself": 200, "another": 409}


def test_a_login_and_a_token_act_for_their_own_person_alone():
    ann, ben = (User.objects.create_user(f"{name}@example.org") for name in ("ann", "ben"))
    browser = Client()
    browser.force_login(ben)
    script = Client(headers={"Authorization": f"Bearer {tokens.make(user=ben, name='script').secret}"})
    for client in (browser, script):
        asked = [client.get("/api/session/", headers={"X-HLV-User": str(one.pk)}) for one in (ben, ann)]
        assert [answer.status_code for answer in asked] == [200, 409]
        assert [asked[0].json()["user"]["id"], asked[1].json()["code"]] == [ben.pk, "other_user"]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_no_address_of_the_api_acts_for_another_person_than_the_page_says(ann, method, tried):
    """By construction: one middleware stands before all of them."""
    api = [one for one in every_address() if one.startswith("/api/")]
    tried(2 * len(api), "requests as another person")
    assert len(api) > 100
    client, script = Client(), Client()
    client.force_login(ann)
    bearer = {"Authorization": f"Bearer {tokens.make(user=ann, name='script').secret}"}
    other = {"X-HLV-User": str(ann.pk + 1)}
    for address in api:
        refused = client.generic(method, address, "{}", content_type="application/json", headers=other)
        assert (refused.status_code, refused.json()["code"]) == (409, "other_user"), address
    by_token = {
        address: script.generic(method, address, "{}", content_type="application/json", headers=other | bearer)
        for address in api
    }
    # Some addresses take no tokens at all (there a script is nobody), and some do not exist.
    codes = {answer.json()["code"] if answer.status_code >= 400 else "" for answer in by_token.values()}
    assert codes <= {"other_user", "needs_login", "not_found", "method_not_allowed", "invalid"}, codes
    assert sum(answer.status_code == 409 for answer in by_token.values()) > 80
    assert Client().generic(method, "/api/v1/studies/", headers=other).status_code == 401
