"""The links by which people arrive. A token is 256 random bits; the server keeps only its SHA-256.

The token comes after a `#`. Browsers never send that part of an address, so it reaches no access log, proxy or
`Referer`; the page reads it, removes it from the address bar and sends it in the body of a POST.

A request that is sent twice creates its links once and gets the same links both times: the sender gives it a key (the
header `Idempotency-Key`), and the tokens are derived from that key and a secret of this server. Only digests are
stored, so the database alone never gives away a link.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotations.ground.errors import Conflict, HLVError
from annotations.models import Invitation, IssuingRequest, LinkPurpose, Membership, User
from annotations.shown.languages import of_study
from annotations.shown.plurals import filled

PAGE = "/invitation"

Mint = Callable[[str], str]
"""Makes the token of an address's link."""
REMEMBERED = timedelta(hours=24)
LONGEST_KEY = 200


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
        values = {
            "study": study.title,
            "link": address_of(token),
            "email": invitation.email,
            "date": date_format(invitation.expires_at, "DATE_FORMAT"),
        }
        lines = (_("Hello,"), what, "{link}", meant)
        return subject.format(**values), "\n\n".join(lines).format(**values)


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
        values = {"study": study.title, "link": f"{settings.PUBLIC_URL}/studies/{study.slug}/annotate"}
        text = "\n\n".join((_("Hello,"), what, "{link}"))
        return _("Reminder: {study}").format(**values), text.format(**values)


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


class BadKey(HLVError):
    """A request's key is empty, too long, or contains anything but letters, digits and punctuation."""

    code = "bad_idempotency_key"


class KeyUsed(Conflict):
    """The same key was already used with a different request."""

    code = "idempotency_key_used"


@dataclass(frozen=True, slots=True)
class Repeatable:
    """What two requests must share to count as the same."""

    person: User
    address: str
    key: str
    body: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr((self.person.pk, self.address, self.key)).encode()).hexdigest()


@transaction.atomic
def issue_once(request: Repeatable | None, make: Callable[[Mint], list[Issued]]) -> list[Issued]:
    """The result of `make` or, for a request answered within the last day, its result then.

    Of two simultaneous requests the second waits for the first, because the key is unique. A refused request leaves
    nothing behind, and its key can be used again.

    Raises:
        BadKey, KeyUsed; and what `make` raises.
    """
    if request is None:
        return make(random_token)
    if not 1 <= len(request.key) <= LONGEST_KEY or not (request.key.isascii() and request.key.isprintable()):
        raise BadKey(
            _("Idempotency-Key must have 1 to {longest_key} printable characters. A random UUID works well.").format(
                longest_key=LONGEST_KEY
            )
        )
    now, body = timezone.now(), hashlib.sha256(request.body).hexdigest()
    IssuingRequest.objects.filter(expires_at__lte=now).delete()
    try:
        with transaction.atomic():
            row = IssuingRequest.objects.create(digest=request.digest, body=body, expires_at=now + REMEMBERED)
    except IntegrityError:
        row = IssuingRequest.objects.get(digest=request.digest)
        if row.body != body:
            raise KeyUsed(
                _("This Idempotency-Key was used before for a different request. Use a new key for a new request.")
            ) from None
        return _again(row, _mint(request, row))
    issued = make(_mint(request, row))
    row.invitations = [str(link.invitation.pk) for link in issued]
    row.save(update_fields=["invitations"])
    return issued


def _again(row: IssuingRequest, mint: Mint) -> list[Issued]:
    invitations = Invitation.objects.select_related("study", "created_by").in_bulk(row.invitations)
    by_id = {str(pk): invitation for pk, invitation in invitations.items()}
    return [Issued(by_id[pk], mint(by_id[pk].email)) for pk in row.invitations if pk in by_id]


def _mint(request: Repeatable, row: IssuingRequest) -> Mint:
    """The tokens also depend on the row's id, so that after a day the same key makes different links."""
    request_in_words = repr((row.pk, request.person.pk, request.address, request.key))
    seed = salted_hmac("annotations.people.issuing_once", request_in_words, algorithm="sha256").digest()
    return lambda email: as_token(hmac.digest(seed, email.encode(), "sha256"))
