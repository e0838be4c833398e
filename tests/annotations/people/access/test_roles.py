"""What a person may do on the installation: given, taken back, and never so that nobody can give it any more."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotations.models import ApiToken, Event, EventKind, User
from annotations.people.access import tokens
from annotations.people.access.roles import (
    LastAdmin,
    OwnAdministration,
    Roles,
    change_roles,
    close_account,
    end_sessions,
    reopen_account,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> User:
    return User.objects.create_superuser("admin@example.org", "violets and rain 17")


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann@example.org", "violets and rain 18")


def test_roles_are_given_and_taken_back(admin, ann):
    given = change_roles(user=ann, roles=Roles(can_import=True, can_create_studies=True), actor=admin)
    assert (given.can_import, given.can_create_studies, given.is_superuser) == (True, True, False)
    taken = change_roles(user=ann, roles=Roles(can_import=False), actor=admin)
    assert (taken.can_import, taken.can_create_studies) == (False, True)
    log = Event.objects.filter(kind=EventKind.ROLES_CHANGED).order_by("pk")
    assert [event.data["roles"] for event in log] == [
        {"can_import": True, "can_create_studies": True},
        {"can_import": False},
    ]


def test_giving_what_is_there_already_leaves_no_event(admin, ann):
    for _ in range(2):
        change_roles(user=ann, roles=Roles(is_admin=True), actor=admin)
    assert Event.objects.filter(kind=EventKind.ROLES_CHANGED).count() == 1


def test_nobody_takes_administration_from_themselves(admin, ann):
    change_roles(user=ann, roles=Roles(is_admin=True), actor=admin)
    with pytest.raises(OwnAdministration):
        change_roles(user=admin, roles=Roles(is_admin=False), actor=admin)
    with pytest.raises(OwnAdministration):
        close_account(user=admin, actor=admin)
    change_roles(user=admin, roles=Roles(is_admin=False), actor=ann)
    assert not User.objects.get(pk=admin.pk).is_superuser


def test_the_last_admin_stays(admin):
    for change in (lambda: change_roles(user=admin, roles=Roles(is_admin=False)), lambda: close_account(user=admin)):
        with pytest.raises(LastAdmin):
            change()


def test_a_closed_account_has_no_session_and_no_token_not_even_when_it_is_opened_again(admin, ann):
    client = Client()
    client.force_login(ann)
    tokens.make(user=ann, name="notebook")
    assert client.get("/api/v1/session/").json()["user"]["email"] == ann.email
    close_account(user=ann, actor=admin)
    assert client.get("/api/v1/session/").json()["user"] is None
    reopen_account(user=ann, actor=admin)
    assert client.get("/api/v1/session/").json()["user"] is None
    assert not ApiToken.objects.filter(user=ann, revoked_at=None).exists()
    kinds = Event.objects.order_by("pk").values_list("kind", flat=True)
    assert [kind for kind in kinds if kind.startswith("account")] == ["account_closed", "account_reopened"]


def test_ending_sessions_leaves_the_password_as_it_is(ann):
    end_sessions(user=ann)
    assert User.objects.get(pk=ann.pk).check_password("violets and rain 18")


def test_the_command_says_what_a_person_may_do(ann, admin, capsys):
    call_command("set_roles", "ann@example.org", "--may-import", "--may-create")
    assert capsys.readouterr().out == "ann@example.org may import datasets, create studies.\n"
    call_command("set_roles", "ANN@example.org", "--no-may-import", "--no-may-create")
    assert capsys.readouterr().out == "ann@example.org has no roles on this server.\n"
    with pytest.raises(CommandError, match="only admin"):
        call_command("set_roles", "admin@example.org", "--no-admin")
