"""What was skipped after step 2 was shown: one line per expert, and one line per system with what it could change.

A system's line also counts its answers for which both sides looked the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.db.models import Count, QuerySet

from annotations.exporting.answers import Source
from annotations.exporting.formats import ExportFile, encoded
from annotations.exporting.rows import ResponseSource
from annotations.exporting.spreadsheets import csv_lines
from annotations.ground.saved import Saved
from annotations.models import Assignment, PreferenceResponse, SideOrder

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


def skips(source: ResponseSource) -> list[ExportFile]:
    """`experts.csv` and `systems.csv`, without the pilot and deliberate repeats.

    At worst, a system would have been chosen in none of the comparisons that were skipped after step 2 was shown; at
    best, in all of them.
    """
    return [
        ExportFile("experts.csv", lambda: encoded(csv_lines(list(EXPERTS), _experts(source))), EXPERTS),
        ExportFile("systems.csv", lambda: encoded(csv_lines(SYSTEMS, _systems(source))), dict.fromkeys(SYSTEMS)),
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
    return [(expert, [source.sources[one] for one in pair]) for expert, *pair in pairs]


def _counting(source: ResponseSource) -> QuerySet[PreferenceResponse]:
    return source.responses().filter(assignment__is_pilot=False, assignment__repeat_of=None).order_by()


def _experts(source: ResponseSource) -> Iterator[list[object]]:
    found = _counting(source).values_list("assignment__expert__number").annotate(count=Count("pk"))
    answers = dict(found)
    skipped = Counter(expert for expert, _ in _skipped(source))
    experts = source.study.memberships.answering().filter(source.filters.experts()).order_by("number")
    for expert in experts.values_list("number", flat=True):
        yield [expert, answers.get(expert, 0), skipped[expert]]


def _systems(source: ResponseSource) -> Iterator[list[object]]:
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
    for system in sorted(one for one in answers | skipped if not one.is_human):
        given, picks, left = answers[system], chosen[system], skipped[system]
        shares = [_share(picks, given), _share(picks, given + left), _share(picks + left, given + left)]
        yield [system.name, given, picks, left, *shares, identical[system]]


def _share(part: int, whole: int) -> float | str:
    return part / whole if whole else ""
