"""Every lock of the code, and a use case that must wait at it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db.models import Model
from django.utils import timezone

from annotations.answering import assigning, guessing, moderating, past_answers, recording
from annotations.background.waiting import refuse_too_many
from annotations.designing import adjusting, applying, label_names, lifecycle, reassigning, starting
from annotations.importing import deleting
from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    PredictionTable,
    Segment,
    SystemTable,
)
from annotations.importing.responses.restoring import restore_study
from annotations.importing.responses.study_records import StudyRecord, StudyResponses
from annotations.importing.writing.datasets import write_dataset
from annotations.importing.writing.predictions import write_predictions
from annotations.models import (
    ApiToken,
    Assignment,
    Dataset,
    GuessedSide,
    ImportJob,
    Instance,
    Invitation,
    Membership,
    Role,
    SecondFactor,
    Session,
    Study,
    StudyState,
    User,
)
from annotations.people import accounts
from annotations.people.access import roles, tokens
from annotations.people.invitations import arrivals, declarations, inviting, letters
from annotations.people.membership import leaving, members
from annotations.people.membership.addresses import read_addresses
from annotations.people.sign_in import second_factor, sessions
from annotations.simulating.demo.loading import open_study
from annotations.simulating.responses import Answer, add_simulated_experts, store_answers
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.planning import set_plan
from metaeval.jobs.runs import retry_run
from metaeval.jobs.sharding import Loop, SharedWork
from tests.locks.world import World, invited

PASSWORD = "violets and rain 17"
Act = Callable[[World], object]
Rows = Callable[[World], Sequence[Model]]


@dataclass(frozen=True)
class Case:
    """While the rows are held, the act waits at the lock that the function takes of that model."""

    function: str
    model: type[Model]
    rows: Rows
    act: Act
    firmly: bool = False


def next_of(number: int) -> Act:
    return lambda w: assigning.next_assignment(user=w.experts[number].user, slug=w.study.slug)


def labels(w: World) -> object:
    return recording.submit_labels(**w.sent, labels=[0])


def preference(w: World) -> object:
    return recording.submit_preference(**w.sent, a_chosen=True, b_chosen=False, certainty=0.5)


def correction(w: World) -> object:
    return past_answers.store_correction(**w.sent, a_chosen=True, b_chosen=False, certainty=0.5)


def guess(w: World) -> object:
    return guessing.store_guess(**w.sent, side=GuessedSide.A)


def report(w: World) -> object:
    return recording.submit_report(**w.sent, reason="other", skip=True)


def give(w: World) -> object:
    comparisons = list(w.study.comparisons.filter(pk=w.free[0].comparison_id))
    return applying.assign_named(study=w.study, expert=w.experts[4], comparisons=comparisons)


def simulated(w: World) -> object:
    now = timezone.now()
    answer = Answer(
        assignment=w.mine[0].pk,
        begun_at=now,
        labels=(0,),
        labels_ms=1,
        labels_at=now,
        a_chosen=True,
        b_chosen=False,
        certainty=0.5,
        preference_ms=1,
        completed_at=now,
    )
    return store_answers(study=w.study, answers=[answer])


def demo_again(w: World) -> object:
    return open_study(dataset=w.dataset, people={}, slug=w.demo.slug, title="", instructions="")


def dataset_again(w: World) -> object:
    said = AnnotationTable.from_rows([AnnotationRow(0, (0,), "p")])
    instances = [InstanceRow("i", (Segment("", "t"),))]
    table = DatasetTable(labels=LabelSet(("a", "b"), "multiclass"), instances=instances, annotations=said)
    return write_dataset(table=table, slug=w.dataset.slug, title="")


def system_added(w: World) -> object:
    table = PredictionTable((SystemTable("Another", w.dataset.systems.first().predictions),))
    return write_predictions(dataset=w.dataset, table=table)


def restored(w: World) -> object:
    nothing = StudyResponses(StudyRecord(study={}, experts=[]), [], [], "")
    return restore_study(responses=nothing, dataset=w.dataset, slug=w.study.slug)


def share_out(w: World) -> None:
    Loop(SharedWork(w.running, lambda *_: None), w.running, {}).share_out()


def renewed(w: World) -> object:
    return arrivals.accept(token=w.renewal.token, password=PASSWORD)


def robbed(w: World) -> object:
    user = w.renewal.invitation.user
    assert user is not None
    return accounts.end_break_in(user=user, password=PASSWORD)


def accepted(w: World) -> object:
    return arrivals.accept(token=w.newcomer.token, password=PASSWORD)


def revoked(w: World) -> object:
    return inviting.revoke(invitation=w.invitation.invitation)


def added(w: World) -> object:
    return members.add_accounts(study=w.study, addresses=read_addresses("known@example.org"), role=Role.EXPERT)


def asked_about(w: World) -> object:
    return declarations.answer_questions(user=w.experts[0].user, slug=w.study.slug, answers={})


def came_back(w: World) -> object:
    """The second expert had left with their answer, and comes back."""
    at = timezone.now()
    Membership.objects.filter(pk=w.experts[1].pk).update(is_active=False, left_at=at, answers_left_out=True)
    Assignment.objects.filter(pk=w.mine[1].pk).update(released_at=at)
    return leaving.come_back(member=w.experts[1])


def joined(w: World) -> object:
    return lifecycle.add_member(study=w.study, user=User.objects.get(email="known@example.org"), role=Role.EXPERT)


def taken_back(w: World) -> object:
    return reassigning.take_back(study=w.study, assignments=[w.mine[0].pk])


def undone(w: World) -> object:
    return reassigning.undo(study=w.study, event=w.given.pk)


def import_undone(w: World) -> object:
    return deleting.undo_import(job=w.job, actor=w.experts[0].user)


def invited_here(w: World) -> object:
    rights = inviting.Rights(True, False, False)
    return inviting.invite_here(addresses=read_addresses("here@example.org"), rights=rights)


def paused(w: World) -> object:
    return adjusting.pause_system(study=w.study, system=w.free[0].comparison.second_system.name)


STUDY: tuple[type[Model], Rows] = (Study, lambda w: [w.study])
DRAFT: tuple[type[Model], Rows] = (Study, lambda w: [w.draft])
DATASET: tuple[type[Model], Rows] = (Dataset, lambda w: [w.dataset])
IN_HAND: tuple[type[Model], Rows] = (Assignment, lambda w: w.mine[:1])
FREE: tuple[type[Model], Rows] = (Assignment, lambda w: w.free)
TEXT: tuple[type[Model], Rows] = (Instance, lambda w: [w.mine[2].instance])
TOKEN: tuple[type[Model], Rows] = (ApiToken, lambda w: [w.token.row])
EXPERT: tuple[type[Model], Rows] = (Membership, lambda w: w.experts[:1])

ANSWERING = [
    *(Case("answering.recording.lock_own", *IN_HAND, act) for act in (labels, preference, correction, guess)),
    *(Case("answering.experts.expert_of", *EXPERT, act) for act in (labels, preference, correction, guess, report)),
    Case("answering.experts.expert_of", *EXPERT, next_of(0)),
    Case("answering.assigning.lock_place", *FREE, next_of(3)),
    Case("answering.assigning._begin", Assignment, lambda w: list(w.experts[4].assignments.all()), next_of(4)),
    Case(
        "answering.moderating.confirm", Assignment, lambda w: w.mine[2:], lambda w: moderating.confirm(report=w.report)
    ),
    *(
        Case("answering.moderating._lock", *rows, lambda w: moderating.dismiss(report=w.report), firmly=True)
        for rows in (STUDY, TEXT)
    ),
]
DESIGNING = [
    Case(
        "designing.lifecycle.change_state",
        *STUDY,
        lambda w: lifecycle.change_state(study=w.study, to=StudyState.PAUSED),
        firmly=True,
    ),
    Case("designing.lifecycle.add_member", *STUDY, joined),
    Case("designing.adjusting.pause_system", *FREE, paused),
    Case("designing.starting.change_settings", *DRAFT, lambda w: starting.change_settings(study=w.draft, seed=9)),
    Case("designing.lifecycle._lock", *STUDY, lambda w: lifecycle.archive(study=w.study)),
    Case("designing.applying.apply_plan", *DRAFT, lambda w: applying.apply_plan(study=w.draft)),
    Case("designing.applying._lock_for_giving", *STUDY, give, firmly=True),
    Case("designing.applying._lock_experts", Membership, lambda w: w.experts[4:], give),
    Case("designing.applying._lock_free", *FREE, give),
    Case(
        "designing.label_names.rename_dataset",
        *DATASET,
        lambda w: label_names.rename_dataset(dataset=w.dataset, title="x", actor=w.experts[0].user),
    ),
    Case(
        "designing.label_names.show_label_as",
        *DATASET,
        lambda w: label_names.show_label_as(dataset=w.dataset, position=0, display_name="x", actor=w.experts[0].user),
    ),
    Case(
        "designing.label_names.find_labels_by",
        *DATASET,
        lambda w: label_names.find_labels_by(dataset=w.dataset, words={0: ["x"]}),
    ),
    Case("designing.lifecycle.renew_places", *IN_HAND, lambda w: lifecycle.renew_places(w.study)),
    Case("designing.lifecycle.renew_places", *EXPERT, lambda w: lifecycle.renew_places(w.study)),
    *(Case("designing.reassigning._lock_held", *rows, taken_back) for rows in (EXPERT, IN_HAND)),
    Case("designing.reassigning.undo", Membership, lambda w: w.experts[4:], undone),
    Case("designing.reassigning.undo", Assignment, lambda w: list(w.experts[4].assignments.all()), undone),
]
SIMULATING = [
    Case("simulating.responses.add_simulated_experts", *STUDY, lambda w: add_simulated_experts(study=w.study, count=0)),
    *(Case("simulating.responses.store_answers", *rows, simulated) for rows in (STUDY, EXPERT, IN_HAND)),
    Case("simulating.demo.loading.open_study", Study, lambda w: [w.demo], demo_again),
]
IMPORTING = [
    Case("importing.writing.datasets.write_dataset", *DATASET, dataset_again),
    Case("importing.writing.predictions.write_predictions", *DATASET, system_added),
    Case("importing.responses.restoring.restore_study", *DATASET, restored),
    Case(
        "importing.deleting.delete_dataset",
        *DATASET,
        lambda w: deleting.delete_dataset(dataset=w.dataset, actor=w.experts[0].user),
    ),
    Case(
        "importing.deleting.delete_predictions",
        *DATASET,
        lambda w: deleting.delete_predictions(dataset=w.dataset, name="x", actor=w.experts[0].user),
    ),
    Case("importing.deleting.undo_import", ImportJob, lambda w: [w.job], import_undone),
    Case("importing.deleting.undo_import", *DATASET, import_undone),
]
PEOPLE = [
    Case(
        "people.access.tokens.make",
        User,
        lambda w: [w.experts[0].user],
        lambda w: tokens.make(user=w.experts[0].user, name="x"),
    ),
    Case("people.access.tokens.revoke", *TOKEN, lambda w: tokens.revoke(token=w.token.row)),
    Case("people.access.tokens.revoke_all", *TOKEN, lambda w: tokens.revoke_all(user=w.experts[4].user)),
    Case("people.invitations.arrivals._lock", *STUDY, renewed),
    Case("people.invitations.arrivals._lock", Invitation, lambda w: [w.renewal.invitation], renewed),
    *(
        Case("people.accounts._end_links", *rows, robbed)
        for rows in (STUDY, (Invitation, lambda w: [w.renewal.invitation]))
    ),
    Case(
        "people.invitations.arrivals._account", User, lambda w: [User.objects.get(email="known@example.org")], accepted
    ),
    Case("people.invitations.inviting.invite", *STUDY, lambda w: invited(w.study, "new@example.org")),
    Case("people.invitations.inviting.invite_here", Invitation, lambda w: [w.arrival.invitation], invited_here),
    Case(
        "people.access.roles.locked",
        User,
        lambda w: [w.experts[0].user],
        lambda w: roles.close_account(user=w.experts[0].user),
    ),
    *(
        Case(
            "people.membership.leaving.hold", *rows, lambda w: leaving.leave(member=w.experts[0]), firmly=rows is STUDY
        )
        for rows in (STUDY, EXPERT)
    ),
    Case("people.membership.leaving.free_untouched", *IN_HAND, lambda w: leaving.leave(member=w.experts[0])),
    Case("people.membership.leaving._restore", Assignment, lambda w: w.mine[1:2], came_back),
    Case("people.membership.leaving._fresh_places", *FREE, came_back),
    Case("people.membership.members.add_accounts", *STUDY, added),
    Case(
        "background.waiting.refuse_too_many",
        User,
        lambda w: [w.experts[0].user],
        lambda w: refuse_too_many(AnalysisRun, w.experts[0].user),
        firmly=True,
    ),
    Case(
        "history.looks.hold_person", User, lambda w: [User.objects.get(email="known@example.org")], joined, firmly=True
    ),
    Case("people.invitations.declarations.answer_questions", *EXPERT, asked_about),
    Case("people.invitations.inviting.renew_access", *STUDY, lambda w: inviting.renew_access(member=w.experts[2])),
    Case("people.invitations.inviting._lock", *STUDY, revoked),
    Case(
        "people.invitations.letters._locked",
        *STUDY,
        lambda w: letters.remind_invited(study=w.study),
        firmly=True,
    ),
    Case("people.invitations.inviting._lock", Invitation, lambda w: [w.invitation.invitation], revoked),
    Case(
        "people.sign_in.second_factor.hold",
        User,
        lambda w: [w.experts[0].user],
        lambda w: second_factor.begin(user=w.experts[0].user),
    ),
    Case(
        "people.sign_in.second_factor._locked",
        SecondFactor,
        lambda w: [w.experts[4].user.second_factor],
        lambda w: second_factor.turn_off(user=w.experts[4].user),
    ),
    Case(
        "people.sign_in.sessions.take",
        Session,
        lambda w: [Session.objects.get()],
        lambda w: sessions.take(w.session, "asked"),
    ),
]
JUDGING = [
    Case("jobs.sharding.Loop.share_out", AnalysisRun, lambda w: [w.running], share_out),
    Case("jobs.runs.retry_run", AnalysisRun, lambda w: [w.failed], lambda w: retry_run(run=w.failed)),
    Case(
        "jobs.models.AnalysisRun.save",
        Study,
        lambda w: [w.study],
        lambda w: AnalysisRun.objects.create(study=w.study, analysis="power", seed=1),
        firmly=True,
    ),
    Case("jobs.planning.set_plan", *DRAFT, lambda w: set_plan(study=w.draft, planned=[])),
]
CASES = [*ANSWERING, *DESIGNING, *SIMULATING, *IMPORTING, *PEOPLE, *JUDGING]
