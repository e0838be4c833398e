"""A study in which something of everything is under way, for whoever wants to be in the way of it."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotations.designing import reassigning
from annotations.models import (
    Assignment,
    Dataset,
    Erased,
    Erasure,
    Event,
    ImportJob,
    JobState,
    Membership,
    Report,
    Role,
    SecondFactor,
    Study,
    User,
)
from annotations.people.access import tokens
from annotations.people.invitations import inviting
from annotations.people.invitations.links import Issued
from annotations.people.membership.addresses import read_addresses
from annotations.people.sign_in.sessions import SessionStore
from annotations.simulating.demo.loading import SLUG as DEMO
from metaeval.jobs.models import AnalysisRun
from metaeval.training_jobs.lifecycle import stop_training
from metaeval.training_jobs.models import Training
from tests.metaeval.training_jobs.world import judged_dataset, measured, under_way
from tests.worlds import storing
from tests.worlds.answering import complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert, make_study, plan_and_open


@dataclass(frozen=True)
class World:
    """Of `mine`, one assignment an expert: the first is in hand, the second answered, the third reported."""

    study: Study
    draft: Study
    demo: Study
    experts: list[Membership]
    mine: list[Assignment]
    report: Report
    invitation: Issued
    newcomer: Issued
    arrival: Issued
    given: Event
    job: ImportJob
    renewal: Issued
    token: tokens.Made
    failed: AnalysisRun
    running: AnalysisRun
    session: SessionStore
    erasure: Erasure
    ready: Training
    trained: Training
    stopped: Training

    @property
    def dataset(self) -> Dataset:
        return self.study.dataset

    @property
    def sent(self) -> dict[str, Any]:
        """What the first expert's browser sends with every answer."""
        return {"user": self.experts[0].user, "token": self.mine[0].token, "key": uuid.uuid4()}

    @property
    def free(self) -> list[Assignment]:
        """The free places, the next one to be given first."""
        return list(Assignment.objects.free().filter(study=self.study).order_by("place", "comparison_id"))


def make_world() -> World:
    study = make_study(dataset=make_dataset(instances=8, systems=4), instances_per_system=4, experts_per_comparison=3)
    experts = [make_expert(study, f"expert{number}@example.org") for number in range(5)]
    study = plan_and_open(study)
    mine = [taken(expert.user) for expert in experts[:3]]
    complete(mine[1])
    User.objects.create_user("known@example.org")
    SecondFactor.objects.create(user=experts[4].user)
    session = SessionStore()
    session["asked"] = "something"
    session.create()
    last = study.comparisons.exclude(instance__in=[one.instance for one in mine]).last()
    assert last is not None
    report = {"changed": True, "systems": [], "unchanged": []}
    judged = judged_dataset()
    owner = {"lease_owner": uuid.uuid4(), "lease_until": timezone.now(), "state": JobState.RUNNING}
    return World(
        study=study,
        draft=make_study(dataset=study.dataset, slug="draft"),
        demo=make_study(dataset=study.dataset, slug=DEMO),
        experts=experts,
        mine=mine,
        report=storing.store_report(
            user=experts[2].user, token=mine[2].token, key=uuid.uuid4(), reason="identifies_person"
        ),
        invitation=invited(study, "invited@example.org"),
        newcomer=invited(study, "known@example.org"),
        arrival=inviting.invite_here(
            addresses=read_addresses("here@example.org"), rights=inviting.Rights(True, False, False)
        )[0],
        given=reassigning.give(study=study, expert=experts[4], comparisons=[last.position]),
        job=ImportJob.objects.create(
            kind=ImportJob.Kind.PREDICTIONS, dataset_slug=study.dataset.slug, state=JobState.SUCCEEDED, report=report
        ),
        renewal=inviting.renew_access(member=experts[3]),
        token=tokens.make(user=experts[4].user, name="a script"),
        failed=AnalysisRun.objects.create(study=study, analysis="power", seed=1, state=JobState.FAILED),
        running=AnalysisRun.objects.create(study=study, analysis="power", seed=1, **owner),
        session=session,
        erasure=Erasure.objects.create(what=Erased.TEXT, target=mine[0].instance_id),
        ready=measured(judged, model="ready"),
        trained=under_way(judged, model="trained"),
        stopped=stop_training(training=under_way(judged, model="stopped")),
    )


def invited(study: Study, email: str) -> Issued:
    return inviting.invite(study=study, addresses=read_addresses(email), role=Role.RESEARCHER)[0]
