"""Who may see what, for every kind of person: two studies on two datasets, with everything in each."""

import uuid
from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from annotations.designing.lifecycle import add_member
from annotations.history import events
from annotations.models import (
    ApiToken,
    Assignment,
    Comparison,
    Dataset,
    Event,
    EventKind,
    ExportJob,
    ImportJob,
    Instance,
    Invitation,
    Judge,
    Letter,
    Membership,
    PairwiseVote,
    PredictedAnnotations,
    Report,
    ReportDecision,
    Role,
    Study,
    System,
    User,
)
from metaeval.documents.models import DocumentKind, StudyDocument
from tests.worlds.answering import complete
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study, plan_and_open

pytestmark = pytest.mark.django_db

# What people are in study a: their role, whether they still have it, and whether they run the installation.
OF_A = {
    "expert": (Role.EXPERT, True, False),
    "researcher": (Role.RESEARCHER, True, False),
    "admin": (Role.ADMIN, True, False),
    "former expert": (Role.EXPERT, False, False),
    "former researcher": (Role.RESEARCHER, False, False),
    "former admin": (Role.ADMIN, False, False),
    "answering operator": (Role.EXPERT, True, True),
    "once answering operator": (Role.EXPERT, False, True),
}
OF_B = {"expert of b": Role.EXPERT, "admin of b": Role.ADMIN}
# The importer brought the dataset of study a and has no role anywhere.
OTHERS = ("importer", "stranger")
OPERATORS = {"operator", "once answering operator"}


@pytest.fixture
def people():
    """Everybody, by what they are; and both studies with everything in them."""
    found = {name: user(name) for name in [*OF_A, *OF_B, *OTHERS, "operator"]}
    User.objects.filter(email__contains="operator").update(is_superuser=True)
    for letter in "ab":
        study = make_study(dataset=make_dataset(slug=f"data-{letter}"), slug=letter)
        members = {name: role for name, (role, _, _) in OF_A.items()} if letter == "a" else OF_B
        for name, role in members.items():
            add_member(study=study, user=found[name], role=role)
        fill(study)
    Dataset.objects.filter(slug="data-a").update(created_by=found["importer"])
    for name, (_, is_active, _) in OF_A.items():
        Membership.objects.filter(user=found[name]).update(is_active=is_active)
    return {name: User.objects.get(pk=one.pk) for name, one in found.items()}


def user(name):
    return User.objects.create_user(f"{name.replace(' ', '-')}@example.org")


def fill(study):
    """One of each thing that hangs on a study or on its dataset, and nothing in the log but one line of it."""
    dataset, instance = study.dataset, study.dataset.instances.first()
    judge = Judge.objects.create(dataset=dataset, code="judge")
    PairwiseVote.objects.create(
        dataset=dataset, position=0, instance=instance, judge=judge, first="x", second="y", outcome="tie"
    )
    PredictedAnnotations.objects.create(dataset=dataset, model="m", answers=np.zeros((1, 4)), fingerprint="0")
    tomorrow = timezone.now() + timedelta(days=1)
    Invitation.objects.create(
        study=study, email="new@example.org", role=Role.EXPERT, digest=uuid.uuid4().hex, expires_at=tomorrow
    )
    plan_and_open(study)
    place = study.assignments.first()
    Report.objects.create(assignment=place, key=uuid.uuid4(), reason="other", created_at=timezone.now())


def seen(people, model, name="study__slug"):
    """Who sees which rows of a model: {person: studies or datasets, each once}, of those who see any."""
    visible = {
        who: sorted(set(model.objects.visible_to(one).values_list(name, flat=True))) for who, one in people.items()
    }
    return {who: "".join(names).replace("data-", "") for who, names in visible.items() if names}


SOURCES = {"researcher": "a", "admin": "a", "admin of b": "b", "answering operator": "b"} | dict.fromkeys(
    OPERATORS, "ab"
)


def test_members_see_their_study_and_operators_all(people):
    members = {"expert": "a", "researcher": "a", "admin": "a", "expert of b": "b", "admin of b": "b"}
    assert seen(people, Study, "slug") == members | dict.fromkeys([*OPERATORS, "answering operator"], "ab")


def test_who_answers_a_study_or_has_left_it_sees_no_sources_of_it(people):
    assert slugs_of(people, Study.objects.unblinded_for) == SOURCES


def test_only_admins_administer_and_operators_what_they_do_not_answer(people):
    administered = {who: slugs for who, slugs in SOURCES.items() if who != "researcher"}
    assert slugs_of(people, Study.objects.administered_by) == administered
    assert seen(people, Invitation) == administered


