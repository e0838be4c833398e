"""The files beside every tidy table: its dictionary, the JSON Schema of a row, what experts read, and what was skipped;
if requested, also every revision, and who the experts are.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet

from annotations.exporting.cells import in_iso
from annotations.exporting.columns import columns_of, dictionary, json_schema
from annotations.exporting.formats import ExportFile, encoded
from annotations.exporting.rows import CHUNK, ResponseSource, Source
from annotations.exporting.spreadsheets import csv_lines
from annotations.ground.saved import Saved
from annotations.models import Assignment, LabelResponse, PreferenceResponse, SideOrder, Study
from annotations.models.responses import CHOICES

IDENTITIES = {"expert": Saved.NUMBER, "name": Saved.IDENTITY, "email": Saved.IDENTITY, "simulated": None}
REVISIONS = {
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
KEY = ("assignment__comparison__position", "assignment__expert__number", "assignment__position")
LAST_OF_ANSWER = ("active_ms", "created_at", "instrument__number", "page_language")
EXPERTS = {"expert": Saved.NUMBER, "answers": Saved.ANSWERS, "skipped_after_step_2": Saved.REPORTS}
SYSTEMS = (
    "system",
    "answers",
    "chosen",
    "skipped_after_step_2",
    "fraction",
    "fraction_at_worst",
    "fraction_at_best",
    "answers_to_identical_sides",
)


def beside(source: ResponseSource, file: str) -> list[ExportFile]:
    return [
        ExportFile("dictionary.md", lambda: [dictionary(source, file).encode()]),
        ExportFile(
            "responses.schema.json", lambda: [(json.dumps(json_schema(columns_of(source)), indent=2) + "\n").encode()]
        ),
        ExportFile(
            "instrument_versions.json",
            lambda: [(json.dumps(versions_read(source.study), ensure_ascii=False, indent=2) + "\n").encode()],
        ),
        *skips(source),
        *([every_revision(source)] if source.filters.revisions == "all" else []),
        *([identities(source)] if source.filters.identified else []),
    ]


def versions_read(study: Study) -> list[dict[str, Any]]:
    """What a study's experts read, in every version that answers refer to, oldest first. One query."""
    return [
        {
            "number": version.number,
            "app": version.app,
            "sha256": version.sha256,
            "created_at": in_iso(version.created_at),
            # PostgreSQL keeps the names of an object in an order of its own, and a study may move between databases.
            "content": json.loads(json.dumps(version.content, sort_keys=True)),
        }
        for version in study.instrument_versions.order_by("number")
    ]


def skips(source: ResponseSource) -> list[ExportFile]:
    """`experts.csv` and `systems.csv`, without the pilot and deliberate repeats.

    A system's line also counts its answers for which both sides looked the same. At worst, a system would have been
    chosen in none of the comparisons that were skipped after step 2 was shown; at best, in all of them.
    """
    return [
        ExportFile("experts.csv", lambda: encoded(csv_lines(list(EXPERTS), _skips_by_expert(source))), EXPERTS),
        ExportFile(
            "systems.csv", lambda: encoded(csv_lines(SYSTEMS, _skips_by_system(source))), dict.fromkeys(SYSTEMS)
        ),
    ]


def _skipped(source: ResponseSource) -> list[tuple[int, list[Source]]]:
    """The expert and the sources of every comparison given up after its step 2 was shown."""
    given_up = Assignment.objects.filter(
        source.filters.places(when="released_at"),
        study=source.study,
        released_at__isnull=False,
        comparison_shown_at__isnull=False,
        completed_at=None,
        is_pilot=False,
        repeat_of=None,
    ).order_by("expert__number", "position")
    pairs = given_up.values_list("expert__number", "comparison__first_system", "comparison__second_system")
    return [(expert, [source.sources[key] for key in pair]) for expert, *pair in pairs]


def _counting(source: ResponseSource) -> QuerySet[PreferenceResponse]:
    return source.responses().filter(assignment__is_pilot=False, assignment__repeat_of=None).order_by()


def _skips_by_expert(source: ResponseSource) -> Iterator[list[object]]:
    answers = dict(_counting(source).values_list("assignment__expert__number").annotate(count=Count("pk")))
    skipped = Counter(expert for expert, _ in _skipped(source))
    experts = source.study.memberships.answering().filter(source.filters.experts()).order_by("number")
    for expert in experts.values_list("number", flat=True):
        yield [expert, answers.get(expert, 0), skipped[expert]]


def _skips_by_system(source: ResponseSource) -> Iterator[list[object]]:
    answers: Counter[Source] = Counter()
    chosen: Counter[Source] = Counter()
    identical: Counter[Source] = Counter()
    groups = (
        "assignment__comparison__first_system",
        "assignment__comparison__second_system",
        "assignment__side_order",
        "a_chosen",
        "b_chosen",
        "assignment__comparison__identical",
    )
    for first, second, order, a, b, same, count in _counting(source).values_list(*groups).annotate(count=Count("pk")):
        picked = (a, b) if order == SideOrder.FIRST_IS_A else (b, a)
        for key, was_chosen in zip((first, second), picked, strict=True):
            system = source.sources[key]
            answers[system] += count
            chosen[system] += count * was_chosen
            identical[system] += count * bool(same)
    skipped = Counter(system for _, pair in _skipped(source) for system in pair)
    for system in sorted(system_key for system_key in answers | skipped if not system_key.is_human):
        preferences, picks, skips = answers[system], chosen[system], skipped[system]
        shares = [
            _share(picks, preferences),
            _share(picks, preferences + skips),
            _share(picks + skips, preferences + skips),
        ]
        yield [system.name, preferences, picks, skips, *shares, identical[system]]


def _share(part: int, whole: int) -> float | str:
    return part / whole if whole else ""


def every_revision(source: ResponseSource) -> ExportFile:
    """`revisions.csv`: one row per stored version of a step, for the same answers as the table."""
    return ExportFile("revisions.csv", lambda: encoded(csv_lines(list(REVISIONS), _revisions(source))), REVISIONS)


def _revisions(source: ResponseSource) -> Iterator[list[object]]:
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
        at = in_iso(stored_at)
        yield [*where, "false" if newer else "true", chosen, choice, certainty, active_ms, at, version, language]


def _newer(model: type[LabelResponse] | type[PreferenceResponse], cut: int) -> Any:
    return model._default_manager.filter(
        assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"), pk__lte=cut
    )


def identities(source: ResponseSource) -> ExportFile:
    """`people.csv`: number, name and e-mail address of each expert. Only if it was requested."""

    def lines() -> Iterator[list[object]]:
        people = source.study.memberships.answering().filter(source.filters.experts()).order_by("number")
        columns = people.values_list("number", "user__name", "user__email", "is_simulated")
        for number, name, email, simulated in columns.iterator(chunk_size=CHUNK):
            yield [number, name, email, "true" if simulated else "false"]

    return ExportFile("people.csv", lambda: encoded(csv_lines(list(IDENTITIES), lines())), IDENTITIES)
