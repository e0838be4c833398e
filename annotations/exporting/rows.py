"""The stream of rows that feeds every export format: a row is an expert's complete answer to one comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery

from annotations.exporting.filters import Filters
from annotations.models import (
    Assignment,
    Guess,
    GuessedSide,
    LabelResponse,
    PreferenceResponse,
    Report,
    SideOrder,
    Study,
    StudyState,
    System,
    human_side,
)
from annotations.profiles import Answer
from annotations.system_names import system_name

FLIPPED = {
    SideOrder.FIRST_IS_A.value: SideOrder.SECOND_IS_A.value,
    SideOrder.SECOND_IS_A.value: SideOrder.FIRST_IS_A.value,
}
CHUNK = 500  # rows in memory at a time


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """Where a shown distribution came from: a system, or people (all parts empty). People come first."""

    model: str = ""
    method: str = ""
    run: str = ""

    @property
    def is_human(self) -> bool:
        return not self.model

    @property
    def name(self) -> str:
        """The name for people to read.

        >>> Source("RoBERTa", "ReL", "0").name, Source().name
        ('RoBERTa / ReL / 0', 'human')
        """
        return system_name(self.model, self.method, self.run) or "human"


HUMAN = Source()


@dataclass(frozen=True, slots=True)
class ResponseRow:
    """One answered comparison as it currently counts: the newest revision of both steps.

    Times are aware datetimes; `*_ms` are milliseconds of active time, None if the browser did not report it.
    """

    study: str
    expert: int
    expert_is_simulated: bool
    is_pilot: bool
    is_repeat: bool
    position: int
    comparison: int
    instance: str
    withdrawn: bool
    first: Source
    second: Source
    side_order: str
    labels: tuple[str, ...]
    a_chosen: bool
    b_chosen: bool
    certainty: float | None
    labels_ms: int | None
    preference_ms: int | None
    claimed_at: datetime | None
    labels_at: datetime
    shown_at: datetime
    completed_at: datetime
    labels_revisions: int
    preference_revisions: int
    guess: str | None = None
    labels_instrument: int | None = None
    instrument: int | None = None
    page_language: str = ""
    is_closed: bool = field(default=False, kw_only=True)
    profile: Mapping[str, Answer] = field(default_factory=dict, kw_only=True)
    """What the expert said about themselves, by the questions' names."""

    @property
    def option_a(self) -> Source:
        return self.first if self.side_order == SideOrder.FIRST_IS_A else self.second

    @property
    def option_b(self) -> Source:
        return self.second if self.side_order == SideOrder.FIRST_IS_A else self.first

    @property
    def first_chosen(self) -> bool:
        return self.a_chosen if self.side_order == SideOrder.FIRST_IS_A else self.b_chosen

    @property
    def second_chosen(self) -> bool:
        return self.b_chosen if self.side_order == SideOrder.FIRST_IS_A else self.a_chosen

    @property
    def choice(self) -> str:
        return PreferenceResponse(a_chosen=self.a_chosen, b_chosen=self.b_chosen).choice

    @property
    def guess_right(self) -> bool | None:
        """Whether the guess identified the human side; None if there was none, the expert could not say, or the
        study is not closed: until then nobody should learn who sees through it.
        """
        if not self.is_closed or self.guess is None or self.guess == GuessedSide.UNKNOWN:
            return None
        return self.guess == human_side(self.side_order)

    @property
    def input_id(self) -> int:
        return input_id(self.comparison, self.side_order)


def input_id(comparison: int, side_order: str) -> int:
    """The `inputId` in other tools' files: each (comparison, side order) pair is a separate input.

    >>> input_id(7, SideOrder.FIRST_IS_A), input_id(7, SideOrder.SECOND_IS_A)
    (14, 15)
    """
    return 2 * comparison + (side_order == SideOrder.SECOND_IS_A)


@dataclass(frozen=True, slots=True)
class Cut:
    """The newest rows that belong to an export, so that its files agree although answers keep coming in.

    Responses are append-only, so "up to this row" is a snapshot that needs no lock.
    """

    label_response: int
    preference_response: int
    report: int
    guess: int


EVERYTHING = Cut(*[2**63 - 1] * 4)
"""No cut: whatever is stored when it is read."""


