"""Every stored version of both steps of an answer, to see what experts changed."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from datetime import UTC
from typing import Any

from django.db.models import Exists, OuterRef

from annotations.exporting.formats import ExportFile, encoded
from annotations.exporting.rows import CHUNK, ResponseSource
from annotations.exporting.spreadsheets import csv_lines
from annotations.ground.saved import Saved
from annotations.models import LabelResponse, PreferenceResponse
from annotations.models.responses import CHOICES

SAVED = {
    "comparison": None,
    "expert": Saved.NUMBER,
    "position": Saved.ANSWERS,
    "step": Saved.ANSWERS,
    "revision": Saved.ANSWERS,
    "counts": Saved.ANSWERS,
    "labels": Saved.ANSWERS,
    "choice": Saved.ANSWERS,
    "certainty": Saved.ANSWERS,
    "active_ms": Saved.TIMES,
    "stored_at": Saved.TIMES,
    "instrument": Saved.PAGES,
    "page_language": Saved.PAGES,
}
"""The columns."""
KEY = ("assignment__comparison__position", "assignment__expert__number", "assignment__position")
LAST_OF_ANSWER = ("active_ms", "created_at", "instrument__number", "page_language")


def every_revision(source: ResponseSource) -> ExportFile:
    """`revisions.csv`: one row per stored version of a step, for the same answers as the table."""
    return ExportFile("revisions.csv", lambda: encoded(csv_lines(list(SAVED), _lines(source))), SAVED)


def _lines(source: ResponseSource) -> Iterator[list[object]]:
    """Two streams in the same order, merged: two queries, with one chunk of each in memory."""
    cut = source.cut
    answered = source.responses().filter(assignment=OuterRef("assignment"))
    labels: Any = (
        LabelResponse.objects.filter(Exists(answered), pk__lte=cut.label_response)
        .annotate(newer=Exists(_newer(LabelResponse, cut.label_response)))
        .order_by(*KEY, "revision")
        .values_list(*KEY, "revision", "newer", "labels", *LAST_OF_ANSWER)
    )
    preferences: Any = (
        PreferenceResponse.objects.filter(Exists(answered), pk__lte=cut.preference_response)
        .annotate(newer=Exists(_newer(PreferenceResponse, cut.preference_response)))
        .order_by(*KEY, "revision")
        .values_list(*KEY, "revision", "newer", "a_chosen", "b_chosen", "certainty", *LAST_OF_ANSWER)
    )

    def step_1() -> Iterator[list[Any]]:
        for *key, revision, newer, chosen, active_ms, stored_at, version, language in labels.iterator(chunk_size=CHUNK):
            names = json.dumps(list(source.names(chosen)), ensure_ascii=False)
            yield [*key, 1, revision, newer, names, "", "", active_ms, stored_at, version, language]

    def step_2() -> Iterator[list[Any]]:
        for *key, revision, newer, a, b, certainty, active_ms, at, version, lang in preferences.iterator(CHUNK):
            yield [*key, 2, revision, newer, "", CHOICES[a, b], certainty, active_ms, at, version, lang]

    for *where, newer, chosen, choice, certainty, active_ms, stored_at, version, language in heapq.merge(
        step_1(), step_2(), key=lambda row: row[:5]
    ):
        moment = stored_at.astimezone(UTC).isoformat(timespec="microseconds")
        yield [*where, "false" if newer else "true", chosen, choice, certainty, active_ms, moment, version, language]


def _newer(model: type[LabelResponse] | type[PreferenceResponse], cut: int) -> Any:
    return model._default_manager.filter(
        assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"), pk__lte=cut
    )