def slugs_of(people, studies):
    """The studies that a query finds for each person."""
    found = {who: "".join(sorted(studies(one).values_list("slug", flat=True))) for who, one in people.items()}
    return {who: slugs for who, slugs in found.items() if slugs}


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (Dataset, "slug"),
        (System, "dataset__slug"),
        (PairwiseVote, "dataset__slug"),
        (PredictedAnnotations, "dataset__slug"),
    ],
)
def test_datasets_and_what_they_hold_are_for_who_researches_them_and_who_brought_them(people, model, name):
    everything = dict.fromkeys([*OPERATORS, "answering operator"], "ab")
    assert (
        seen(people, model, name) == {"researcher": "a", "admin": "a", "admin of b": "b", "importer": "a"} | everything
    )


def test_human_shares_are_kept_from_who_answers_them_now_and_from_nobody_who_once_did(people):
    add_member(study=Study.objects.get(slug="b"), user=people["once answering operator"], role=Role.EXPERT)
    shared = {"researcher": "data-a", "admin": "data-a", "admin of b": "data-b", "importer": "data-a"}
    shared |= {"operator": "data-adata-b", "answering operator": "data-b", "once answering operator": "data-a"}
    assert slugs_of(people, lambda one: Dataset.objects.visible_to(one).unblinded_for(one)) == shared


def test_a_dataset_that_one_researches_twice_is_one(people):
    again = make_study(dataset=Dataset.objects.get(slug="data-a"), slug="again")
    add_member(study=again, user=people["researcher"], role=Role.ADMIN)
    assert Dataset.objects.visible_to(people["researcher"]).count() == 1


def test_reports_and_the_log_are_for_who_sees_the_sources(people):
    assert seen(people, Report, "assignment__study__slug") == SOURCES
    assert seen(people, Event) == SOURCES


def test_files_about_a_study_are_for_who_sees_the_sources(people):
    for study in Study.objects.all():
        StudyDocument.objects.create(study=study, kind=DocumentKind.REPORT_PDF)
        ExportJob.objects.create(study=study, format="csv")
    assert seen(people, StudyDocument) == SOURCES
    assert seen(people, ExportJob) == SOURCES


def test_mails_are_for_who_administers_their_study_and_those_of_no_study_for_operators(people):
    tomorrow = timezone.now() + timedelta(days=1)
    arriving = Invitation.objects.create(email="arriving@example.org", digest=uuid.uuid4().hex, expires_at=tomorrow)
    Letter.objects.create(invitation=arriving)
    for study in Study.objects.all():
        Letter.objects.create(study=study, invitation=study.invitations.get())
        Letter.objects.create(study=study, member=study.memberships.first())
    found = {who: sorted(map(reader_of, Letter.objects.visible_to(one))) for who, one in people.items()}
    of_a, of_b = (["invited a", "member a"], ["invited b", "member b"])
    allowed = {"admin": of_a, "admin of b": of_b, "answering operator": ["arriving", *of_b]}
    allowed |= dict.fromkeys(OPERATORS, sorted(["arriving", *of_a, *of_b]))
    assert {who: mails for who, mails in found.items() if mails} == allowed


def reader_of(letter):
    """Whom a mail is for, and of which study they are."""
    if letter.study is None:
        return "arriving"
    return f"{'invited' if letter.invitation else 'member'} {letter.study.slug}"


def test_a_report_has_the_verdict_of_its_own_newest_decision(people):
    first, second = Report.objects.order_by("pk")
    assert [one.verdict for one in Report.objects.with_verdict()] == ["", ""]
    for revision, (report, verdict) in enumerate([(first, "confirmed"), (first, "dismissed"), (second, "confirmed")]):
        ReportDecision.objects.create(report=report, revision=revision + 1, verdict=verdict, decided_at=timezone.now())
    found = {one.pk: one.verdict for one in Report.objects.with_verdict()}
    assert found == {first.pk: "dismissed", second.pk: "confirmed"}


def test_what_no_study_says_in_the_log_is_for_operators(people):
    events.record(EventKind.IMPORTED)
    answering = {"answering operator", *OPERATORS}
    assert {
        who for who, one in people.items() if Event.objects.visible_to(one).filter(study=None).exists()
    } == answering


def test_an_expert_sees_what_they_have_in_hand_or_answered_and_nobody_elses(people):
    mine, other = (
        Assignment.objects.filter(study__slug=slug, place=0).order_by("comparison__position") for slug in "ab"
    )
    given, released, of_former = mine[:3]
    give(given, people["expert"])
    give(released, people["expert"], released_at=timezone.now())
    give(of_former, people["former expert"])
    give(other[0], people["expert of b"])
    visible = {who: list(Assignment.objects.visible_to(one)) for who, one in people.items()}
    assert {who: rows for who, rows in visible.items() if rows} == {"expert": [given], "expert of b": [other[0]]}


