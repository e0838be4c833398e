"""Send invitations and reminders by mail, if the server can: by a worker, once what they refer to is stored."""

from collections.abc import Iterable, Mapping
from smtplib import SMTPAuthenticationError, SMTPConnectError, SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.background import jobs
from annotations.background.executors import executes
from annotations.background.health import sends_mail
from annotations.ground.errors import HLVError
from annotations.ground.progress import Progress
from annotations.history import events
from annotations.models import EventKind, FurtherLink, Invitation, InvitationState, Letter, Membership, Study, User
from annotations.people.invitations.links import digest_of, letter, nudge, random_token


class MailFailed(HLVError):
    """The mail server did not accept a mail."""

    code = "mail_failed"
    status = 503


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
    letters = [Letter(invitation=one, **about) for one in invitations]
    letters += [Letter(member=one, **about) for one in members]
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
        if invitation.state(timezone.now()) != InvitationState.WAITING:
            return {}
        address = invitation.email
        subject, text = letter(invitation, further_link(invitation), is_reminder=job.is_reminder)
    elif member is not None and member.is_active and member.user.is_active:
        address, (subject, text) = member.user.email, nudge(member)
    else:
        return {}
    mail = EmailMessage(
        " ".join(subject.split()),
        text,
        settings.DEFAULT_FROM_EMAIL,
        [address],
        headers={"Auto-Submitted": "auto-generated"},
    )
    try:
        mail.send()
    except (OSError, ValueError) as error:  # what the backends raise; smtplib's are OSErrors
        about = {"invitation": str(invitation.pk)} if invitation else {"member": member.number if member else None}
        events.record(EventKind.MAIL_FAILED, actor=job.owner, study=job.study, why=type(error).__name__, **about)
        # The server's own words may contain the address, so they are not kept.
        raise MailFailed(why_not_sent(error)) from None
    return {}


def why_not_sent(error: Exception) -> str:
    """The reason in a sentence, without the server's own words."""
    if isinstance(error, SMTPRecipientsRefused):
        return _("The mail server does not know this address or rejects it.")
    if isinstance(error, SMTPAuthenticationError):
        return _("The mail server rejects the user name or password in EMAIL_URL.")
    if isinstance(error, SMTPConnectError | SMTPServerDisconnected | ConnectionError | TimeoutError):
        return _("The mail server cannot be reached.")
    return _("The e-mail could not be sent ({name}).").format(name=type(error).__name__)
