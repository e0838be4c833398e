"""What a person has waiting and running in a queue: how much that may be, and what comes before a job that waits."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Value
from django.utils.translation import gettext as _

from annotations.background.jobs import job_models, line
from annotations.ground.errors import Conflict
from annotations.models.jobs import BackgroundJob, JobState
from annotations.models.people import User
from annotations.shown.plurals import filled, said, with_commas


class TooManyJobs(Conflict):
    """One person has as many jobs waiting and running in a queue as they may (`HLV_JOBS_PER_PERSON`)."""


@transaction.atomic
def refuse_too_many(kind: type[BackgroundJob], owner: User | None) -> None:
    """Refuse another job of a person in the queue of such jobs, if they have as many as they may. To be called first
    in the transaction that adds it: the person is locked, so that requests at the same moment cannot exceed it. Nobody
    limits the operator, who has no owner.

    Raises:
        TooManyJobs: with how many there are, of which kinds, and the ids of those that could be cancelled.
    """
    if owner is None:
        return
    list(User.objects.select_for_update(no_key=True).filter(pk=owner.pk).values_list("pk"))
    kinds = [model for model in job_models() if model.queue == kind.queue and model.is_limited]
    rows = [
        model.unfinished_of(owner.pk).order_by().annotate(of_kind=Value(number)).values_list("of_kind", "pk")
        for number, model in enumerate(kinds)
    ]
    unfinished = sorted(rows[0].union(*rows[1:], all=True))
    if len(unfinished) >= settings.HLV_JOBS_PER_PERSON:
        kinds_of = Counter(kinds[number] for number, _pk in unfinished)
        raise TooManyJobs(
            _(
                "As many jobs are waiting or running as one person can have at a time: {jobs}. Wait until one has "
                "ended, or cancel one."
            ).format(jobs=_in_words(kinds_of)),
            most=settings.HLV_JOBS_PER_PERSON,
            unfinished={model._meta.model_name: count for model, count in kinds_of.items()},
            jobs=[str(pk) for _number, pk in unfinished],
        )


def _in_words(kinds: Mapping[type[BackgroundJob], int]) -> str:
    return with_commas(said(kind.counted, count=count) for kind, count in kinds.items())


@dataclass(frozen=True, slots=True)
class Wait:
    """What comes before a job that waits, if nobody asks for more: so many jobs of its owner and of other people, and
    the same in a sentence for the reader.
    """

    own: int
    others: int
    sentence: str


_Due = tuple[datetime, UUID, type[BackgroundJob]]
"""A job in the line of one person: when it was created, its id, its kind."""


class WaitingLines:
    """The lines of people in each queue, read once, when the first job that waits in it is asked about."""

    def __init__(self, reader: User) -> None:
        self._reader = reader
        self._queues: dict[str, dict[int | None, list[_Due]]] = {}

    def before(self, job: BackgroundJob) -> Wait | None:
        """What comes before a job; None: it does not wait."""
        if job.state != JobState.QUEUED:
            return None
        people = self._people(job.queue)
        place = (job.created_at, job.pk)
        own = [due for due in people.get(job.owner_id, []) if due[:2] < place]
        others, served_first = 0, job.owner_id in people
        for person, jobs in people.items():
            if person == job.owner_id:
                served_first = False  # everybody after this one is served once less
            else:
                others += min(len(jobs), len(own) + served_first)
        return Wait(len(own), others, self._sentence(job, own, others))

    def _people(self, queue: str) -> dict[int | None, list[_Due]]:
        """Everybody who has something due in a queue, whoever is next first, and what it is, oldest first."""
        if queue not in self._queues:
            kinds, rows = line(queue)
            people: dict[int | None, list[_Due]] = {}
            for number, _served, created_at, pk, owner in rows:
                people.setdefault(owner, []).append((created_at, pk, kinds[number]))
            self._queues[queue] = people
        return self._queues[queue]

    def _sentence(self, job: BackgroundJob, own: list[_Due], others: int) -> str:
        if job.owner_id == self._reader.pk:
            of_owner = _in_words(Counter(kind for _created_at, _pk, kind in own))
        else:
            of_owner = filled(_("{count, plural, one {# job} other {# jobs}}"), count=len(own)) if own else ""
        of_others = _("{count, plural, one {# job of another person} other {# jobs of other people}}")
        before = listed(
            of_owner, filled(of_others, count=others) if others else "", is_readers=job.owner_id == self._reader.pk
        )
        if not before:
            return _("Waiting for a worker")
        return _("Waiting for a worker. Before it: {jobs}").format(jobs=before)


def listed(of_owner: str, of_others: str, *, is_readers: bool) -> str:
    """What else waits, of the owner of a job, who may be the reader, and of other people."""
    whose = _("{jobs} of your own") if is_readers else _("{jobs} of the same person")
    return with_commas([whose.format(jobs=of_owner) if of_owner else "", of_others])
