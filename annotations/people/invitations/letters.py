"""Mail invitations and reminders, if the server can: by a worker, once what they refer to is stored.

People who have not accepted, have not begun, or have stopped halfway are reminded at most once a day.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPAuthenticationError, SMTPConnectError, SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.background import jobs
from annotations.background.executors import executes
from annotations.ground.errors import Conflict, HLVError
from annotations.ground.progress import Progress
from annotations.history import events
from annotations.models import (
    EventKind,
    FurtherLink,
    Invitation,
    InvitationState,
    Letter,
    LinkPurpose,
    Membership,
    Study,
    User,
)
from annotations.people.invitations.links import digest_of, letter, nudge, random_token

ONE_DAY = timedelta(days=1)
NO_MAIL = {"console", "dummy", "locmem"}
"""Django's backends that send nothing."""


class MailFailed(HLVError):
    """The mail server did not accept a mail."""

    status = 503


def sends_mail() -> bool:
    """Whether mail leaves this machine: a backend is set that sends."""
    return settings.EMAIL_BACKEND.split(".")[-2] not in NO_MAIL


def post(
    *,
    study: Study | None,
    invitations: Iterable[Invitation] = (),
    members: Iterable[Membership] = (),
    is_reminder: bool = False,
    actor: User | None = None,
) -> int:
    """Mail these people once the transaction is committed; returns how many, or None if the server sends no mail."""
    if not sends_mail():
        return 0
    about: dict[str, Any] = {"study": study, "is_reminder": is_reminder, "owner": actor}
    letters = [Letter(invitation=invitation, **about) for invitation in invitations]
    letters += [Letter(member=member, **about) for member in members]
    Letter.objects.bulk_create(letters)
    for first in letters[:1]:
        jobs.enqueue(first)  # the worker continues with the others by itself
    return len(letters)


def further_link(invitation: Invitation) -> str:
    """The token of another link for an invitation. It works the same, and ends with it."""
    token = random_token(invitation.email)
    FurtherLink.objects.create(invitation=invitation, digest=digest_of(token))
    return token


@executes(Letter)
def send(job: Letter, _progress: Progress) -> Mapping[str, Any]:
    """Write the mail and hand it to the mail server, unless it is no longer needed."""
    invitation, member = job.invitation, job.member
    if invitation is not None:
        if invitation.state() != InvitationState.WAITING:
            return {}
        address = invitation.email
        subject, text = letter(invitation, further_link(invitation), is_reminder=job.is_reminder)
    elif member is not None and member.is_active and member.user.is_active:
        address, (subject, text) = member.user.email, nudge(member)
    else:
        return {}
    try:
        send_mail(address, subject, text)
    except MailFailed as error:
        about = {"invitation": str(invitation.pk)} if invitation else {"member": member.number if member else None}
        events.record(EventKind.MAIL_FAILED, actor=job.owner, study=job.study, **error.data, **about)
        raise
    return {}


def send_mail(address: str, subject: str, text: str) -> None:
    """Hand a mail to the mail server. Raises MailFailed."""
    headers = {"Auto-Submitted": "auto-generated"}
    try:
        EmailMessage(" ".join(subject.split()), text, settings.DEFAULT_FROM_EMAIL, [address], headers=headers).send()
    except (OSError, ValueError) as error:  # what the backends raise; smtplib's are OSErrors
        # The server's own words may contain the address, so they are not kept.
        raise MailFailed(_why_not_sent(error), why=type(error).__name__) from None


def _why_not_sent(error: Exception) -> str:
    if isinstance(error, SMTPRecipientsRefused):
        return _("The mail server does not know this address or rejects it.")
    if isinstance(error, SMTPAuthenticationError):
        return _("The mail server rejects the user name or password in EMAIL_URL.")
    if isinstance(error, SMTPConnectError | SMTPServerDisconnected | ConnectionError | TimeoutError):
        return _("The mail server cannot be reached.")
    return _("The e-mail could not be sent ({name}).").format(name=type(error).__name__)


