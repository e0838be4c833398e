"""Move a study between its states, `draft -> pilot -> open <-> paused -> closed`, and say what that fixes; add members;
archive a study, and delete one that nobody has answered. What experts contributed must remain verifiable, so answers
are never deleted with their study.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef
from django.dispatch import Signal
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from annotations.designing.averaging import compared_names, discard_means
from annotations.designing.instrument import keep_version
from annotations.designing.keys import key_of, phase_of
from annotations.designing.pairing import BATCH, mark_identical
from annotations.ground.display_rule import DisplayRule
from annotations.ground.errors import Conflict
from annotations.history import events
from annotations.history.looks import admit
from annotations.models import Assignment, EventKind, LabelResponse, Membership, Report, Role, Study, StudyState, User
from annotations.models.comparisons import in_plan, of_main
from annotations.shown.plurals import filled, in_percent, with_commas

# A draft may open without a pilot; a closed study stays closed, because its result may be published.
TRANSITIONS: dict[StudyState, set[StudyState]] = {
    StudyState.DRAFT: {StudyState.PILOT, StudyState.OPEN},
    StudyState.PILOT: {StudyState.OPEN, StudyState.PAUSED, StudyState.CLOSED},
    StudyState.OPEN: {StudyState.PAUSED, StudyState.CLOSED},
    StudyState.PAUSED: {StudyState.OPEN, StudyState.CLOSED},
    StudyState.CLOSED: set(),
}

study_opens = Signal()
"""Sent with `study` and `actor` in the transaction that first opens a study; an error stops the opening."""


class WrongTransition(Conflict):
    """The study cannot move from its current state to the requested one."""


class StudyArchived(Conflict):
    """The study is archived, so nothing in it can change."""


class AlreadyMember(Conflict):
    """The person has another role in the study: with more than one role per person the blinding would be lost."""


class StudyHasAnswers(Conflict):
    """Answers are kept, so the study cannot be deleted."""


def _refusal(before: StudyState, possible: Iterable[StudyState]) -> str:
    names = {
        StudyState.DRAFT: pgettext("state of a study", "Draft"),
        StudyState.PILOT: pgettext("state of a study", "Pilot"),
        StudyState.OPEN: pgettext("state of a study", "Open"),
        StudyState.PAUSED: pgettext("state of a study", "Paused"),
        StudyState.CLOSED: pgettext("state of a study", "Closed"),
    }
    then = [names[state] for state in StudyState if state in possible]
    if not then:
        return filled(_("The study's state is “{before}”, which is final."), before=names[before])
    return filled(
        _("The study's state is “{before}”. From there it can only become: {states}."),
        before=names[before],
        states=with_commas(then),
    )


@transaction.atomic
def change_state(*, study: Study, to: StudyState, actor: User | None = None) -> Study:
    """Move the study to the state `to`. A pilot or an open study needs a plan: without comparisons there is nothing to
    ask.

    When a phase begins, the key for its sides is made and its SHA-256 logged before anything is drawn with it.
    """
    # Not the key: skipping a text creates a place, which refers to the study, while its own place is locked.
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    before = StudyState(study.state)
    if to == before:
        return study
    if study.archived_at is not None:
        raise StudyArchived(_("The study is archived. Restore it from the archive first."))
    if to not in TRANSITIONS[before]:
        raise WrongTransition(_refusal(before, TRANSITIONS[before]), state=before, to=to)
    if to in {StudyState.PILOT, StudyState.OPEN} and not study.comparisons.exists():
        raise WrongTransition(_("The study has no comparisons yet. Create its plan first."), state=before, to=to)
    if before == StudyState.DRAFT and study.comparisons.filter(identical=None).exists():
        mark_identical(study)  # planned before this was recorded, and not seen by anybody yet
    renewed = renew_places(study) if to == StudyState.OPEN and before != StudyState.DRAFT else 0
    study.state = to
    opens = to == StudyState.OPEN and study.opened_at is None
    if opens:
        study.opened_at = timezone.now()
    if to == StudyState.CLOSED:
        study.closed_at = timezone.now()
    study.save(update_fields=["state", "opened_at", "closed_at"])
    details: dict[str, Any] = {"before": before, "after": to} | ({"fresh_places": renewed} if renewed else {})
    events.record(EventKind.STATE_CHANGED, actor=actor, study=study, **details)
    if study.accepts_responses:
        key_of(study=study, phase=phase_of(study), actor=actor)
        keep_version(study)
    if opens:
        study_opens.send(sender=Study, study=study, actor=actor)
    return study


def renew_places(study: Study) -> int:
    """Make a fresh place for each one used up by the pilot; the caller holds the study's lock.

    Anything shown so far was shown in the pilot. Places only claimed, or given by name, become the main study's.
    Repeating it changes nothing. Returns how many places were made.
    """
    # Wait for anyone who is just answering: whatever they are shown afterwards belongs to the main study.
    taken = study.assignments.filter(expert__isnull=False, released_at=None, repeat_of=None)
    # The experts first, as everywhere: their tallies change with their places.
    holders = study.memberships.filter(Exists(taken.filter(expert=OuterRef("pk"))))
    list(holders.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    list(taken.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    if study.opened_at is None:
        taken.filter(comparison_shown_at=None, is_pilot=True).update(is_pilot=False)
        taken.filter(comparison_shown_at__isnull=False, is_pilot=False).update(is_pilot=True)
    same = Assignment.objects.filter(
        comparison=OuterRef("comparison"), place=OuterRef("place"), released_at=None, is_pilot=False
    )
    gone = taken.filter(~Exists(same), is_pilot=True).order_by("comparison", "place")
    fresh = [
        Assignment(
            study=study,
            comparison_id=place.comparison_id,
            instance_id=place.instance_id,
            place=place.place,
            places=place.places,
        )
        for place in gone
    ]
    Assignment.objects.bulk_create(fresh, batch_size=BATCH)
    return len(fresh)


@transaction.atomic
def add_member(
    *,
    study: Study,
    user: User,
    role: Role,
    is_simulated: bool = False,
    is_pending: bool = False,
    actor: User | None = None,
) -> Membership:
    """Give a person a role in the study. Repeating it changes nothing; a different role is refused.

    `is_pending`: they have yet to accept it.

    Raises:
        AlreadyMember; KnowsTheSides, AnswersTheseTexts: see `looks.admit`.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    existing = Membership.objects.filter(study=study, user=user).first()
    if existing:
        if existing.role != role:
            raise AlreadyMember(
                _(
                    "{email} already has the role {role} in this study, and a person can have only one role in a study."
                ).format(email=user.email, role=existing.role),
                role=existing.role,
            )
        return existing
    if not is_simulated:
        admit(user=user, study=study, role=role)
    last = study.memberships.aggregate(last=Max("number"))["last"]
    membership = Membership.objects.create(
        study=study,
        user=user,
        role=role,
        number=0 if last is None else last + 1,
        is_simulated=is_simulated,
        is_active=not is_pending,
        is_pending=is_pending,
    )
    if is_simulated and not study.is_simulated:
        Study.objects.filter(pk=study.pk).update(is_simulated=True)
    details: dict[str, Any] = {"pending": True} if is_pending else {}
    events.record(EventKind.MEMBER_ADDED, actor=actor, study=study, number=membership.number, role=role, **details)
    return membership


