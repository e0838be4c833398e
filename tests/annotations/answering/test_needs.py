"""What needs somebody is listed: each from the day on from which somebody should act, and only of this study."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotations.answering.watching import Need, needs_of, watch
from annotations.models import Assignment, ExportJob, Invitation, Membership, Study, WorkerHeartbeat
from tests.worlds.answering import complete, taken
from tests.worlds.studies import make_open_study, make_study

pytestmark = pytest.mark.django_db

NOW = timezone.now()


@pytest.fixture
def study() -> Study:
    return make_open_study(experts=2)


def counted(study: Study, kind: str) -> list[tuple[int, str]]:
    """How many there are of a kind, and the tab where they can be dealt with."""
    return [(need.count, need.tab) for need in listed(study) if need.kind == kind]


def listed(study: Study) -> list[Need]:
    return needs_of(study, watch(study), now=NOW)


def export(study: Study, **fields: Any) -> ExportJob:
    return ExportJob.objects.create(study=study, format="csv", **fields)


def failed(study: Study, **ago: float) -> ExportJob:
    return export(study, state="failed", finished_at=NOW - timedelta(**ago))


def test_a_failed_job_is_listed_for_seven_days_to_its_own_study_alone(study: Study) -> None:
    other = make_study(dataset=study.dataset, slug="other")
    failed(other, days=1)
    failed(study, days=7, hours=1)
    assert counted(study, "failed") == []
    failed(study, days=6, hours=23)
    assert counted(study, "failed") == counted(other, "failed") == [(1, "export")]


def test_jobs_that_wait_are_listed_only_while_no_worker_runs_and_first_of_all_jobs(study: Study) -> None:
    export(make_study(dataset=study.dataset, slug="other"))
    failed(study, days=1)
    assert counted(study, "no_worker") == []
    export(study)
    assert counted(study, "no_worker") == [(1, "")]
    export(study)
    assert counted(study, "no_worker") == [(2, "")]
    kinds = [need.kind for need in listed(study)]
    assert kinds.index("no_worker") < kinds.index("failed")
    WorkerHeartbeat.objects.create(name="somewhere", seen_at=timezone.now())
    assert counted(study, "no_worker") == []


def test_an_expert_is_quiet_after_five_whole_days_without_an_answer(study: Study) -> None:
    first, second = study.memberships.experts().order_by("number")
    Membership.objects.filter(pk=second.pk).update(is_active=False)
    complete(taken(first.user))
    for ago, expected in ((timedelta(days=5, seconds=-1), []), (timedelta(days=5), [(1, "people")])):
        Assignment.objects.filter(expert=first).update(completed_at=NOW - ago)
        assert counted(study, "quiet_experts") == expected


def test_an_unused_invitation_is_listed_from_three_days_before_its_end(study: Study) -> None:
    for number, left in enumerate((timedelta(days=-1), timedelta(days=2, hours=23), timedelta(days=3, hours=1))):
        Invitation.objects.create(
            study=study,
            email=f"{number}@example.org",
            role="expert",
            digest=f"{number}" * 64,
            created_at=NOW - timedelta(days=5),
            expires_at=NOW + left,
        )
    assert counted(study, "invitations") == [(2, "people")]
