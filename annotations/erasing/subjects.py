"""Erase a person, a text, a study or a dataset: all that names it, and on request the answers.

- A person's row stays as a code (`Expert 7`), because answers, results and the event log refer to it. What a study says
  about answers of people who leave (`Study.leaving`) holds first: they leave every study that still runs. In a closed
  study nothing changes but the name, unless the answers are erased.
- A text's row stays without words, so that the others keep their places; it counts as withdrawn.
- Of a study or a dataset nothing stays but one event that says how many rows went, without names: the deliberate
  exception to "answers are never deleted".
- Exports, documents and uploads may quote what is erased and can all be made again, so they are removed whole. The rows
  forget their files in the transaction; the files themselves follow when it is committed (executing.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.db.models import FileField, Model, Q, QuerySet
from django.db.transaction import TransactionManagementError
from django.utils import timezone

from annotations.background import jobs
from annotations.designing.averaging import discard_means
from annotations.erasing.registry import Fate, answers_go, holdings, texts_go
from annotations.history.looks import forget_texts
from annotations.importing.deleting import dataset_goes
from annotations.models import (
    Assignment,
    BackgroundJob,
    Dataset,
    ErasingGate,
    Event,
    Guess,
    ImportJob,
    Instance,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Report,
    ReportDecision,
    Role,
    Study,
    StudyState,
    User,
)
from annotations.people.access import roles
from annotations.people.accounts import refuse_orphans
from annotations.people.membership import leaving
from annotations.storing.mail_addresses import normalised


class Counts:
    """Rows by model, and names of stored files."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.files: list[str] = []

    def add(self, model: str, number: int) -> None:
        """Count rows that were deleted or emptied."""
        if number:
            self.rows[model] = self.rows.get(model, 0) + number

    def delete(self, rows: Any) -> None:
        """Delete rows and count them, with those that go along."""
        _, deleted = rows.delete()
        for model, number in deleted.items():
            self.add(model, number)


@contextmanager
def open_gate() -> Iterator[None]:
    """Allow the running transaction to change and delete what nothing else may. Only this package does it (a test holds
    that).

    The triggers (annotations/migrations/0101_triggers.py) look for a row that only this transaction can see: it is
    deleted before the transaction ends, and on PostgreSQL it also carries the transaction's own number.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError
    gate = ErasingGate.objects.create(key=_transaction())
    yield
    # Not `finally`: after an error the transaction is rolled back, and the row with it.
    gate.delete()


def _transaction() -> str:
    if connection.vendor == "sqlite":
        return "open"  # SQLite has one writer at a time
    with connection.cursor() as cursor:
        cursor.execute("SELECT txid_current()::text")
        return str(cursor.fetchone()[0])


def models_with_files() -> list[tuple[type[Model], str]]:
    """Every model whose rows have a stored file, and that field's name."""
    return [
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.local_fields
        if isinstance(field, FileField)
    ]


def forget_files(studies: QuerySet[Study], counts: Counts) -> None:
    """Take the files of studies from their rows, and stop jobs that are just writing one."""
    for model, name in models_with_files():
        if not any(field.name == "study" for field in model._meta.local_fields):
            continue
        rows: Any = model._default_manager.filter(study__in=studies.values("pk"))
        if issubclass(model, BackgroundJob):
            for job in rows.exclude(state__in=BackgroundJob.FINAL):
                jobs.ask_to_stop(job)
        with_file = rows.exclude(**{name: ""})
        files = list(with_file.values_list(name, flat=True))
        counts.files += files
        counts.add(model._meta.label, with_file.update(**{name: ""}) if files else 0)


def forget_imports(dataset_slug: str, counts: Counts) -> None:
    """Delete the imports of a dataset: their reports and errors may quote texts, as may files that still wait."""
    rows = ImportJob.objects.filter(dataset_slug=dataset_slug)
    files = [str(name) for name in rows.values_list("files__content", flat=True) if name]
    counts.files += files
    counts.delete(rows)