@dataclass(frozen=True, slots=True)
class Consequences:
    """What one next state brings. `missing` says why the study cannot move there yet and what to do; empty: it can."""

    to: StudyState
    means: str
    fixes: tuple[str, ...] = ()
    afterwards: tuple[str, ...] = ()
    told: str = ""
    missing: str = ""


def consequences(study: Study) -> tuple[Consequences, ...]:
    """The consequences of every state the study can move to, in the usual order of states. Read-only."""
    nexts = TRANSITIONS[StudyState(study.state)]
    order = (StudyState.PILOT, StudyState.OPEN, StudyState.PAUSED, StudyState.CLOSED)
    return tuple(_TOLD[to](study) for to in order if to in nexts)


def _pilot(study: Study) -> Consequences:
    return Consequences(
        to=StudyState.PILOT,
        means=_("Experts can answer. Pilot answers are saved and marked, and analyses exclude them by default."),
        fixes=(*_design(study), _("A separate secret key for the pilot, drawn now, decides which side is A.")),
        afterwards=(
            _("The analysis plan can be changed until the study opens."),
            _(
                "When the study opens, a new place replaces each one used in the pilot. Experts are not asked again "
                "about texts they saw in the pilot, so a long pilot needs more experts later."
            ),
            translation.gettext(_LATER),
        ),
        told=_told(study, translation.gettext(_FIRST_TEXT)),
        missing=_missing(study),
    )


