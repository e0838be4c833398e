"""What an erasure is about, how it is recognised again, and the list of erasures kept outside the database.

Each erasure is one small file in the server's storage (`erasures/<id>.json`) with ids, choices and an HMAC, and no
name, address or text::

    {
        "id": "5b0c...",
        "what": "person",
        "target": 12,
        "with_answers": false,
        "erased_at": "2026-11-25T19:40:00+00:00",
        "mark": "9f2a...",
    }
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils.crypto import salted_hmac

from annotations.ground.errors import NotFound
from annotations.models import Dataset, Erased, Erasure, Instance, Study, User
from annotations.storing.mail_addresses import normalised

FOLDER = "erasures"


def find(what: str, target: int) -> User | Instance | Study | Dataset | None:
    """The row that an erasure is about, if it is still there."""
    found: User | Instance | Study | Dataset | None
    if what == Erased.PERSON:
        found = User.objects.filter(pk=target).first()
    elif what == Erased.TEXT:
        found = Instance.objects.select_related("dataset").filter(pk=target).first()
    elif what == Erased.STUDY:
        found = Study.objects.filter(pk=target).first()
    else:
        found = Dataset.objects.filter(pk=target).first()
    return found


def name_of(row: User | Instance | Study | Dataset) -> str:
    """What people know it by, and type to confirm: an address, a text's id, a slug."""
    if isinstance(row, User):
        return row.email
    return row.external_id if isinstance(row, Instance) else row.slug


def mark_of(row: User | Instance | Study | Dataset) -> str:
    """An HMAC of what identifies it, under SECRET_KEY: it can be compared but not read."""
    said = normalised(row.email) if isinstance(row, User) else name_of(row)
    if isinstance(row, Instance):
        said = f"{row.dataset.slug} {row.position} {said}"
    return salted_hmac("annotations.erasing", f"{type(row).__name__}: {said}", algorithm="sha256").hexdigest()


def remember(erasure: Erasure) -> None:
    """Write the erasure's file. Repeating it changes nothing."""
    keep(entry_of(erasure))


def keep(entry: Mapping[str, Any]) -> None:
    """Write an entry's file, unless it is there."""
    path = f"{FOLDER}/{entry['id']}.json"
    if not default_storage.exists(path):
        default_storage.save(path, ContentFile(json.dumps(dict(entry)).encode()))


def entry_of(erasure: Erasure) -> dict[str, Any]:
    return {
        "id": str(erasure.pk),
        "what": erasure.what,
        "target": erasure.target,
        "with_answers": erasure.with_answers,
        "erased_at": erasure.erased_at.isoformat() if erasure.erased_at else None,
        "mark": erasure.mark,
    }


def remembered() -> list[dict[str, Any]]:
    """All entries in the server's storage, oldest first."""
    if not default_storage.exists(FOLDER):
        return []
    found = []
    for name in sorted(default_storage.listdir(FOLDER)[1]):
        with default_storage.open(f"{FOLDER}/{name}") as file:
            found.append(json.load(file))
    return sorted(found, key=lambda one: (str(one["erased_at"]), str(one["id"])))


def find_named(
    *,
    what: str,
    person: int | None = None,
    study: str = "",
    number: int | None = None,
    dataset: str = "",
    position: int | None = None,
) -> tuple[str, int]:
    """The kind and id of what a request names. Raises NotFound."""
    rows: Any
    if what == Erased.PERSON and person is not None:
        rows = User.objects.filter(pk=person)
    elif what == Erased.PERSON:
        rows = User.objects.filter(memberships__study__slug=study, memberships__number=-1 if number is None else number)
    elif what == Erased.TEXT:
        rows = Instance.objects.filter(dataset__slug=dataset, position=-1 if position is None else position)
    elif what == Erased.STUDY:
        rows = Study.objects.filter(slug=study)
    else:
        rows = Dataset.objects.filter(slug=dataset)
    found = rows.values_list("pk", flat=True).first()
    if found is None:
        raise NotFound
    return what, found
