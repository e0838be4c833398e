"""Which answers an export contains, and the stream of rows that feeds every format: a row is an expert's complete
answer to one comparison, with where its distributions came from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, time
from functools import cached_property, partial
from itertools import islice
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

from django.db import connection, models
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from annotations.exporting.cells import Clock, as_text, moment
from annotations.ground.errors import HLVError
from annotations.ground.system_names import system_name
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
from annotations.models.comparisons import not_taken_along
from annotations.models.responses import CHOICES
from annotations.shown.profiles import Answer

Scope = Literal["include", "exclude", "only"]
SCOPES: tuple[str, ...] = get_args(Scope)
Revisions = Literal["last", "all"]
REVISIONS: tuple[str, ...] = get_args(Revisions)
NAMES = {"first_day": "from", "last_day": "to"}
"""Outside names of filters that are Python keywords."""
CHUNK = 2_000  # answers in memory at a time
FIRST_IS_A, SECOND_IS_A = SideOrder.FIRST_IS_A.value, SideOrder.SECOND_IS_A.value  # looked up for every row
FLIPPED = {FIRST_IS_A: SECOND_IS_A, SECOND_IS_A: FIRST_IS_A}


class UnsupportedFilter(HLVError):
    """The format does not support this filter."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which of a study's answers to export. Days are in UTC and inclusive.

    `revisions`: with `all`, every stored version of an answer is in a separate file.
    `identified`: the experts' names and e-mail addresses are in a separate file.
    """

    pilot: Scope = "include"
    simulated: Scope = "include"
    first_day: date | None = None
    last_day: date | None = None
    revisions: Revisions = "last"
    identified: bool = False

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Filters:
        """The inverse of `as_json`; missing entries keep their defaults.

        >>> Filters.read({"pilot": "exclude", "to": "2026-11-02"}).last_day
        datetime.date(2026, 11, 2)
        """
        values: dict[str, Any] = {own.name: stored.get(NAMES.get(own.name, own.name)) for own in fields(cls)}
        days = {name: date.fromisoformat(day) for name in NAMES if isinstance(day := values[name], str)}
        return cls(**{name: value for name, value in (values | days).items() if value is not None})

    def as_json(self) -> dict[str, Any]:
        """As plain JSON, with the outside names.

        >>> Filters(first_day=date(2026, 11, 2)).as_json()["from"]
        '2026-11-02'
        """
        values = {NAMES.get(field.name, field.name): getattr(self, field.name) for field in fields(self)}
        return {name: value.isoformat() if isinstance(value, date) else value for name, value in values.items()}

    def set_here(self) -> list[str]:
        """The names of the filters that differ from the default.

        >>> Filters(identified=True).set_here()
        ['identified']
        """
        default, mine = Filters().as_json(), self.as_json()
        return [name for name in mine if mine[name] != default[name]]

    def places(self, prefix: str = "", *, when: str = "completed_at") -> Q:
        """The selected places (assignments). Anything that leaves answers out of every export belongs here.

        `prefix` is the lookup path to the place, such as `assignment__`; `when` is the time that the days refer to.
        """
        condition = not_taken_along(prefix)
        for name, column in {"pilot": "is_pilot", "simulated": "expert__is_simulated"}.items():
            scope = getattr(self, name)
            if scope != "include":
                condition &= Q(**{f"{prefix}{column}": scope == "only"})
        if self.first_day:
            condition &= Q(**{f"{prefix}{when}__gte": datetime.combine(self.first_day, time.min, UTC)})
        if self.last_day:
            condition &= Q(**{f"{prefix}{when}__lte": datetime.combine(self.last_day, time.max, UTC)})
        return condition

    def experts(self) -> Q:
        """The selected memberships, whether or not they have answered."""
        condition = Q(answers_left_out=False)
        return condition if self.simulated == "include" else condition & Q(is_simulated=self.simulated == "only")

    def in_words(self) -> str:
        """In words, for an export's dictionary; empty: everything.

        >>> Filters(pilot="exclude", last_day=date(2026, 11, 2)).in_words()
        'Without the pilot; answered up to 2026-11-02 (UTC).'
        """
        scopes = {"exclude": "without", "only": "only"}
        parts = [
            f"{scopes[scope]} {what}"
            for scope, what in ((self.pilot, "the pilot"), (self.simulated, "simulated experts"))
            if scope in scopes
        ]
        days = [f"{word} {day}" for word, day in (("from", self.first_day), ("up to", self.last_day)) if day]
        if days:
            parts.append(f"answered {' '.join(days)} (UTC)")
        sentence = "; ".join(parts)
        return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """Where a shown distribution came from: a system, or people (all parts empty). People come first."""

    model: str = ""
    method: str = ""
    run: str = ""
    name: str = field(init=False, compare=False, repr=False)
    """The name for people to read, made once because very many rows ask for it."""

    def __post_init__(self) -> None:
        """
        >>> Source("RoBERTa", "ReL", "0").name, Source().name
        ('RoBERTa / ReL / 0', 'human')
        """
        object.__setattr__(self, "name", system_name(self.model, self.method, self.run) or "human")

    @property
    def is_human(self) -> bool:
        return not self.model


HUMAN = Source()


class ResponseRow(NamedTuple):
    """One answered comparison as it currently counts: the newest revision of both steps.

    Times are aware datetimes, or texts if these were asked for (`ResponseSource.chunks`); `*_ms` are milliseconds of
    active time, None if the browser did not report it.
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
    option_a: Source
    option_b: Source
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
    is_closed: bool = False
    profile: Mapping[str, Answer] = MappingProxyType({})
    """What the expert said about themselves, by the questions' names."""

    @property
    def first_chosen(self) -> bool:
        return self.a_chosen if self.side_order == FIRST_IS_A else self.b_chosen

    @property
    def second_chosen(self) -> bool:
        return self.b_chosen if self.side_order == FIRST_IS_A else self.a_chosen

    @property
    def system_side(self) -> str:
        return "B" if self.side_order == FIRST_IS_A else "A"

    @property
    def choice(self) -> str:
        return CHOICES[self.a_chosen, self.b_chosen]

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
    """What a format may read from a study. Every method takes a fixed number of queries, whatever the size; of answers
    one for all, and a fixed number for each chunk.
    """

    def __init__(self, study: Study, filters: Filters | None = None) -> None:
        self.study = study
        self.filters = filters or Filters()
        self.rows_read = 0
        """How many answers have been read, to show an export's progress."""
        self._sides: dict[tuple[int | None, int, str], tuple[Source, Source, str, Source, Source]] = {}

    @cached_property
    def cut(self) -> Cut:
        def newest(model: type[LabelResponse] | type[PreferenceResponse] | type[Report] | type[Guess]) -> int:
            rows = model._default_manager.filter(assignment__study=self.study)
            return int(rows.aggregate(newest=Max("pk"))["newest"] or 0)

        # What comes last in an answer is looked for first, so that whatever belongs to it is there too.
        guess, report, preference = newest(Guess), newest(Report), newest(PreferenceResponse)
        return Cut(newest(LabelResponse), preference, report, guess)

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
    def instruments(self) -> dict[int | None, int | None]:
        """Ids of the versions that experts read to their numbers; None: not known."""
        return {None: None} | dict(self.study.instrument_versions.values_list("pk", "number"))

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
        left_side, right_side = self.sources[first], self.sources[second]
        return (
            (left_side, right_side, side_order)
            if left_side <= right_side
            else (right_side, left_side, FLIPPED[side_order])
        )

    def _sides_shown(self, key: tuple[int | None, int, str]) -> tuple[Source, Source, str, Source, Source]:
        """The same, and what was shown as A and as B. Made once, because there are few and very many rows have them."""
        first, second, side_order = self.sides(*key)
        shown = (first, second) if side_order == FIRST_IS_A else (second, first)
        sides = self._sides[key] = (first, second, side_order, *shown)
        return sides

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

    def chunks(self, clock: Clock = moment) -> Iterator[list[ResponseRow]]:
        """All answers, in order of comparison and expert, up to `CHUNK` at a time."""
        in_order = ("assignment__comparison__position", "assignment__expert__number", "assignment__position")
        for rows in self._chunks(self.responses().order_by(*in_order), self.cut, clock):
            self.rows_read += len(rows)
            yield [row for _, row in rows]

    def rows(self) -> Iterator[ResponseRow]:
        """The same, one at a time."""
        for rows in self.chunks():
            yield from rows

    def rows_of(self, places: Sequence[int]) -> list[ResponseRow]:
        """The answers for these places, in the given order, as currently stored."""
        newer = PreferenceResponse.objects.filter(assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"))
        newest = PreferenceResponse.objects.filter(~Exists(newer), assignment__in=places)
        by_place = dict(pair for rows in self._chunks(newest.order_by(), EVERYTHING) for pair in rows)
        return [by_place[place] for place in places if place in by_place]

    def _chunks(
        self, responses: QuerySet[PreferenceResponse], cut: Cut, clock: Clock = moment
    ) -> Iterator[list[tuple[int, ResponseRow]]]:
        """The responses, each with the id of its place.

        What belongs to them is read for a chunk at once: a subquery for each answer and field costs many times more.
        """
        rows = responses.values_list(
            "assignment_id",
            "revision",
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
            "a_chosen",
            "b_chosen",
            "certainty",
            "active_ms",
            as_text("assignment__claimed_at"),
            as_text("assignment__comparison_shown_at"),
            as_text("created_at"),
            "instrument_id",
            "page_language",
        ).iterator(chunk_size=CHUNK)
        while chunk := list(islice(rows, CHUNK)):
            yield self._complete(chunk, cut, clock)

    def _complete(self, chunk: list[tuple[Any, ...]], cut: Cut, clock: Clock) -> list[tuple[int, ResponseRow]]:
        places = [values[0] for values in chunk]
        labels = self._newest_labels(places, cut, clock)
        # The newest is the first: it is the only one.
        versions = _versions([place for place, revision, *_ in chunk if revision], cut)
        guesses = _guesses(places, cut)
        slug, is_closed = self.study.slug, self.study.state == StudyState.CLOSED
        instruments, profiles = self.instruments, self.profiles
        nothing: dict[str, Answer] = {}
        make: Callable[[tuple[Any, ...]], ResponseRow] = partial(tuple.__new__, ResponseRow)  # no call of Python's
        sides = self._sides
        rows = []
        for place, _, number, simulated, pilot, repeat_of, position, comparison, instance, withdrawn, *more in chunk:
            first, second, side, a, b, certainty, active_ms, claimed_at, shown_at, at, instrument, language = more
            names, labels_ms, labels_at, labels_instrument, labels_versions = labels[place]
            row = make(
                (
                    slug,
                    number,
                    simulated,
                    pilot,
                    repeat_of is not None,
                    position,
                    comparison,
                    instance,
                    withdrawn is not None,
                    *(sides.get((first, second, side)) or self._sides_shown((first, second, side))),
                    names,
                    a,
                    b,
                    certainty,
                    labels_ms,
                    active_ms,
                    clock(claimed_at),
                    labels_at,
                    clock(shown_at),
                    clock(at),
                    labels_versions,
                    versions.get(place, 1),
                    guesses.get(place),
                    instruments[labels_instrument],
                    instruments[instrument],
                    language,
                    is_closed,
                    profiles.get(number, nothing),
                )
            )
            rows.append((place, row))
        return rows

    def _newest_labels(self, places: list[int], cut: Cut, clock: Clock) -> dict[int, tuple[Any, ...]]:
        """The newest step 1 of each place: labels, active time, when, the version read, and how often it was stored."""
        rows = (
            _of(LabelResponse, places)
            .filter(pk__lte=cut.label_response)
            .order_by("assignment_id", "revision")
            .values_list("assignment_id", as_text("labels"), "active_ms", as_text("created_at"), "instrument_id")
        )
        newest: dict[int, tuple[Any, ...]] = {}
        names_of: dict[str, tuple[str, ...]] = {}  # many chose the same
        for place, chosen, active_ms, at, instrument in rows.iterator(chunk_size=CHUNK):
            names = names_of.get(chosen)
            if names is None:
                names = names_of[chosen] = self.names(json.loads(chosen))
            before = newest.get(place)
            newest[place] = (names, active_ms, clock(at), instrument, 1 if before is None else before[-1] + 1)
        return newest


def _versions(places: list[int], cut: Cut) -> dict[int, int]:
    if not places:
        return {}
    stored = _of(PreferenceResponse, places).filter(pk__lte=cut.preference_response)
    return dict(stored.order_by().values_list("assignment_id").annotate(count=Count("pk")))


def _guesses(places: list[int], cut: Cut) -> dict[int, str]:
    if not cut.guess:
        return {}
    return dict(_of(Guess, places).filter(pk__lte=cut.guess).values_list("assignment_id", "side"))


def _of(model: type[models.Model], places: list[int]) -> QuerySet[Any]:
    """What belongs to these places. Thousands of ids as parameters cost more than the query."""
    column = f"{connection.ops.quote_name(model._meta.db_table)}.assignment_id"
    ids = ", ".join(map(str, map(int, places)))
    return model._default_manager.filter(RawSQL(f"{column} IN ({ids})", (), models.BooleanField()))  # noqa: S611 (whole numbers)
