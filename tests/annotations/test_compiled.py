"""A compiled query gives what its queryset gives, runs again with other values, and is seen by whoever looks."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import CharField, DateTimeField, F, UUIDField, Value
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from annotations.answering.assigning import next_assignment
from annotations.compiled import Compiled, CompiledInsert, CompiledUpdate
from annotations.models import Assignment, LabelResponse, Membership, Session, User
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 25, 22, 0, tzinfo=UTC)

SESSIONS: Compiled[Session] = Compiled(
    lambda key, now: Session.objects.select_related("user").filter(session_key=key, expire_date__gt=now),
    key=CharField(),
    now=DateTimeField(),
)


def session(key: str, *, user: User | None = None, until: datetime = NOW + timedelta(days=1)) -> Session:
    return Session.objects.create(session_key=key, user=user, expire_date=until, device="50% ' \\ of %s")


def test_each_run_has_its_own_values() -> None:
    ann = User.objects.create_user("ann@example.org")
    one, two = session("one", user=ann), session("two")
    found = [SESSIONS.first(key=key, now=NOW) for key in ("one", "two", "three", "one")]
    assert found == [one, two, None, one]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].user == ann
    assert found[0].device == one.device
    assert found[1].user is None
    assert SESSIONS.first(key="one", now=NOW + timedelta(days=2)) is None


def test_a_value_is_never_part_of_the_statement() -> None:
    session("one")
    for key in ("' OR 1=1 --", "%s", "%%", "\\"):
        assert SESSIONS.first(key=key, now=NOW) is None
        session(key)
        found = SESSIONS.first(key=key, now=NOW)
        assert found is not None
        assert found.session_key == key


def test_constants_and_annotations_come_as_the_queryset_gives_them() -> None:
    session("one")
    marked: Any = Session.objects.annotate(said=Value("100% 'sure' %s", output_field=CharField()), same=F("device"))
    queryset = marked.filter(device__contains="%").exclude(device="100%")
    compiled: Compiled[Any] = Compiled(lambda key: queryset.filter(session_key=key), key=CharField())
    (found,) = compiled.all(key="one")
    (wanted,) = queryset.filter(session_key="one")
    assert (found, found.said, found.same) == (wanted, wanted.said, wanted.same)
    later = Session.objects.filter(expire_date__gt=NOW)
    pairs: Compiled[Any] = Compiled(
        lambda key: later.filter(session_key=key).values_list("device", "user"), key=CharField()
    )
    assert pairs.all(key="one") == list(later.values_list("device", "user"))
    flat: Compiled[str] = Compiled(
        lambda now: later.filter(expire_date__gt=now).values_list("session_key", flat=True), now=DateTimeField()
    )
    assert flat.all(now=NOW) == ["one"]


def test_rows_are_locked_only_within_a_transaction() -> None:
    session("one")
    locking: Compiled[Session] = Compiled(
        lambda key: Session.objects.filter(session_key=key).select_for_update(), key=CharField()
    )
    with transaction.atomic():
        assert locking.first(key="one") is not None
    if connection.in_atomic_block and connection.features.has_select_for_update:
        with CaptureQueriesContext(connection) as seen:
            locking.first(key="one")
        assert "FOR UPDATE" in seen[0]["sql"]


@pytest.mark.django_db(transaction=True)
def test_a_lock_outside_a_transaction_is_refused() -> None:
    locking: Compiled[Session] = Compiled(
        lambda key: Session.objects.filter(session_key=key).select_for_update(), key=CharField()
    )
    with transaction.atomic():
        locking.first(key="one")
    with pytest.raises(TransactionManagementError):
        locking.first(key="one")


def test_an_update_sets_its_fields_and_says_how_many_rows() -> None:
    one, two = session("one"), session("two")
    update = CompiledUpdate(lambda key: Session.objects.filter(session_key=key), "device", "used_at", key=CharField())
    assert update.run(key="one", device="100% %s", used_at=NOW) == 1
    assert update.run(key="none", device="", used_at=NOW) == 0
    one.refresh_from_db()
    two.refresh_from_db()
    assert (one.device, one.used_at) == ("100% %s", NOW)
    assert two.device == "50% ' \\ of %s"


def test_an_update_through_another_table_and_of_json_and_keys() -> None:
    study = make_open_study(experts=2)
    expert, other = Membership.objects.experts().filter(study=study)
    handed = next_assignment(user=expert.user, slug=study.slug).assignment
    assert handed is not None
    update = CompiledUpdate(
        lambda pk: Assignment.objects.filter(pk=pk, instance__withdrawn_at=None), "expert", "completed_at", pk=None
    )
    assert update.run(pk=handed.pk, expert=other.pk, completed_at=None) == 1
    assert Assignment.objects.get(pk=handed.pk).expert_id == other.pk
    tally = CompiledUpdate(lambda pk: Membership.objects.filter(pk=pk), "tally", pk=None)
    for told in ({"a": [1, 'x"%s']}, None):
        tally.run(pk=expert.pk, tally=told)
        assert Membership.objects.get(pk=expert.pk).tally == told
    assert Membership.objects.filter(pk=expert.pk, tally__isnull=True).exists()


def test_a_row_is_stored_once() -> None:
    study = make_open_study(experts=1)
    expert = Membership.objects.experts().get(study=study)
    handed = next_assignment(user=expert.user, slug=study.slug).assignment
    insert, key = CompiledInsert(LabelResponse), uuid.uuid4()
    first = LabelResponse(assignment=handed, key=key, labels=[1, 0], active_ms=None, created_at=NOW)
    assert insert.run(first)
    assert LabelResponse.objects.get(key=key) == first
    stored = LabelResponse.objects.get(key=key)
    assert [getattr(stored, field.attname) for field in LabelResponse._meta.concrete_fields] == [
        getattr(first, field.attname) for field in LabelResponse._meta.concrete_fields
    ]
    assert not insert.run(LabelResponse(assignment=handed, key=key, labels=[1], created_at=NOW))
    assert LabelResponse.objects.count() == 1


def test_whoever_counts_statements_sees_them() -> None:
    token = uuid.uuid4()
    by_token: Compiled[Assignment] = Compiled(lambda token: Assignment.objects.filter(token=token), token=UUIDField())
    by_token.first(token=token)
    with CaptureQueriesContext(connection) as seen:
        by_token.first(token=token)
    assert len(seen) == 1
