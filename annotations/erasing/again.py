"""Erase again what a restored backup brought back: it does not know the erasures after it was made.

The list of them is kept outside the database (annotations/erasing/targets.py). After restoring, call
`reapply_erasures()` before anybody can sign in; `hlvstudy manage erase again` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.crypto import constant_time_compare

from annotations.erasing.executing import carry_out
from annotations.erasing.targets import find, keep, mark_of, remembered
from annotations.models import Erasure


@dataclass(slots=True)
class Reapplied:
    """What was done with a list of erasures."""

    again: list[str] = field(default_factory=list)
    """Ids of erasures whose target was there again, and is erased again."""
    gone: list[str] = field(default_factory=list)
    """The target is not there, or was erased before the backup was made."""
    unsure: list[str] = field(default_factory=list)
    """Under the id there is somebody or something else, or SECRET_KEY is another: nothing was done."""


def reapply_erasures(entries: Iterable[Mapping[str, Any]] | None = None) -> Reapplied:
    """Erase again what a restored backup has brought back.

    Call it after restoring, migrated and before the server runs. It is safe to repeat.

    Args:
        entries: as `remembered` returns them, which is also the default. Read them before the storage is replaced by
            an older one, too.
    """
    done = Reapplied()
    for entry in remembered() if entries is None else list(entries):
        keep(entry)
        row = find(str(entry["what"]), int(entry["target"]))
        if row is None or getattr(row, "erased_at", None) is not None:
            done.gone.append(str(entry["id"]))
        elif not constant_time_compare(mark_of(row), str(entry["mark"])):
            done.unsure.append(str(entry["id"]))
        else:
            erasure, _ = Erasure.objects.update_or_create(
                pk=entry["id"],
                defaults={
                    "what": entry["what"],
                    "target": entry["target"],
                    "with_answers": entry["with_answers"],
                    "mark": entry["mark"],
                    "erased_at": None,
                },
            )
            carry_out(erasure)
            done.again.append(str(entry["id"]))
    return done