class NobodyToRemind(Conflict):
    """Nobody can answer at the moment."""

    code = "not_collecting"


@dataclass(frozen=True, slots=True)
class Reminder:
    """One person and their message, for the admin to send; empty if the server sends it."""

    email: str
    number: int | None
    subject: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Reminded:
    """Who was reminded, and who had been reminded recently."""

    reminders: list[Reminder]
    lately: list[Reminder]
    is_mailed: bool


@transaction.atomic
def remind_invited(*, study: Study, actor: User | None = None) -> Reminded:
    """Remind everyone with an open invitation.

    With a mail server each gets a mail; otherwise the messages are returned, to be sent by hand. Each invitation gets
    another link, since links are not stored, and enough time to use it; its earlier links still work.
    """
    study, now = _locked(study), timezone.now()
    waiting = study.invitations.unsettled().filter(purpose=LinkPurpose.JOIN, expires_at__gt=now).order_by("email")
    invitations = list(waiting.select_related("study", "created_by"))
    due = [invitation for invitation in invitations if _is_due(invitation.reminded_at, now)]
    least = now + timedelta(days=settings.INVITATION_DAYS)
    for invitation in due:
        invitation.reminded_at, invitation.expires_at = now, max(invitation.expires_at, least)
    Invitation.objects.bulk_update(due, ["reminded_at", "expires_at"])
    is_mailed = sends_mail()
    post(study=study, invitations=due, is_reminder=True, actor=actor)
    texts = [
        ("", "") if is_mailed else letter(invitation, further_link(invitation), is_reminder=True) for invitation in due
    ]
    reminders = [Reminder(invitation.email, None, *text) for invitation, text in zip(due, texts, strict=True)]
    lately = [Reminder(invitation.email, None) for invitation in invitations if invitation not in due]
    return _noted(Reminded(reminders, lately, is_mailed), "not_accepted", study, actor)


@transaction.atomic
def remind_experts(*, study: Study, numbers: Iterable[int], begun: bool, actor: User | None = None) -> Reminded:
    """Remind the experts with these numbers, who either have begun or have not. Like `remind_invited`.

    Raises:
        NobodyToRemind: the study is not taking answers.
    """
    study, now = _locked(study), timezone.now()
    if not study.accepts_responses:
        raise NobodyToRemind(_("The study is not open, so nobody can answer now. Nobody was reminded."))
    people = study.memberships.experts().filter(number__in=set(numbers), is_active=True, user__is_active=True)
    members = list(people.filter(is_simulated=False).select_related("user", "study"))
    due = [member for member in members if _is_due(member.reminded_at, now)]
    for member in due:
        member.reminded_at = now
    Membership.objects.bulk_update(due, ["reminded_at"])
    is_mailed = sends_mail()
    post(study=study, members=due, is_reminder=True, actor=actor)
    texts = [("", "") if is_mailed else nudge(member, begun=begun) for member in due]
    reminders = [Reminder(member.user.email, member.number, *text) for member, text in zip(due, texts, strict=True)]
    lately = [Reminder(member.user.email, member.number) for member in members if member not in due]
    return _noted(Reminded(reminders, lately, is_mailed), "unfinished" if begun else "not_started", study, actor)


def _locked(study: Study) -> Study:
    """Lock the study, so that two admins reminding at once do not remind the same people."""
    return Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def _noted(reminded: Reminded, who: str, study: Study, actor: User | None) -> Reminded:
    count = len(reminded.reminders)
    if count:
        numbers = [reminder.number for reminder in reminded.reminders if reminder.number is not None]
        about: dict[str, Any] = {"experts": numbers} if numbers else {}
        about |= {"who": who, "people": count, "by_mail": reminded.is_mailed}
        events.record(EventKind.REMINDED, actor=actor, study=study, **about)
    return reminded


def _is_due(reminded_at: datetime | None, now: datetime) -> bool:
    return reminded_at is None or reminded_at <= now - ONE_DAY