@transaction.atomic
def erase_person(*, user: User, with_answers: bool = False, actor: User | None = None) -> Counts:
    """Erase everything that names a person; with `with_answers` also what they answered. Repeating it changes nothing.

    Raises:
        OnlyAdmin, LastAdmin, OwnAdministration: somebody else must administer first.
    """
    counts = Counts()
    # In the order in which answering and assigning lock: studies, people, places.
    studies = Study.objects.filter(memberships__user=user).order_by("pk")
    list(Study.objects.filter(pk__in=studies.values("pk")).order_by("pk").select_for_update(no_key=True))
    # Whoever answers holds their membership and then refers to the account.
    list(user.memberships.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    user = roles.locked(user, admins=True)  # as closing the account does below
    if user.erased_at is None:
        refuse_orphans(user)
        running = user.memberships.filter(is_active=True).exclude(study__state=StudyState.CLOSED)
        for member in running.order_by("study_id"):
            leaving.leave(member=member, actor=actor)
        roles.close_account(user=user, actor=actor)
        user.refresh_from_db()
    address, code = user.email, code_of(user)
    with open_gate():
        if with_answers:
            _erase_answers(list(user.memberships.filter(role=Role.EXPERT).order_by("study_id")), counts)
        _follow_registry(user, address, counts)
        _erase_traces(user, address, code, counts)
        forget_files(Study.objects.filter(memberships__user=user), counts)
        if user.erased_at is None:
            _become(user, code)
            counts.add("annotations.User", 1)
    return counts


def code_of(user: User) -> str:
    """What stands for the person from now on: their number where they were the expert of one study only."""
    numbers = list(user.memberships.experts().values_list("number", flat=True)[:2])
    return f"Expert {numbers[0]}" if len(numbers) == 1 else f"Person {user.pk}"


def address_of(pk: int) -> str:
    """The address in the row of an erased person; no mail can be sent to it (RFC 2606)."""
    return f"erased-{pk}@erased.invalid"


def _become(user: User, code: str) -> None:
    """Make the account's row a code. Nobody can sign in as it, or open it again."""
    email = address_of(user.pk)
    User.objects.filter(pk=user.pk).update(
        email=email,
        address=normalised(email),
        name=code,
        language="",
        password=make_password(None),
        last_login=None,
        date_joined=user.date_joined.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0),
        is_active=False,
        is_staff=False,
        is_superuser=False,
        erased_at=timezone.now(),
    )
    user.groups.clear()
    user.user_permissions.clear()


def _follow_registry(user: User, address: str, counts: Counts) -> None:
    """Delete or empty every row that the registry says names a person."""
    for holding in holdings:
        if holding.fate == Fate.KEPT:
            continue
        rows = apps.get_model(holding.model)._default_manager.all()
        if holding.address:
            named = Q(**{f"{holding.address}__iexact": address})
            if holding.address == "address":
                named |= Q(address=normalised(address))
            if holding.person:
                named |= Q(**{holding.person: user.pk})
            counts.delete(rows.filter(named))
        elif holding.fate == Fate.DELETED:
            counts.delete(rows.filter(**{holding.person: user.pk}))
        else:
            # Only once, so that repeating it counts nothing.
            still = Q()
            for name, empty in holding.blank.items():
                still |= ~Q(**{name: empty})
            mine = rows.filter(**{holding.person: user.pk}).filter(still).values_list("pk", flat=True)
            counts.add(holding.model, rows.filter(pk__in=list(mine)).update(**holding.blank))


def _erase_traces(user: User, address: str, code: str, counts: Counts) -> None:
    """What names a person without referring to them: Django admin's log, reasons of errors, old events."""
    key = str(user.pk)
    of_user = Q(content_type=ContentType.objects.get_for_model(User), object_id=key)
    quoted = Q(object_repr__icontains=address) | Q(change_message__icontains=address)
    counts.delete(LogEntry.objects.filter(of_user | quoted))
    for model in jobs.job_models():
        rows: Any = model._default_manager
        quoting = Q(error__icontains=address) | Q(error_detail__icontains=address)
        quoting |= Q(progress_message__icontains=address)
        counts.add(model._meta.label, rows.filter(quoting).update(error="", error_detail="", progress_message=""))
    for event in Event.objects.filter(data__icontains=address):
        Event.objects.filter(pk=event.pk).update(data=_without(event.data, address, code))
        counts.add("annotations.Event", 1)


def _without(value: Any, address: str, code: str) -> Any:
    if isinstance(value, str):
        return code if address.lower() in value.lower() else value
    if isinstance(value, list):
        return [_without(item, address, code) for item in value]
    if isinstance(value, dict):
        return {name: _without(item, address, code) for name, item in value.items()}
    return value


def _erase_answers(members: list[Membership], counts: Counts) -> None:
    """Delete what experts answered, and give their places to others."""
    if not members:
        return
    rows = Assignment.objects.filter(expert__in=members)
    # Waits for an answer that is being stored; a later one finds no place.
    places = list(rows.order_by("pk").select_for_update(of=("self",)).select_related("comparison"))
    if not places:
        return
    answers_go.send(sender=Assignment, experts=members)
    # Places that were given up already have fresh ones.
    leaving.release([place for place in places if place.released_at is None], timezone.now())
    delete_answers(Assignment.objects.filter(pk__in=[place.pk for place in places]), counts)


def delete_answers(rows: Any, counts: Counts) -> None:
    """Delete places with everything that was answered in them. The gate must be open."""
    keys = list(rows.values_list("pk", flat=True))
    # A repeat is of the same expert; it goes with what it repeats.
    keys += list(Assignment.objects.filter(repeat_of__in=keys).values_list("pk", flat=True))
    batches = [keys[start : start + 500] for start in range(0, len(keys), 500)]
    for some in batches:
        counts.delete(Guess.objects.filter(assignment__in=some))
        counts.delete(PreferenceResponse.objects.filter(assignment__in=some))
        counts.delete(LabelResponse.objects.filter(assignment__in=some))
        counts.delete(ReportDecision.objects.filter(report__assignment__in=some))
        counts.delete(Report.objects.filter(assignment__in=some))
    for some in batches:
        counts.delete(Assignment.objects.filter(pk__in=some, repeat_of__isnull=False))
    for some in batches:
        counts.delete(Assignment.objects.filter(pk__in=some))


