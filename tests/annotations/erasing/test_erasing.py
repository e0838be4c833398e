"""After an erasure nothing names what was erased: not the database, not its files, not the server's storage."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotations.answering.moderating import dismiss
from annotations.erasing.asking import NotConfirmed, ask
from annotations.erasing.executing import (
    carry_out,
    erase_rows,
    preview,
    reapply_erasures,
    remembered,
    tidy_up,
)
from annotations.erasing.subjects import open_gate
from annotations.ground.errors import NotAllowed
from annotations.history import events
from annotations.models import (
    Assignment,
    Dataset,
    Erased,
    Erasure,
    Event,
    EventKind,
    ExportJob,
    Guess,
    ImportFile,
    ImportJob,
    Instance,
    LabelResponse,
    PreferenceResponse,
    Report,
    Role,
    Session,
    Study,
    User,
)
from annotations.people.access import tokens
from annotations.people.invitations import inviting
from annotations.people.membership.addresses import read_addresses
from tests.worlds.exported import written
from tests.worlds.full import make_full_dataset, make_full_study

MARK = "zqxmark"
ADDRESS, NAME = f"{MARK}1@example.org", f"{MARK}2 Person"


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root@example.org", "a long password")


@pytest.fixture
def storage(settings: Any, tmp_path: Path) -> Path:
    default = {**settings.STORAGES["default"], "OPTIONS": {"location": str(tmp_path / "files")}}
    settings.STORAGES = {**settings.STORAGES, "default": default}
    return tmp_path / "files"


def planted(root: User) -> tuple[Study, User]:
    """A study in which one expert left traces everywhere."""
    study = make_full_study()
    member = study.memberships.get(number=2)
    user = member.user
    User.objects.filter(pk=user.pk).update(email=ADDRESS, address=ADDRESS, name=NAME)
    user.refresh_from_db()
    study.memberships.filter(pk=member.pk).update(profile={"Where": f"{MARK}3"})
    inviting.invite(study=study, addresses=read_addresses(f"new-{MARK}@example.org"), role=Role.EXPERT, actor=root)
    (issued,) = inviting.invite(study=study, addresses=read_addresses("x@example.org"), role=Role.EXPERT, actor=root)
    type(issued.invitation).objects.filter(pk=issued.invitation.pk).update(email=ADDRESS, address=ADDRESS, name=NAME)
    tokens.make(user=user, name=f"{MARK}4 laptop")
    Session.objects.create(
        session_key=f"{MARK}5", user=user, session_data=f"{MARK}5", device=f"{MARK}5", expire_date=timezone.now()
    )
    users = ContentType.objects.get_for_model(User)
    LogEntry.objects.create(
        user=root, content_type=users, object_id=str(user.pk), object_repr=ADDRESS, action_flag=2, change_message=NAME
    )
    Report.objects.filter(assignment__expert=member).update(text=f"{MARK}7")
    report = Report.objects.filter(assignment__study=study).first()
    assert report is not None
    dismiss(report=report, note=f"{MARK}8", actor=user)
    events.record(EventKind.PROFILE_CHANGED, actor=user, study=study, number=2, questions=[], old=f"to {ADDRESS}")
    name = default_storage.save(f"exports/{study.pk}", ContentFile(f"{ADDRESS},{NAME}".encode()))
    ExportJob.objects.create(study=study, owner=user, format="csv", content=name, name="a.zip", state="succeeded")
    ExportJob.objects.create(study=study, owner=user, format="csv", state="failed", error_detail=f"to {ADDRESS}")
    return study, user


def in_database(mark: str) -> list[str]:
    """Where a mark is in the database: in any column of any table."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 (our tables)
            columns = [one[0] for one in cursor.description or ()]
            for row in cursor.fetchall():
                found += [
                    f"{table}.{name}"
                    for name, value in zip(columns, row, strict=True)
                    if mark in (value.decode("latin-1") if isinstance(value, bytes) else str(value)).lower()
                ]
    return sorted(set(found))


def in_storage(folder: Path, mark: str) -> list[str]:
    files = [one for one in folder.rglob("*") if one.is_file()] if folder.exists() else []
    return [str(one) for one in files if mark.encode() in one.read_bytes().lower()]


def erased(what: str, target: int, root: User, **choices: Any) -> Erasure:
    erasure = Erasure.objects.create(owner=root, what=what, target=target, **choices)
    carry_out(erasure)
    erasure.refresh_from_db()
    return erasure


