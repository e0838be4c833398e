# ruff: noqa: S608 - only names of tables are put into statements
"""What an expert's assignments come to, and what the pool still holds for them: counted in one statement per request.

It is written in SQL: for the first seven numbers alone, Django takes longer to write it (3 ms) than a database to run
all of it after a thousand answers (1 to 2 ms). The rules are those of `annotations/answering/progress.py`, which counts
everything in Python; a test holds both together.
"""

import json
import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.db import connection
from django.db.models import Max, OuterRef, Subquery

from annotations.answering.progress import PACE_OF
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
)

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


@dataclass(slots=True)
class ExpertTally:
    """Numbers about one expert's assignments; "counts" is as in `Past`."""

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
            left = LEFT.format(more=_elsewhere(expert))
            cursor.execute(COUNTED.format(as_list=AS_LIST[connection.vendor], left=left), values)
            row = cursor.fetchone()
        counts: dict[str, Any] = dict(zip(COUNTS, row, strict=False))
        earlier, drawn, key, name, times, left = row[len(COUNTS) :]
        lead = lead_from(earlier=int(earlier), drawn=int(drawn))
        made = None if key is None else SideKey(study=study, phase=phase, key=bytes(key), name=name)
        known = [one for one in json.loads(times or "[]") if one is not None]
        tally = cls(**counts, lead=lead, key=made, times=known, possible=math.inf)
        if left < LOOKS_AHEAD:
            tally.possible = tally.kept + left
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