class ResponseSource:
    """What a format may read from a study. Every method takes a fixed number of queries, whatever the size."""

    def __init__(self, study: Study, filters: Filters | None = None) -> None:
        self.study = study
        self.filters = filters or Filters()
        self.rows_read = 0
        """How many rows have been read from `rows`, to show an export's progress."""

    @cached_property
    def cut(self) -> Cut:
        def newest(model: type[LabelResponse] | type[PreferenceResponse] | type[Report] | type[Guess]) -> int:
            rows = model._default_manager.filter(assignment__study=self.study)
            return int(rows.aggregate(newest=Max("pk"))["newest"] or 0)

        return Cut(newest(LabelResponse), newest(PreferenceResponse), newest(Report), newest(Guess))

    @cached_property
    def label_names(self) -> list[str]:
        """Names of the dataset's labels in order of position."""
        return list(self.study.dataset.labels.order_by("position").values_list("name", flat=True))

    @cached_property
    def sources(self) -> dict[int | None, Source]:
        """System ids to their sources; None stands for people."""
        mine = Q(averaged_for=None) | Q(averaged_for=self.study)
        systems = System.compared.filter(mine, dataset=self.study.dataset_id)
        names = systems.values_list("pk", "model", "method", "run")
        return {None: HUMAN} | {pk: Source(model, method, run) for pk, model, method, run in names}

    @cached_property
    def profiles(self) -> dict[int, dict[str, Answer]]:
        """Profiles by the experts' numbers; queried only if the study asks its experts anything."""
        if not self.study.profile_questions:
            return {}
        return dict(self.study.memberships.answering().values_list("number", "profile"))

    @property
    def is_simulated(self) -> bool:
        return self.study.is_simulated

    def sides(self, first: int | None, second: int, side_order: str) -> tuple[Source, Source, str]:
        """The two sources in order of their names (people first), and the matching side order.

        The database stores a pair of systems in order of their ids, which differ between databases.
        """
        one, other = self.sources[first], self.sources[second]
        if one <= other:
            return one, other, side_order
        return other, one, FLIPPED[side_order]

    def names(self, positions: list[int]) -> tuple[str, ...]:
        return tuple(self.label_names[position] for position in positions)

    def responses(self) -> QuerySet[PreferenceResponse]:
        """The preference responses that count: the newest revisions within the cut, for places not given up."""
        mine = PreferenceResponse.objects.filter(
            assignment__study=self.study, assignment__released_at=None, pk__lte=self.cut.preference_response
        )
        newer = PreferenceResponse.objects.filter(
            assignment=OuterRef("assignment"),
            revision__gt=OuterRef("revision"),
            pk__lte=self.cut.preference_response,
        )
        return mine.filter(~Exists(newer)).filter(self.filters.places("assignment__"))

    def places(self) -> QuerySet[Assignment]:
        """The same answers as `responses`, but as places: cheap to count, sort and page."""
        mine = Assignment.objects.filter(study=self.study, completed_at__isnull=False, released_at=None)
        return mine.filter(self.filters.places())

    def count(self) -> int:
        return self.responses().count()

    def rows(self) -> Iterator[ResponseRow]:
        """All answers, in order of comparison and expert."""
        in_order = ("assignment__comparison__position", "assignment__expert__number", "assignment__position")
        for _, row in self._rows(self.responses().order_by(*in_order), self.cut):
            self.rows_read += 1
            yield row

    def rows_of(self, places: Sequence[int]) -> list[ResponseRow]:
        """The answers for these places, in the given order, as currently stored."""
        newer = PreferenceResponse.objects.filter(assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"))
        found = PreferenceResponse.objects.filter(~Exists(newer), assignment__in=places)
        by_place = dict(self._rows(found.order_by(), EVERYTHING))
        return [by_place[place] for place in places if place in by_place]

    def _rows(self, responses: QuerySet[PreferenceResponse], cut: Cut) -> Iterator[tuple[int, ResponseRow]]:
        """Each response, with the id of its place."""
        labels = LabelResponse.objects.filter(assignment=OuterRef("assignment"), pk__lte=cut.label_response).order_by(
            "-revision"
        )
        revisions = (
            PreferenceResponse.objects.filter(assignment=OuterRef("assignment"), pk__lte=cut.preference_response)
            .order_by()
            .values("assignment")
            .annotate(count=Count("pk"))
        )
        guesses = Guess.objects.filter(assignment=OuterRef("assignment"), pk__lte=cut.guess)
        label_revisions = labels.order_by().values("assignment").annotate(count=Count("pk"))
        found: Any = responses.annotate(
            chosen_labels=Subquery(labels.values("labels")[:1]),
            labels_ms=Subquery(labels.values("active_ms")[:1]),
            labels_at=Subquery(labels.values("created_at")[:1]),
            labels_revisions=Subquery(label_revisions.values("count")),
            preference_revisions=Subquery(revisions.values("count")),
            guessed=Subquery(guesses.values("side")[:1]),
            labels_instrument=Subquery(labels.values("instrument__number")[:1]),
        ).values_list(
            "assignment_id",
            "assignment__expert__number",
            "assignment__expert__is_simulated",
            "assignment__is_pilot",
            "assignment__repeat_of",
            "assignment__position",
            "assignment__comparison__position",
            "assignment__instance__external_id",
            "assignment__instance__withdrawn_at",
            "assignment__comparison__first_system",
            "assignment__comparison__second_system",
            "assignment__side_order",
            "chosen_labels",
            "a_chosen",
            "b_chosen",
            "certainty",
            "labels_ms",
            "active_ms",
            "assignment__claimed_at",
            "labels_at",
            "assignment__comparison_shown_at",
            "created_at",
            "labels_revisions",
            "preference_revisions",
            "guessed",
            "labels_instrument",
            "instrument__number",
            "page_language",
        )
        for values in found.iterator(chunk_size=CHUNK):
            place, number, simulated, pilot, repeat_of, position, comparison, instance, withdrawn, *more = values
            first, second, side, labels_chosen, *answer = more
            yield (
                place,
                ResponseRow(
                    self.study.slug,
                    number,
                    simulated,
                    pilot,
                    repeat_of is not None,
                    position,
                    comparison,
                    instance,
                    withdrawn is not None,
                    *self.sides(first, second, side),
                    self.names(labels_chosen),
                    *answer,
                    is_closed=self.study.state == StudyState.CLOSED,
                    profile=self.profiles.get(number, {}),
                ),
            )