@pytest.mark.django_db
@pytest.mark.parametrize("with_answers", [False, True])
def test_nothing_names_an_erased_person(root: User, storage: Path, with_answers: bool) -> None:
    study, user = planted(root)
    other = f"new-{MARK}@example.org"
    erasure = erased(Erased.PERSON, user.pk, root, with_answers=with_answers)
    left = [one for one in in_database(MARK) if not one.startswith("annotations_invitation.")]
    assert left == []
    # Only the other person's invitation is left.
    assert study.invitations.filter(email=other).count() == 1
    assert study.invitations.filter(email__icontains=MARK).count() == 1
    assert in_storage(storage, MARK) == []
    assert erasure.counts["annotations.User"] == 1
    user.refresh_from_db()
    assert (user.name, user.is_active, user.has_usable_password()) == ("Expert 2", False, False)
    event = Event.objects.get(kind=EventKind.ERASED)
    assert (event.actor, event.data["what"], event.data["person"]) == (root, "person", user.pk)


@pytest.mark.django_db
def test_answers_stay_under_a_code_and_other_exports_are_the_same(root: User, storage: Path) -> None:
    study, user = planted(root)
    elsewhere = make_full_study(make_full_dataset("other"), slug="other-study", seed=3)
    before, there = written(study), written(elsewhere)
    erased(Erased.PERSON, user.pk, root)
    assert written(elsewhere) == there
    assert answers_of(written(study)) == answers_of(before)


def answers_of(files: dict[str, bytes]) -> dict[str, bytes]:
    """An export without what says when it was made or who is in the study."""
    return {name: content for name, content in files.items() if name.endswith(".csv")}


@pytest.mark.django_db
def test_with_answers_their_places_are_free_again(root: User, storage: Path) -> None:
    study, user = planted(root)
    (member,) = user.memberships.all()
    held = set(
        member.assignments.filter(released_at=None, repeat_of=None, is_pilot=False).values_list("comparison", "place")
    )
    others = Assignment.objects.exclude(expert=member).exclude(expert=None).order_by("pk").values()
    before = list(others)
    erased(Erased.PERSON, user.pk, root, with_answers=True)
    assert not member.assignments.exists()
    for model in (LabelResponse, PreferenceResponse, Guess, Report):
        assert not model._default_manager.filter(assignment__expert=member).exists()
    free = set(study.assignments.filter(expert=None, released_at=None).values_list("comparison", "place"))
    assert held <= free
    assert list(others) == before


@pytest.mark.django_db
@pytest.mark.parametrize("with_answers", [False, True])
def test_nothing_holds_an_erased_text(root: User, storage: Path, with_answers: bool) -> None:
    study = make_full_study()
    instance = Report.objects.filter(assignment__study=study).first().assignment.instance  # type: ignore[union-attr]  # there is one
    Instance.objects.filter(pk=instance.pk).update(
        segments=[{"name": "", "text": f"the words {MARK}1"}], external_id=f"{MARK}2"
    )
    Report.objects.filter(assignment__instance=instance).update(text=f"it says {MARK}3")
    events.record(EventKind.TEXT_WITHDRAWN, actor=root, study=study, instance=f"{MARK}2")
    job = ImportJob.objects.create(
        owner=root, kind="dataset", dataset_slug=study.dataset.slug, state="failed", report={"row": f"{MARK}4"}
    )
    ImportFile.objects.create(
        job=job, name="a.csv", content=default_storage.save("imports/x", ContentFile(f"{MARK}5".encode()))
    )
    name = default_storage.save("exports/y", ContentFile(f"{MARK}6".encode()))
    ExportJob.objects.create(study=study, owner=root, format="csv", content=name, name="answers.zip")
    answers = LabelResponse.objects.count()
    erased(Erased.TEXT, instance.pk, root, with_answers=with_answers)
    assert in_database(MARK) == []
    assert in_storage(storage, MARK) == []
    instance.refresh_from_db()
    assert (instance.external_id, instance.withdrawn_at is None) == (f"erased-{instance.position}", False)
    assert (LabelResponse.objects.count() < answers) == with_answers
    assert study.dataset.instances.count() == 12


@pytest.mark.django_db
def test_of_an_erased_study_one_event_without_names_is_left(root: User, storage: Path) -> None:
    study, _user = planted(root)
    Study.objects.filter(pk=study.pk).update(slug=f"{MARK}-s", title=f"{MARK} title")
    other = make_full_study(study.dataset, slug="other-study", seed=3)
    there = written(other)
    erased(Erased.STUDY, study.pk, root)
    assert not Study.objects.filter(pk=study.pk).exists()
    # The account stays, with its tokens and sessions: it may be another study's.
    account = ("annotations_user.", "annotations_apitoken.", "annotations_session.", "django_")
    assert [one for one in in_database(MARK) if not one.startswith(account)] == []
    assert in_storage(storage, MARK) == []
    (event,) = Event.objects.filter(kind=EventKind.ERASED)
    assert (event.subject, event.study_id) == ("", None)
    assert event.data["counts"]["annotations.LabelResponse"] > 0
    assert written(other) == there