def give(assignment, person, **fields):
    expert = Membership.objects.get(user=person)
    Assignment.objects.filter(pk=assignment.pk).update(
        expert=expert, position=assignment.pk, claimed_at=timezone.now(), **fields
    )


def test_tokens_are_for_their_person_and_imports_for_who_started_them_and_operators(people):
    for who in ("admin", "importer", "operator"):
        ApiToken.objects.create(user=people[who], expiry=timedelta(days=1), name="script")
        ImportJob.objects.create(owner=people[who], kind="dataset", dataset_slug=who)
    operators = {who: "admin importer operator" for who in people if "operator" in who}
    own = {who: who for who in ("admin", "importer", "operator")}
    assert rows(people, ApiToken, "user__email") == own
    assert rows(people, ImportJob, "owner__email") == own | operators


def rows(people, model, name):
    visible = {who: sorted(model.objects.visible_to(one).values_list(name, flat=True)) for who, one in people.items()}
    return {who: " ".join(names).replace("@example.org", "") for who, names in visible.items() if names}


def test_places_are_free_waiting_taken_or_completed(people):
    """Given up, withdrawn and unanswered ones are none of these; what was answered before stays."""
    free, withdrawn, in_hand, answered, answered_then_withdrawn, given_up = Assignment.objects.filter(
        study__slug="a", place=0
    ).order_by("comparison__position")[:6]
    for one in (in_hand, answered, answered_then_withdrawn, given_up):
        give(one, people["expert"])
    for one in (answered, answered_then_withdrawn):
        complete(Assignment.objects.get(pk=one.pk))
    now = timezone.now()
    Assignment.objects.filter(pk=given_up.pk).update(released_at=now)
    gone = [withdrawn.instance_id, answered_then_withdrawn.instance_id]
    Instance.objects.filter(pk__in=gone).update(withdrawn_at=now)
    named = [free, withdrawn, in_hand, answered, answered_then_withdrawn, given_up]
    asked = Assignment.objects.filter(pk__in=[one.pk for one in named])
    assert (set(asked.free()), set(asked.waiting())) == ({free}, set())
    Comparison.objects.update(is_paused=True)
    assert (set(asked.free()), set(asked.waiting())) == (set(), {free})
    assert set(asked.taken()) == {in_hand, answered, answered_then_withdrawn}
    assert set(asked.completed()) == {answered, answered_then_withdrawn}
    Assignment.objects.filter(pk=answered.pk).update(released_at=now)
    assert set(asked.taken()) == {in_hand, answered_then_withdrawn}
    assert set(asked.completed()) == {answered_then_withdrawn}


def test_an_unsettled_invitation_is_neither_used_nor_revoked(people):
    waiting, revoked = Invitation.objects.order_by("pk")
    assert set(Invitation.objects.unsettled()) == {waiting, revoked}
    Invitation.objects.filter(pk=revoked.pk).update(revoked_at=timezone.now())
    assert list(Invitation.objects.unsettled()) == [waiting]
    Invitation.objects.filter(pk=waiting.pk).update(used_at=timezone.now(), user=people["expert"])
    assert list(Invitation.objects.unsettled()) == []


def test_a_token_works_until_it_is_revoked_or_has_run_out(people):
    works, revoked, _ = (
        ApiToken.objects.create(user=people["admin"], expiry=timedelta(hours=hours), name=name)[0]
        for name, hours in (("works", 3), ("revoked", 3), ("run out", 1))
    )
    ApiToken.objects.filter(pk=revoked.pk).update(revoked_at=timezone.now())
    later = timezone.now() + timedelta(hours=2)
    assert [token.pk for token in ApiToken.objects.working(later)] == [works.pk]


def test_an_operator_who_researches_a_study_sees_its_sources(people):
    add_member(study=Study.objects.get(slug="a"), user=people["operator"], role=Role.RESEARCHER)
    assert {study.slug for study in Study.objects.unblinded_for(people["operator"])} == {"a", "b"}


def test_experts_are_the_members_who_answer(people):
    experts = {"expert", "former expert", "answering operator", "once answering operator", "expert of b"}
    assert {member.user_id for member in Membership.objects.experts()} == {people[who].pk for who in experts}


def test_who_answered_counts_as_answering_whatever_their_role_is_now(people):
    give(Assignment.objects.filter(study__slug="a").first(), people["former expert"])
    give(Assignment.objects.filter(study__slug="b").first(), people["expert of b"])
    for who in ("former expert", "expert of b", "expert"):
        Membership.objects.filter(user=people[who]).update(role=Role.RESEARCHER)
    answering = {"former expert", "expert of b", "answering operator", "once answering operator"}
    assert {member.user_id for member in Membership.objects.answering()} == {people[who].pk for who in answering}