def _open(study: Study) -> Consequences:
    if study.opened_at is not None:
        return Consequences(
            to=StudyState.OPEN,
            means=_("Experts can answer again, each from where they stopped."),
            told=_told(
                study,
                _(
                    "{number, plural, one {The study has # expert, who can continue at the next sign-in.} "
                    "other {The study has # experts, who can continue at the next sign-in.}}"
                ),
            ),
        )
    return Consequences(
        to=StudyState.OPEN,
        means=_("Experts can answer from now on."),
        fixes=(
            *_design(study),
            _(
                "A secret key, drawn now, decides which side is A. Its SHA-256 is recorded in the history. The key "
                "itself is published when the study is closed, so that anyone can check every side."
            ),
            _(
                "The analysis plan is recorded with the time and its SHA-256. "
                "Any analysis outside it counts as exploratory."
            ),
        ),
        afterwards=(translation.gettext(_LATER), _("You can pause the study and open it again.")),
        told=_told(study, translation.gettext(_FIRST_TEXT)),
        missing=_missing(study),
    )


def _paused(study: Study) -> Consequences:
    return Consequences(
        to=StudyState.PAUSED,
        means=_("Experts cannot answer until you open the study again. Nothing is lost."),
        told=_told(
            study,
            _(
                "{number, plural, one {The study has # expert, who will read at the next visit that the study is "
                "paused.} other {The study has # experts, who will read at the next visit that the study is paused.}}"
            ),
        ),
    )


def _closed(study: Study) -> Consequences:
    planned = study.assignments.filter(in_plan(), of_main())
    done, places = planned.filter(completed_at__isnull=False).count(), planned.count()
    return Consequences(
        to=StudyState.CLOSED,
        means=_("No more answers are accepted. A closed study cannot be opened again."),
        fixes=(
            filled(
                _(
                    "The answers: {done, number} of {places, plural, one {# place} other {# places}} have an answer. "
                    "The others stay empty."
                ),
                done=done,
                places=places,
            ),
            _("Experts can no longer change their answers."),
            _("The secret keys that decide the sides: exports include them from then on."),
        ),
        afterwards=(_("You can still run analyses and create exports and reports."),),
        told=_told(
            study,
            _(
                "{number, plural, one {The study has # expert, who will read at the next visit that the study is "
                "closed.} other {The study has # experts, who will read at the next visit that the study is closed.}}"
            ),
        ),
    )


_TOLD = {
    StudyState.PILOT: _pilot,
    StudyState.OPEN: _open,
    StudyState.PAUSED: _paused,
    StudyState.CLOSED: _closed,
}
_FIRST_TEXT = gettext_noop(
    "{number, plural, one {The study has # expert, who will see their first text at the next sign-in.} "
    "other {The study has # experts, who will see their first text at the next sign-in.}}"
)
_LATER = gettext_noop("You can invite more experts, add places to comparisons, and pause a system.")