@pytest.mark.django_db
def test_an_erased_dataset_takes_its_studies_along(root: User, storage: Path) -> None:
    study, _user = planted(root)
    other = make_full_study(make_full_dataset("other"), slug="other-study", seed=3)
    there = written(other)
    erased(Erased.DATASET, study.dataset_id, root)
    assert not Dataset.objects.filter(pk=study.dataset_id).exists()
    assert not Study.objects.filter(pk=study.pk).exists()
    assert written(other) == there


@pytest.mark.django_db
def test_a_preview_counts_and_changes_nothing(root: User, storage: Path) -> None:
    _study, user = planted(root)
    before = in_database(MARK)
    counts = preview(user, with_answers=True, actor=root)
    assert in_database(MARK) == before
    assert counts.rows["annotations.User"] == 1
    assert len(counts.files) == 1
    assert not Event.objects.filter(kind=EventKind.ERASED).exists()


@pytest.mark.django_db
def test_erasing_twice_is_erasing_once(root: User, storage: Path) -> None:
    _study, user = planted(root)
    erasure = erased(Erased.PERSON, user.pk, root)
    first = erasure.counts
    carry_out(erasure)
    again = erased(Erased.PERSON, user.pk, root)
    erasure.refresh_from_db()
    assert (erasure.counts, again.counts) == (first, {})


@pytest.mark.django_db
def test_a_worker_that_dies_leaves_all_or_nothing_and_the_files_follow(
    root: User, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _study, user = planted(root)
    before = in_database(MARK)
    erasure = Erasure.objects.create(owner=root, what=Erased.PERSON, target=user.pk)
    with monkeypatch.context() as patched:
        patched.setattr("annotations.erasing.subjects._become", _die)
        with pytest.raises(MemoryError):
            erase_rows(erasure)
    assert in_database(MARK) == before
    erase_rows(erasure)  # and dies before the files
    assert in_storage(storage, MARK) != []
    tidy_up()
    assert in_storage(storage, MARK) == []


def _die(*_args: object) -> None:
    raise MemoryError


@pytest.mark.django_db
def test_only_an_admin_of_the_server_who_types_the_name_may_erase(root: User) -> None:
    study = make_full_study()
    ada = User.objects.create_user("ada@example.org")
    study.memberships.create(user=ada, role=Role.ADMIN, number=77)
    with pytest.raises(NotAllowed):
        ask(what=Erased.STUDY, target=study.pk, typed=study.slug, actor=ada)
    with pytest.raises(NotConfirmed):
        ask(what=Erased.STUDY, target=study.pk, typed="small", actor=root)
    first = ask(what=Erased.STUDY, target=study.pk, typed=study.slug, actor=root)
    assert ask(what=Erased.STUDY, target=study.pk, typed=study.slug, actor=root) == first


@pytest.mark.django_db
def test_after_restoring_an_older_backup_it_is_erased_again(root: User, storage: Path) -> None:
    study, user = planted(root)
    old = dict(User.objects.values().get(pk=user.pk))
    erased(Erased.PERSON, user.pk, root)
    erased(Erased.STUDY, study.pk, root)
    (person, gone) = remembered()
    assert MARK not in str((person, gone))
    User.objects.filter(pk=user.pk).update(**old)  # the backup knows them by name
    done = reapply_erasures()
    assert (done.again, done.gone) == ([person["id"]], [gone["id"]])
    assert in_database(f"{MARK}1") == []
    User.objects.filter(pk=user.pk).update(**{**old, "email": "else@example.org", "address": "else@example.org"})
    assert reapply_erasures().unsure == [person["id"]]


@pytest.mark.django_db
@pytest.mark.parametrize("model", [Event, LabelResponse, PreferenceResponse, Guess])
def test_nothing_but_an_erasure_changes_or_deletes_what_only_grows(model: Any, root: User) -> None:
    study = make_full_study()
    events.record(EventKind.ARCHIVED, actor=root, study=study)
    row = model._default_manager.latest("pk")
    kept = {"kind": "deleted"} if model is Event else {"key": "00000000-0000-0000-0000-000000000000"}
    with pytest.raises(IntegrityError), transaction.atomic():
        model._default_manager.filter(pk=row.pk).update(**kept)
    with pytest.raises(IntegrityError), transaction.atomic():
        model._default_manager.filter(pk=row.pk).delete()
    with transaction.atomic(), open_gate():
        pass
    with pytest.raises(IntegrityError), transaction.atomic():
        model._default_manager.filter(pk=row.pk).delete()


def test_only_erasing_opens_the_gate() -> None:
    root = Path(__file__).resolve().parents[3]
    users = {
        path.relative_to(root).as_posix()
        for package in ("annotations", "metaeval", "hlvstudy")
        for path in (root / package).rglob("*.py")
        if "migrations" not in path.parts and ("open_gate" in (text := path.read_text()) or "ErasingGate" in text)
    }
    assert users == {
        "annotations/models/__init__.py",
        "annotations/models/jobs.py",
        "annotations/erasing/subjects.py",
    }
