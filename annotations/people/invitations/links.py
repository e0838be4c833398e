"""The links by which people arrive. A token is 256 random bits; the server keeps only its SHA-256.

The token comes after a `#`. Browsers never send that part of an address, so it reaches no access log, proxy or
`Referer`; the page reads it, removes it from the address bar and sends it in the body of a POST.
"""

import base64
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotations.models import Invitation, LinkPurpose, Membership
from annotations.shown.languages import of_study
from annotations.shown.plurals import filled

PAGE = "/invitation"

Mint = Callable[[str], str]
"""Makes the token of an address's link."""


@dataclass(frozen=True, slots=True)
class Issued:
    """An invitation and the token of its link. The token is not stored anywhere: show it now or never."""

    invitation: Invitation
    token: str


def random_token(_email: str) -> str:
    """43 unguessable characters."""
    return as_token(secrets.token_bytes(32))


def as_token(secret: bytes) -> str:
    """Bytes in a form that can be part of an address.

    >>> as_token(b"\\xff" * 3)
    '____'
    """
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def digest_of(token: str) -> str:
    """The digest of a token, which is stored and looked up.

    >>> digest_of("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(token.encode()).hexdigest()


def address_of(token: str) -> str:
    """The whole link."""
    return f"{settings.PUBLIC_URL}{PAGE}#{token}"


def letter(invitation: Invitation, token: str, *, is_reminder: bool = False) -> tuple[str, str]:
    """Subject and text of a message with a link, in the study's language."""
    study = invitation.study
    if study is None:
        return _letter_of_installation(invitation, token)
    with override(of_study(study)[0]):
        if invitation.purpose == LinkPurpose.ACCESS:
            subject = _("New access: {study}")
            what = _("With this link you can choose a new password for the study “{study}”:")
        elif is_reminder:
            subject = _("Reminder: {study}")
            what = _(
                "You were invited to take part in the study “{study}” and have not begun yet. You can read what it "
                "is about, and begin, here:"
            )
        else:
            subject = _("Invitation: {study}")
            what = _(
                "You are invited to take part in the study “{study}”. You can read what it is about, and begin, here:"
            )
        meant = _(
            "The link is for you only ({email}). It can be used once and is valid until {date}. Please do not pass "
            "it on."
        )
        told = {
            "study": study.title,
            "link": address_of(token),
            "email": invitation.email,
            "date": date_format(invitation.expires_at, "DATE_FORMAT"),
        }
        lines = (_("Hello,"), what, "{link}", meant)
        return subject.format(**told), "\n\n".join(lines).format(**told)


def nudge(member: Membership, *, begun: bool | None = None) -> tuple[str, str]:
    """Subject and text of a message to an expert who has not begun, or has stopped halfway.

    Args:
        begun: whether they have answered anything; None: look it up.
    """
    study = member.study
    if begun is None:
        begun = member.assignments.filter(completed_at__isnull=False).exists()
    with override(of_study(study)[0]):
        what = (
            _("Thank you for your answers in the study “{study}”. More texts are waiting for you. Continue here:")
            if begun
            else _("You are taking part in the study “{study}” and have not answered a text yet. Begin here:")
        )
        told = {"study": study.title, "link": f"{settings.PUBLIC_URL}/studies/{study.slug}/annotate"}
        text = "\n\n".join((_("Hello,"), what, "{link}"))
        return _("Reminder: {study}").format(**told), text.format(**told)


def _letter_of_installation(invitation: Invitation, token: str) -> tuple[str, str]:
    """To researchers, in the language of whoever invites them."""
    meant = _(
        "The link is for you only ({email}). It can be used once and is valid until {date}. Please do not pass it on."
    )
    lines = (
        _("Hello,"),
        _("You are invited to use HLV Study. Choose a password and begin here:"),
        address_of(token),
        filled(meant, email=invitation.email, date=date_format(invitation.expires_at, "DATE_FORMAT")),
    )
    return _("Invitation: HLV Study"), "\n\n".join(lines)