def _design(study: Study) -> tuple[str, ...]:
    """What can no longer be changed from then on. For a study past its draft this is already fixed."""
    if study.state != StudyState.DRAFT:
        return ()
    counts = study.comparisons.aggregate(comparisons=Count("pk"), texts=Count("instance", distinct=True))
    systems, places = len(compared_names(study)), study.assignments.filter(in_plan()).count()
    plan = filled(
        _(
            "The plan: {comparisons, plural, one {# comparison} other {# comparisons}} of "
            "{systems, plural, one {# system} other {# systems}} on {texts, plural, one {# text} other {# texts}}, "
            "with {places, plural, one {# place} other {# places}} ({experts} for each comparison)."
        ),
        comparisons=counts["comparisons"],
        systems=systems,
        texts=counts["texts"],
        places=places,
        experts=study.experts_per_comparison,
    )
    return (
        _("The title, the instructions, the consent text and both questions, as they are now."),
        *([plan] if counts["comparisons"] else []),
        _("How both sides are drawn: labels above {threshold}, {rounding}.").format(
            threshold=in_percent(study.display_threshold), rounding=_drawn(study)
        ),
    )


def _drawn(study: Study) -> str:
    rule = DisplayRule.of(study)
    if rule.mode == "grid":
        return _("rounded to the shares that are possible with the number of people who judged each text")
    return (
        _("in whole percentages")
        if rule.mode == "exact"
        else _("in steps of {step}").format(step=in_percent(rule.step or 0))
    )


def _told(study: Study, message: str) -> str:
    experts = study.memberships.experts().filter(is_active=True).count()
    if not experts:
        return _("Experts are not notified by e-mail, and the study has no experts yet.")
    return _("Experts are not notified by e-mail.") + " " + filled(message, number=experts)


def _missing(study: Study) -> str:
    return "" if study.comparisons.exists() else _("There is no plan yet. Create the plan first.")


@transaction.atomic
def archive(*, study: Study, actor: User | None = None) -> Study:
    """Archive a study: it assigns no places and takes no answers. Repeating it changes nothing."""
    study = _lock(study)
    if study.archived_at is None:
        study.archived_at = timezone.now()
        study.save(update_fields=["archived_at"])
        events.record(EventKind.ARCHIVED, actor=actor, study=study)
    return study


@transaction.atomic
def unarchive(*, study: Study, actor: User | None = None) -> Study:
    """Take a study out of the archive: it continues in its earlier state. Repeating it changes nothing."""
    study = _lock(study)
    if study.archived_at is not None:
        study.archived_at = None
        study.save(update_fields=["archived_at"])
        events.record(EventKind.UNARCHIVED, actor=actor, study=study)
    return study


@transaction.atomic
def delete_study(*, study: Study, actor: User | None = None) -> None:
    """Delete a study with its plan, its members and its analyses; the log records that it existed.

    Raises:
        StudyHasAnswers: somebody answered, or reported a problem; such a study can be archived.
    """
    study = _lock(study)
    answers = LabelResponse.objects.filter(assignment__study=study, revision=0).count()
    if answers or Report.objects.filter(assignment__study=study).exists():
        raise StudyHasAnswers(
            _(
                "This study has answers, and answers are never deleted, so that results can be "
                "checked. Archive the study instead to remove it from lists."
            ),
            answers=answers,
        )
    events.record(
        EventKind.DELETED,
        actor=actor,
        study=study,
        what="study",
        title=study.title,
        state=study.state,
        comparisons=study.comparisons.count(),
        members=study.memberships.count(),
    )
    study.assignments.filter(repeat_of__isnull=False).delete()
    study.assignments.all().delete()
    study.comparisons.all().delete()
    discard_means(study)
    study.delete()


def _lock(study: Study) -> Study:
    return Study.objects.select_for_update().select_related("dataset").get(pk=study.pk)