@transaction.atomic
def erase_text(*, instance: Instance, with_answers: bool = False, actor: User | None = None) -> Counts:
    """Erase a text's words and its id in the files; with `with_answers` also what experts answered about it.

    The distributions at its place stay: they are numbers that tell nothing of the words. Repeating it changes nothing.
    """
    counts = Counts()
    studies = Study.objects.filter(dataset=instance.dataset_id)
    # Whoever takes or answers a place of it has ended, or waits: their memberships are held before the places, as they
    # themselves hold them, because triggers empty their tallies.
    list(studies.order_by("pk").select_for_update(no_key=True).values_list("pk"))
    members = Membership.objects.filter(study__in=studies.values("pk"))
    list(members.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    # The dataset before its text, as who erases the dataset has them, perhaps without a study that both would wait at.
    dataset = Dataset.objects.select_for_update(no_key=True).filter(pk=instance.dataset_id).first()
    text = Instance.objects.select_for_update(no_key=True).filter(pk=instance.pk).first()
    if dataset is None or text is None:  # erased meanwhile
        return counts
    instance = text
    places = Assignment.objects.filter(instance=instance)
    list(places.order_by("pk").select_for_update().values_list("pk"))
    with open_gate():
        if instance.erased_at is None:
            texts_go.send(sender=Instance, instance=instance)
        code = f"erased-{instance.position}"
        if with_answers:
            delete_answers(places, counts)
        reports = Report.objects.filter(assignment__instance=instance).exclude(text="")
        counts.add("annotations.Report", reports.update(text=""))
        notes = ReportDecision.objects.filter(report__assignment__instance=instance).exclude(note="")
        counts.add("annotations.ReportDecision", notes.update(note=""))
        if instance.erased_at is None:
            _rename_in_events(instance, code, counts)
            now = timezone.now()
            Instance.objects.filter(pk=instance.pk).update(
                segments=[{**segment, "text": ""} for segment in instance.segments],
                external_id=code,
                withdrawn_at=instance.withdrawn_at or now,
                erased_at=now,
                text_digest=None,
            )
            forget_texts([instance.text_digest])
            counts.add("annotations.Instance", 1)
        forget_imports(dataset.slug, counts)
        forget_files(studies, counts)
    return counts


def _rename_in_events(instance: Instance, code: str, counts: Counts) -> None:
    of_it = Q(dataset=instance.dataset_id) | Q(study__dataset=instance.dataset_id)
    for event in Event.objects.filter(of_it, data__instance=instance.external_id):
        counts.add("annotations.Event", Event.objects.filter(pk=event.pk).update(data={**event.data, "instance": code}))


@transaction.atomic
def erase_study(*, study: Study, actor: User | None = None) -> Counts:
    """Erase a study with its members, plan, answers, results, files and events. People's accounts stay."""
    counts = Counts()
    studies = _locked(Study.objects.filter(pk=study.pk))
    with open_gate():
        for row in studies:
            _erase_study(row, counts)
    return counts


@transaction.atomic
def erase_dataset(*, dataset: Dataset, actor: User | None = None) -> Counts:
    """Erase a dataset with its texts, predictions, analyses and every study on it."""
    counts = Counts()
    studies = _locked(Study.objects.filter(dataset=dataset.pk))
    if not Dataset.objects.select_for_update(no_key=True).filter(pk=dataset.pk).exists():
        return counts
    with open_gate():
        for study in studies:
            _erase_study(study, counts)
        dataset_goes.send(sender=Dataset, dataset=dataset)
        forget_imports(dataset.slug, counts)
        digests = list(dataset.instances.order_by().values_list("text_digest", flat=True))
        counts.delete(Event.objects.filter(Q(dataset=dataset.pk)))
        counts.delete(Dataset.objects.filter(pk=dataset.pk))
        forget_texts(digests)
    return counts


def _locked(studies: QuerySet[Study]) -> list[Study]:
    """Those of them that another erasure did not take meanwhile; nobody answers in them until this one has ended.

    Not their keys: whoever answers holds their own membership and then refers to the study. So the memberships are
    next, and when they are held, all answers have been stored or will be refused.
    """
    locked = list(studies.order_by("pk").select_for_update(no_key=True))
    members = Membership.objects.filter(study__in=[study.pk for study in locked])
    list(members.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    return locked


def _erase_study(study: Study, counts: Counts) -> None:
    alone = Study.objects.filter(pk=study.pk)
    list(study.assignments.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    forget_files(alone, counts)
    delete_answers(study.assignments.all(), counts)
    counts.delete(study.comparisons.all())
    discard_means(study)
    instruments: Any = study.instrument_versions.all()
    counts.delete(instruments)
    counts.delete(Event.objects.filter(study=study.pk))
    counts.delete(alone)
