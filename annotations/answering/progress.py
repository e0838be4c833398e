# ruff: noqa: S608 - only names of tables are put into statements
"""An expert's progress: what is done, what is in hand, what the pool still holds, and the minutes left at their pace.

It is counted in one SQL statement per request: for the first seven numbers alone, Django takes longer to write the
statement (3 ms) than a database to run all of it after a thousand answers (1 to 2 ms). Tests count everything anew in
Python (tests/worlds/history.py).
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from statistics import median
from typing import Any, Self

from django.db import connection
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery

from annotations.designing.keys import phase_of
from annotations.ground.sides import lead_from
from annotations.models import (
    Assigning,
    Assignment,
    Comparison,
    Instance,
    LabelResponse,
    Membership,
    PreferenceResponse,
    SideKey,
    SideOrder,
    SideRule,
    Study,
    StudyState,
)

# How many answers it takes to know an expert's pace, and how many of the newest it is based on.
PACE_FROM, PACE_OF = 3, 10


IN_HAND = 8
"""How many unfinished assignments are read: one is shown and one is ahead. Others may be withdrawn in the meantime."""
LOOKS_AHEAD = 100
"""So many texts are counted in the pool with each request: if there are more to come, it is not yet short of any."""

PLACES, COMPARISONS, TEXTS, LABELS, PREFERENCES, KEYS, MEMBERS, STUDIES = (
    model._meta.db_table
    for model in (Assignment, Comparison, Instance, LabelResponse, PreferenceResponse, SideKey, Membership, Study)
)
# Every place that an expert has has a position. Said as a condition, it leads SQLite to the index of one expert's
# places: once it has counted its tables (ANALYZE), it takes "most are nobody's" for "most are this expert's".
MINE = "expert_id = %(expert)s AND position >= 0"
GONE = f"(SELECT id FROM {TEXTS} WHERE dataset_id = %(dataset)s AND withdrawn_at IS NOT NULL)"
COMPLETED = "completed_at IS NOT NULL AND released_at IS NULL"
UNFINISHED = f"completed_at IS NULL AND released_at IS NULL AND instance_id NOT IN {GONE}"
FIRST_TIME = "repeat_of_id IS NULL"
OF_PHASE = "turn IS NOT NULL AND phase = %(phase)s"
LEAD = f"CASE side_order WHEN '{SideOrder.FIRST_IS_A}' THEN 1 ELSE -1 END"
# Several places of a text are one text. They are read from the end, because experts, this one too, begin at the start.
LEFT = f"""SELECT count(*) FROM (
    SELECT DISTINCT instance_id FROM {PLACES} AS place
    WHERE study_id = %(study)s AND expert_id IS NULL AND released_at IS NULL
        AND instance_id NOT IN (SELECT instance_id FROM {PLACES} WHERE {MINE} AND {FIRST_TIME} AND NOT seen_before)
        AND instance_id NOT IN {GONE} {{more}}
    ORDER BY instance_id DESC LIMIT %(most)s) AS text"""
NOT_PAUSED = f"AND EXISTS (SELECT 1 FROM {COMPARISONS} WHERE id = place.comparison_id AND NOT is_paused)"
# The same as `looks.had_elsewhere`, for those who are experts elsewhere, too.
ELSEWHERE = f"""AND instance_id NOT IN (SELECT id FROM {TEXTS} WHERE dataset_id = %(dataset)s AND text_digest IN (
    SELECT had.text_digest FROM {MEMBERS} AS member
    JOIN {PLACES} AS earlier ON earlier.expert_id = member.id JOIN {TEXTS} AS had ON had.id = earlier.instance_id
    JOIN {STUDIES} AS other ON other.id = earlier.study_id
    WHERE member.user_id = %(user)s AND other.id <> %(study)s AND earlier.position >= 0
        AND had.text_digest IS NOT NULL AND (other.state <> 'closed' OR %(known)s = '')))"""
NEWEST = "(SELECT active_ms FROM {responses} WHERE assignment_id = mine.id ORDER BY revision DESC LIMIT 1)"
TIMES = f"""SELECT {NEWEST.format(responses=LABELS)} + {NEWEST.format(responses=PREFERENCES)} AS milliseconds
    FROM {PLACES} AS mine WHERE {MINE} AND completed_at IS NOT NULL ORDER BY position DESC LIMIT {PACE_OF}"""
AS_LIST = {"sqlite": "json_group_array(milliseconds)", "postgresql": "CAST(json_agg(milliseconds) AS text)"}
COUNTS = ("done", "once", "given", "begun", "again", "repeats", "position", "turn")
COUNTED = f"""SELECT
    count(CASE WHEN {COMPLETED} THEN 1 END),
    count(CASE WHEN {COMPLETED} AND {FIRST_TIME} THEN 1 END),
    count(CASE WHEN {UNFINISHED} AND {FIRST_TIME} THEN 1 END),
    count(CASE WHEN {UNFINISHED} AND {FIRST_TIME} AND claimed_at IS NOT NULL THEN 1 END),
    count(CASE WHEN {UNFINISHED} AND NOT {FIRST_TIME} THEN 1 END),
    count(repeat_of_id),
    coalesce(max(position) + 1, 0),
    coalesce(max(CASE WHEN {OF_PHASE} THEN turn END) + 1, 0),
    coalesce(sum(CASE WHEN {OF_PHASE} AND side_rule <> {SideRule.KEYED} THEN {LEAD} END), 0),
    coalesce(sum(CASE WHEN {OF_PHASE} AND side_rule = {SideRule.KEYED} THEN {LEAD} END), 0),
    (SELECT key FROM {KEYS} WHERE study_id = %(study)s AND phase = %(phase)s),
    (SELECT name FROM {KEYS} WHERE study_id = %(study)s AND phase = %(phase)s),
    (SELECT {{as_list}} FROM ({TIMES}) AS newest),
    ({{left}})
    FROM {PLACES} WHERE {MINE}"""


@dataclass(frozen=True, slots=True)
class ExpertProgress:
    """How many of their assignments an expert has done, and about how long the rest will take."""

    done: int
    total: int
    minutes_left: int | None


@dataclass(slots=True)
class ExpertTally:
    """Numbers about one expert's assignments. One counts unless it was given up, or unanswered when its text was
    withdrawn."""

    done: int
    """Those that count and are answered."""
    once: int
    """The same, without repeats."""
    given: int
    """Those that count and are not answered, without repeats."""
    begun: int
    """Those among them that the expert was handed."""
    again: int
    """Repeats that count and are not answered."""
    repeats: int
    """Repeats ever handed out."""
    position: int
    """The place of the next one in the expert's order."""
    turn: int
    """The number of the next turn of the study's phase, ..."""
    lead: int
    """... and by how much "the first is A" leads in it, in a study that compares people with systems."""
    key: SideKey | None
    """The phase's key; None: it is still to be made."""
    times: list[int]
    """Active milliseconds of the newest `PACE_OF` answers, as far as they are known."""
    possible: float
    """How many texts they can have had in the end; infinite if the pool has more than are counted."""

    @classmethod
    def counted(cls, expert: Membership) -> Self:
        """The expert's tally. The caller holds their lock, or only reads; `expert` is loaded with the study."""
        study, phase = expert.study, phase_of(expert.study)
        values = _values(expert, most=0 if study.assigning == Assigning.NAMED else LOOKS_AHEAD, phase=str(phase))
        with connection.cursor() as cursor:
            texts_ahead = LEFT.format(more=_elsewhere(expert))
            cursor.execute(COUNTED.format(as_list=AS_LIST[connection.vendor], left=texts_ahead), values)
            row = cursor.fetchone()
        counts: dict[str, Any] = dict(zip(COUNTS, row, strict=False))
        earlier, drawn, key, name, times, texts_ahead = row[len(COUNTS) :]
        lead = lead_from(earlier=int(earlier), drawn=int(drawn))
        made = None if key is None else SideKey(study=study, phase=phase, key=bytes(key), name=name)
        step_times = [load for load in json.loads(times or "[]") if load is not None]
        tally = cls(**counts, lead=lead, key=made, times=step_times, possible=math.inf)
        if texts_ahead < LOOKS_AHEAD:
            tally.possible = tally.kept + texts_ahead
        return tally

    @property
    def kept(self) -> int:
        """How many different texts count."""
        return self.once + self.given

    def handed(self, *, repeat: bool = False, is_new: bool = True) -> None:
        """An assignment was handed to the expert; `is_new` unless it was given to them by name before."""
        if repeat:
            self.again += 1
            self.repeats += 1
        else:
            self.given += is_new
            self.begun += 1
        self.position += is_new


