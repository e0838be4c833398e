"""Where an expert stands: their tally, and what they have in hand.

The rules are those of `annotations/answering/progress.py`, which counts everything anew; tests hold both together.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from annotations.answering.progress import ExpertProgress, minutes_at_pace
from annotations.answering.tally import ExpertTally, texts_left
from annotations.models import (
    Assigning,
    Assignment,
    Comparison,
    Instance,
    LabelResponse,
    Membership,
    Study,
    StudyState,
)

IN_HAND = 8
"""How many unfinished assignments are read: one is shown and one is ahead. Others may be withdrawn in the meantime."""


@dataclass
class ExpertStanding:
    """An expert, loaded with the study. The caller holds their lock, or only reads.

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
        """As `progress_of`."""
        tally, once = self.tally, self.first_times()
        repeats = tally.done - tally.once + tally.again
        total = once + repeats + self.repeats_left(total=once)
        return ExpertProgress(tally.done, total, minutes_at_pace(tally.times, left=total - tally.done))

    def first_times(self) -> int:
        """How many different texts the expert will have had in the end."""
        kept = self.tally.kept
        if self.is_named:
            return kept
        taken = kept - max(0, self.tally.begun - 1)
        if self.expert.promised is None:
            left = texts_left(self.expert, most=self.part - kept, with_paused=True)
            return max(taken, min(kept + left, self.part))
        return int(max(taken, min(self.tally.possible, self.expert.promised)))

    @cached_property
    def part(self) -> int:
        """Everyone's equal part of the pool, as `part_of`. Two queries: only for who is promised something.

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
        left = texts_left(self.expert, most=self.part + still, with_paused=False) - still
        return max(0, min(self.part, left))

    def repeats_left(self, *, total: int) -> int:
        """How many texts the expert will still get a second time; `total` is how many they get a first time."""
        wanted: int = min(self.expert.study.repeats_per_expert, total) - self.tally.repeats
        if wanted <= 0:
            return 0
        to_come = total - self.tally.once
        if to_come >= wanted:
            return wanted
        return min(wanted, self.repeatable()[: wanted - to_come].count() + to_come)

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
    return ExpertStanding(Membership.objects.select_related("study").get(pk=expert)).progress()


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
