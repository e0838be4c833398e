"""docs/reference/events.md: what the event log records."""

from __future__ import annotations

from annotations.models.events import EventKind
from metaeval.reference.markdown import table, written_by

HEAD = """
Every act that matters is one row of the log: who, when, about which study or dataset, with counts, names of files and
parameters, and never a text or an answer. People appear by id; names and addresses are looked up when the log is read.
Nobody can change or delete a row: triggers of the database refuse it, except in an erasure, which is itself an event.
Researchers and admins read the log of their studies under *History*, or with `GET /api/v1/studies/{slug}/events/`.
"""


def events_page() -> str:
    """The page."""
    rows = [(f"`{kind.value}`", str(kind.label)) for kind in EventKind]
    return f"{written_by('The event log', HEAD)}\n{table(['event', 'what happened'], rows)}\n"