@dataclass
class ExpertWorkload:
    """An expert, loaded with the study, and what they have done and are to do. The caller holds their lock, or only
    reads.

    The tally is counted when it is first asked for, and changed in memory by what is handed out afterwards.
    """

    expert: Any

    @cached_property
    def tally(self) -> ExpertTally:
        return ExpertTally.counted(self.expert)

    @property
    def is_named(self) -> bool:
        return bool(self.expert.study.assigning == Assigning.NAMED)

    @cached_property
    def unfinished(self) -> list[Any]:
        """What the expert can answer, in order, with text and newest labels; not what a pause holds back.

        One query, if there is anything.
        """
        return list(unfinished_of(self.expert.pk)) if self.tally.given + self.tally.again else []

    def progress(self) -> ExpertProgress:
        tally, once = self.tally, self.first_times()
        repeats = tally.done - tally.once + tally.again
        total = once + repeats + self.repeats_left(total=once)
        return ExpertProgress(tally.done, total, minutes_at_pace(tally.times, left=total - tally.done))

    def first_times(self) -> int:
        """How many different texts the expert will have had in the end."""
        places = self.tally.kept
        if self.is_named:
            return places
        taken = places - max(0, self.tally.begun - 1)
        if self.expert.promised is None:
            to_come = texts_left(self.expert, most=self.part - places, with_paused=True)
            return max(taken, min(places + to_come, self.part))
        return int(max(taken, min(self.tally.possible, self.expert.promised)))

    @cached_property
    def part(self) -> int:
        """Everyone's equal part of the pool. Two queries: only for who is promised something.

        There are few withdrawn texts, so they are counted, and not the others.
        """
        study: Study = self.expert.study
        gone = Instance.objects.filter(dataset=study.dataset_id, withdrawn_at__isnull=False)
        comparisons = study.planned - Comparison.objects.filter(study=study, instance__in=gone).count()
        experts = Membership.objects.experts().filter(study=study, is_active=True).count()
        return math.ceil(comparisons * study.experts_per_comparison / max(1, experts))

    def offered(self) -> int:
        """How many more texts, beyond those promised, the expert may ask for: one part at a time."""
        if self.is_named:
            return 0
        still = max(0, (self.expert.promised or 0) - self.tally.kept)
        to_come = texts_left(self.expert, most=self.part + still, with_paused=False) - still
        return max(0, min(self.part, to_come))

    def repeats_left(self, *, total: int) -> int:
        """How many texts the expert will still get a second time; `total` is how many they get a first time."""
        repeats: int = min(self.expert.study.repeats_per_expert, total) - self.tally.repeats
        if repeats <= 0:
            return 0
        to_come = total - self.tally.once
        if to_come >= repeats:
            return repeats
        return min(repeats, self.repeatable()[: repeats - to_come].count() + to_come)

    def repeatable(self) -> QuerySet[Assignment]:
        """What the expert has answered exactly once in this phase of the study, in order."""
        again = Assignment.objects.filter(repeat_of=OuterRef("pk"))
        return (
            Assignment.objects.completed()
            .filter(
                ~Exists(again),
                expert=self.expert,
                repeat_of=None,
                instance__withdrawn_at=None,
                is_pilot=self.expert.study.state == StudyState.PILOT,
            )
            .order_by("position")
        )


