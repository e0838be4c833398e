"""Django's admin pages show rows to who administers, give nothing away, and change nothing behind the use cases."""

import re

import pytest
from django.contrib import admin
from django.test import Client

from annotations.models import Assignment, Event, EventKind, Membership, SideKey, Study, System, User
from tests.worlds.answering import complete_all
from tests.worlds.studies import make_expert, make_open_study

pytestmark = pytest.mark.django_db

ADDRESS = "/django-admin/"


def begun() -> Study:
    """A study that one expert answers."""
    study = make_open_study()
    complete_all(make_expert(study, "erin@example.org").user)
    return study


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root@example.org", "long enough 42")


def pages(client: Client) -> list[str]:
    """Every page there is: the index, every list, and one row of each."""
    found = [ADDRESS]
    for model in admin.site._registry:
        listed = f"{ADDRESS}{model._meta.app_label}/{model._meta.model_name}/"
        found.append(listed)
        row = model._base_manager.order_by("pk").last()
        if row is not None:
            found.append(f"{listed}{row.pk}/change/")
    return found


def test_only_who_administers_the_installation_gets_there(client: Client, root: User) -> None:
    study = begun()
    assert client.get(ADDRESS).headers["Location"].startswith("/django-admin/login/")
    assert client.get(f"{ADDRESS}login/").headers["Location"] == "/"
    for member in study.memberships.all():
        client.force_login(member.user)
        assert client.get(ADDRESS).status_code == 302
    client.force_login(root)
    for address in pages(client):
        assert client.get(address, follow=True).status_code == 200, address


def test_no_side_key_or_prediction_is_on_any_page(client: Client, root: User) -> None:
    begun()
    client.force_login(root)
    assert {SideKey}.isdisjoint(admin.site._registry)
    key = SideKey.objects.first()
    said = "".join(client.get(address, follow=True).content.decode() for address in pages(client))
    assert "side_order" not in said
    assert "first_is_a" not in said
    assert "second_is_a" not in said
    if key is not None:
        assert bytes(key.key).hex() not in said
    shown = {str(field) for one in admin.site._registry.values() for field in (one.fields or ())}
    assert shown.isdisjoint(
        {"side_order", "side_rule", "turn", "predictions", "first_system", "second_system", "values"}
    )


def test_who_answers_a_study_sees_nothing_of_it_though_they_administer(client: Client, root: User) -> None:
    study = begun()
    Membership.objects.filter(study=study, role="expert").first()
    Membership.objects.create(study=study, user=root, role="expert", number=900)
    client.force_login(root)
    for name in ("assignment", "membership", "study"):
        listed = client.get(f"{ADDRESS}annotations/{name}/").content.decode()
        assert re.search(r'class="paginator">\s*(\d+) ', listed)[1] == "0"


def test_nothing_can_be_added_changed_or_deleted_but_a_persons_name_and_whether_they_sign_in(
    client: Client, root: User
) -> None:
    study = begun()
    client.force_login(root)
    place = Assignment.objects.filter(study=study).first()
    for row in (place, study, Event.objects.first(), System.objects.first()):
        here = f"{ADDRESS}{row._meta.app_label}/{row._meta.model_name}/"
        assert client.post(f"{here}{row.pk}/change/", {}).status_code == 403
        assert client.post(f"{here}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        assert client.get(f"{here}add/").status_code == 403
    person = study.memberships.filter(role="expert").first().user
    changed = client.post(f"{ADDRESS}annotations/user/{person.pk}/change/", {"name": "Ada"})
    assert changed.status_code == 302
    person.refresh_from_db()
    assert (person.name, person.is_active) == ("Ada", False)
    assert Event.objects.filter(kind=EventKind.ACCOUNT_CLOSED, actor=root).exists()
    assert client.post(f"{ADDRESS}annotations/user/{root.pk}/change/", {"name": "x"}).status_code == 403


def test_a_list_asks_as_much_however_long_it_is(client: Client, root: User, django_assert_max_num_queries) -> None:
    begun()
    client.force_login(root)
    for model in admin.site._registry:
        with django_assert_max_num_queries(14):
            client.get(f"{ADDRESS}{model._meta.app_label}/{model._meta.model_name}/")


def test_the_pages_need_no_inline_script_or_style(client: Client, root: User) -> None:
    begun()
    client.force_login(root)
    for address in pages(client):
        said = client.get(address, follow=True).content.decode()
        assert not re.findall(r"<script(?![^>]*\bsrc=)[^>]*>\s*\S", said), address
        assert "<style" not in said, address
