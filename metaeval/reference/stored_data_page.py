"""docs/reference/stored-data.md: what the server stores, why and how long; the record of processing."""

from __future__ import annotations

from annotations.erasing.registry import Fate, Holding, Sort, holdings
from metaeval.reference.markdown import table, written_by

HEAD = """
Every table of the database that holds something about people, texts or answers, or lets somebody in. Whoever runs a
server can begin a record of processing activities (Article 30 of the GDPR) with it; [Data
protection](../data-protection.md) says how to erase.
"""
FATES = {Fate.KEPT: "stays, under a number", Fate.BLANKED: "emptied", Fate.DELETED: "deleted"}


def stored_data_page() -> str:
    """The page."""
    told = sorted((one for one in holdings if one.kinds()), key=lambda one: one.model)
    rows = [
        (
            f"`{one.model}`",
            *(_named(one, sort) for sort in Sort if sort != Sort.NEITHER),
            one.purpose,
            one.until,
            _fate(one),
        )
        for one in told
    ]
    names = ["table", "personal", "texts", "answers", "secrets", "kept to", "kept until", "if the person is erased"]
    others = ", ".join(f"`{one.model}`" for one in sorted(holdings, key=lambda one: one.model) if not one.kinds())
    return f"{written_by('What is stored', HEAD)}\n{table(names, rows)}\n\nNothing of these in: {others}.\n"


def _named(one: Holding, sort: Sort) -> str:
    return ", ".join(f"`{name}`" for name in getattr(one, sort.value))


def _fate(one: Holding) -> str:
    if one.model == "annotations.User":
        return "becomes a code"
    return "deleted" if one.address or one.model == "admin.LogEntry" else FATES[one.fate]
