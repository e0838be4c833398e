"""The links by which people arrive. A token is 256 random bits; the server keeps only its SHA-256.

The token stands behind a `#`. Browsers never send that part of an address, so it reaches no access log, no proxy and no
`Referer`; the page reads it, takes it out of the address bar and sends it in the body of a POST.
"""

import hashlib
import secrets

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotations.languages import of_study
from annotations.models import Invitation, LinkPurpose

PAGE = "/invitation"


def new_token() -> str:
    """43 characters that nobody can guess."""
    return secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """What is stored of a token, and looked for.

    >>> digest_of("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(token.encode()).hexdigest()


def address_of(token: str) -> str:
    """The whole link."""
    return f"{settings.PUBLIC_URL}{PAGE}#{token}"


def letter(invitation: Invitation, token: str) -> tuple[str, str]:
    """Subject and text of a message for the admin to send, in the study's language: this server sends no mail."""
    study = invitation.study
    if study is None:
        return _letter_of_installation(invitation, token)
    with override(of_study(study)[0]):
        access = invitation.purpose == LinkPurpose.ACCESS
        subject = _("New access: {study}") if access else _("Invitation: {study}")
        lines = (
            _("Hello,"),
            _("with this link you can choose a new password for the study “{study}”:")
            if access
            else _("you are invited to take part in the study “{study}”. Read what it is about, and begin, here:"),
            "{link}",
            _("The link is meant for you ({email}), works once, and ends on {date}. Please do not pass it on."),
        )
        told = {
            "study": study.title,
            "link": address_of(token),
            "email": invitation.email,
            "date": date_format(invitation.expires_at, "DATE_FORMAT"),
        }
        return subject.format(**told), "\n\n".join(lines).format(**told)


def _letter_of_installation(invitation: Invitation, token: str) -> tuple[str, str]:
    """To researchers, whose pages are in English."""
    lines = (
        "Hello,",
        "you are invited to use HLV Study. Choose a password, and begin, here:",
        address_of(token),
        f"The link is meant for you ({invitation.email}), works once, and ends on "
        f"{date_format(invitation.expires_at, 'DATE_FORMAT')}. Please do not pass it on.",
    )
    return "Invitation: HLV Study", "\n\n".join(lines)
