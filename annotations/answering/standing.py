"""Where an expert stands: their tally, and what they have in hand. It costs as much after 5,000 answers as after none.

The rules are those of `annotations/answering/progress.py`, which counts everything anew; tests hold both together.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, Sum

from annotations.answering.pool import texts_left
from annotations.answering.progress import ExpertProgress, minutes_at_pace
from annotations.answering.tally import Assured, ExpertTally
from annotations.compiled import Compiled, CompiledUpdate
from annotations.models import (
    Assigning,
    Assignment,
    Comparison,
    Instance,
    LabelResponse,
    Membership,
    Role,
    Study,
    StudyState,
)

IN_HAND = 8
"""How many unfinished assignments are read: one is shown and one is ahead. Others may be withdrawn in the meantime."""
SLACK = 64
"""How many more texts than needed are looked for, so that not every place taken by others asks for another look."""


STORE_TALLY = CompiledUpdate(lambda pk: Membership.objects.filter(pk=pk), "tally", pk=None)


def with_taken(memberships: QuerySet[Membership, Any]) -> QuerySet[Membership, Any]:
    """Annotate how often everybody else took a comparison's highest free place, as `ExpertStanding` needs it."""
    others = Membership.objects.filter(~Q(pk=OuterRef("pk")), study=OuterRef("study")).order_by().values("study")
    return memberships.annotate(taken_by_others=Subquery(others.annotate(all=Sum("claims")).values("all")))


@dataclass
class ExpertStanding:
    """An expert from `with_taken`, loaded with the study. The caller holds their lock, or only reads."""

    expert: Any
    tally: ExpertTally
    promised: int | None
    """What is stored of `expert.promised`."""

    @classmethod
    def of(cls, expert: Membership) -> "ExpertStanding":
        return cls(expert, ExpertTally.of(expert), expert.promised)

    def store(self) -> None:
        """Store what has changed; the last statement of a transaction that holds the expert's lock."""
        tally, promised = self.tally.stored, self.expert.promised
        changed = {"tally": tally} if tally != self.expert.tally else {}
        if promised != self.promised:
            changed["promised"] = promised
        if "promised" in changed:
            Membership.objects.filter(pk=self.expert.pk).update(**changed)
        elif changed:
            STORE_TALLY.run(pk=self.expert.pk, tally=tally)
        if changed:
            self.expert.tally, self.promised = tally, promised

    @property
    def is_named(self) -> bool:
        return bool(self.expert.study.assigning == Assigning.NAMED)

    @cached_property
    def unfinished(self) -> list[Any]:
        """What the expert can answer, in order, with text and newest labels; not what a pause holds back.

        One query, if there is anything.
        """
        return UNFINISHED.all(expert=self.expert.pk) if self.tally.given + self.tally.again else []

    def progress(self) -> ExpertProgress:
        """As `progress_of`."""
        tally, once = self.tally, self.first_times()
        repeats = tally.done - tally.once + tally.again
        total = once + repeats + self.repeats_left(total=once)
        times = [milliseconds for _, milliseconds in tally.times]
        return ExpertProgress(tally.done, total, minutes_at_pace(times, left=total - tally.done))

    def first_times(self) -> int:
        """How many different texts the expert will have had in the end."""
        kept = self.tally.kept
        if self.is_named:
            return kept
        taken = kept - max(0, self.tally.begun - 1)
        promised: int = self.part if self.expert.promised is None else self.expert.promised
        return max(taken, min(self._possible(promised), promised))

    def _possible(self, promised: int) -> int:
        """How many texts the expert can have had in the end; exact below `promised`, and else not less than that."""
        kept = self.tally.kept
        if promised <= kept:
            return kept
        version = self.expert.study.pool_version
        taken = self.expert.taken_by_others or 0
        assured = self.tally.assured
        if assured is not None and assured.still(version=version, taken=taken) >= promised:
            return promised
        if assured is not None and assured.possible >= promised and assured.version == version and self._few_others():
            self.tally.assure(Assured(assured.possible, version, taken))
            return promised
        need = promised - kept
        possible = kept + texts_left(self.expert, most=need + max(SLACK, need // 2), with_paused=True)
        self.tally.assure(Assured(possible, version, taken))
        return possible

    def _few_others(self) -> bool:
        """Whether all others together cannot take every place of a text, as each takes one of it at most. One query."""
        study: Study = self.expert.study
        has_places = Exists(Assignment.objects.filter(expert=OuterRef("pk")))
        others = Membership.objects.filter(Q(role=Role.EXPERT) | has_places, study=study).exclude(pk=self.expert.pk)
        return others.count() < study.experts_per_comparison

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
    """The current progress of the membership with this key. One query, as long as the tally is stored."""
    return ExpertStanding.of(with_taken(Membership.objects.filter(pk=expert)).select_related("study").get()).progress()


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


UNFINISHED: Compiled[Any] = Compiled(unfinished_of, expert=None)
