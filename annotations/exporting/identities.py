"""Who the experts in an export are: a separate file, so that the answers stay pseudonymous without it."""

from __future__ import annotations

from collections.abc import Iterator

from annotations.exporting.formats import ExportFile, encoded
from annotations.exporting.rows import CHUNK, ResponseSource
from annotations.exporting.spreadsheets import csv_lines
from annotations.ground.saved import Saved

SAVED = {"expert": Saved.NUMBER, "name": Saved.IDENTITY, "email": Saved.IDENTITY, "simulated": None}


def identities(source: ResponseSource) -> ExportFile:
    """`people.csv`: number, name and e-mail address of each expert. Only if it was requested."""

    def lines() -> Iterator[list[object]]:
        people = source.study.memberships.answering().filter(source.filters.experts()).order_by("number")
        found = people.values_list("number", "user__name", "user__email", "is_simulated")
        for number, name, email, simulated in found.iterator(chunk_size=CHUNK):
            yield [number, name, email, "true" if simulated else "false"]

    return ExportFile("people.csv", lambda: encoded(csv_lines(list(SAVED), lines())), SAVED)