def current_progress(expert: int) -> ExpertProgress:
    """The current progress of the membership with this key. Two queries."""
    return ExpertWorkload(Membership.objects.select_related("study").get(pk=expert)).progress()


def unfinished_of(expert: Any) -> QuerySet[Assignment, Any]:
    """What an expert has in hand or was given, in order, as far as it can be answered now; with the newest labels."""
    newest = LabelResponse.objects.filter(assignment=OuterRef("pk")).order_by("-revision")
    not_held_back = Q(comparison__is_paused=False) | Q(claimed_at__isnull=False)
    return (
        Assignment.objects.filter(
            not_held_back, expert=expert, completed_at=None, released_at=None, instance__withdrawn_at=None
        )
        .select_related("instance")
        .annotate(chosen=Subquery(newest.values("labels")[:1]))
        .order_by("position")[:IN_HAND]
    )


def texts_left(expert: Membership, *, most: int, with_paused: bool) -> int:
    """How many texts have a free place that the expert may take, but at most `most`.

    Args:
        with_paused: also count texts all of whose free places are held back by a pause.
    """
    if most <= 0:
        return 0
    with connection.cursor() as cursor:
        more = _elsewhere(expert) + ("" if with_paused else NOT_PAUSED)
        cursor.execute(LEFT.format(more=more), _values(expert, most=most))
        return int(cursor.fetchone()[0])


def minutes_at_pace(times: Sequence[int], *, left: int) -> int | None:
    """`left` times the median of the expert's newest active times; None until there are three.

    The median, so that one telephone call does not count; the newest `PACE_OF`, because people become faster; rounded
    up, to whole minutes up to five and to multiples of five above, so that nobody has to stay longer than announced.
    """
    if len(times) < PACE_FROM:
        return None
    minutes = math.ceil(median(times) * left / 60_000)
    return minutes if minutes <= 5 else math.ceil(minutes / 5) * 5


def saved_at(expert: Membership) -> datetime | None:
    """When the expert's newest answer was stored. One query."""
    newest = {}
    for model in (LabelResponse, PreferenceResponse):
        answers = model._default_manager.filter(assignment=OuterRef("pk")).order_by("-revision")
        newest[model.__name__] = Max(Subquery(answers.values("created_at")[:1]))
    moments = Assignment.objects.filter(expert=expert, position__gte=0).aggregate(**newest)
    return max(filter(None, moments.values()), default=None)


def _elsewhere(expert: Membership) -> str:
    """What to leave out besides; where the expert was loaded to be handed something, it is known that it is nothing."""
    return ELSEWHERE if getattr(expert, "is_elsewhere", True) else ""


def _values(expert: Membership, **more: Any) -> dict[str, Any]:
    study = expert.study
    return {
        "expert": expert.pk,
        "user": expert.user_id,
        "study": study.pk,
        "dataset": study.dataset_id,
        "known": study.known_texts,
        **more,
    }
