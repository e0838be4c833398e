"""Signing in through the sign-in provider: whom it vouches for, and which account that is.

Nobody gets an account this way. The provider's word alone opens an account that was connected to it before. Whoever
comes from there for the first time types the account's password in the same session, or accepts an invitation's link
in it; then the two belong together. An address that changed hands, at the provider or by mail, opens nothing.
"""

import secrets
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict, HLVError, NotFound
from annotations.history import events, security_log
from annotations.models import EventKind, Identity, User
from annotations.people.sign_in import proof, provider, sessions
from annotations.people.sign_in.provider import Vouched
from annotations.storing.mail_addresses import normalised

ASKED, WAITING = "_provider_asked", "_provider_waiting"
KEPT_SECONDS = 600


class NotAskedHere(HLVError):
    """This browser did not set out to the provider, or too long ago, or has come back already."""

    code = "provider_not_asked"


class NoAccountFor(HLVError):
    """The provider vouches for somebody who has no account here."""

    code = "provider_no_account"


class NeedsPassword(Conflict):
    """There is an account, whose password is needed once."""

    code = "provider_needs_password"


class NotFreshThere(HLVError):
    """The provider does not say that the person has just signed in there."""

    code = "provider_not_fresh"


@dataclass(frozen=True, slots=True)
class CameBack:
    """Whose account it is, which page to open, and when the person proved at the provider who they are."""

    user: User
    goes_to: str
    proven_at: int | None
    again: bool
    """Whether somebody who is signed in already proves it once more."""


class OtherPersonThere(Conflict):
    """The provider knows the person by another address, or the account is connected to somebody else."""

    code = "provider_other_person"


def ask(*, session: SessionBase, goes_to: str = "/", connects: User | None = None, again: User | None = None) -> str:
    """Where the browser goes, to come back to `answer`. Raises ProviderFailed, NotFound.

    Args:
        goes_to: the page that is opened afterwards.
        connects: who wants to connect their account; None: somebody who signs in.
        again: who is signed in, and proves once more who they are.
    """
    if not provider.is_on():
        raise NotFound
    state, nonce, verifier = (secrets.token_urlsafe(48) for _number in range(3))
    at_most_ago = int(proof.FRESH_FOR.total_seconds()) if again else None
    address = provider.address_to_ask(state=state, nonce=nonce, verifier=verifier, at_most_ago=at_most_ago)
    session[ASKED] = {
        "state": state,
        "nonce": nonce,
        "verifier": verifier,
        "goes_to": inside(goes_to),
        "connects": connects.pk if connects else None,
        "again": again.pk if again else None,
        "until": int(time.time()) + KEPT_SECONDS,
    }
    if SESSION_KEY not in session:
        session.set_expiry(KEPT_SECONDS)  # of somebody who may never come back
    return address


def answer(*, session: SessionBase, state: str, code: str, signed_in: User | None) -> CameBack:
    """What came back.

    Raises:
        NotFreshThere: who proves once more who they are did so too long ago, or the provider does not say when.
        NotAskedHere: the state is not this session's; it was used; it is too old.
        ProviderFailed, ProviderRefused: the provider does not vouch for anybody.
        NoAccountFor, OtherPersonThere: nor for anybody with an account.
        NeedsPassword: the account has to be signed in to with its password, in this session, within ten minutes.
    """
    question = sessions.take(session, ASKED)
    if not provider.is_on():
        raise NotFound
    if not question or question["until"] < time.time() or not constant_time_compare(question["state"], state):
        raise NotAskedHere(_("This took too long, or was tried before. Please try again."))
    if not code:  # the person said no there, or the provider did
        raise provider.ProviderRefused
    vouched = provider.exchange(code=code, verifier=question["verifier"], nonce=question["nonce"])
    if again := question.get("again"):
        return CameBack(_same_person(vouched, again, signed_in), question["goes_to"], vouched.signed_in_at, again=True)
    if question["connects"] is None:
        return CameBack(_account(session, vouched), question["goes_to"], vouched.signed_in_at, again=False)
    if signed_in is None or signed_in.pk != question["connects"]:
        raise NotAskedHere(_("This took too long, or was tried before. Please try again."))
    if normalised(vouched.address) != signed_in.address:
        raise OtherPersonThere(_("The sign-in provider does not know you by the address of this account."))
    connect(user=signed_in, vouched=vouched)
    return CameBack(signed_in, question["goes_to"], None, again=False)


def _same_person(vouched: Vouched, asked: int, signed_in: User | None) -> User:
    """Who is signed in, if the provider vouches for them and says that they have just signed in there."""
    if signed_in is None or signed_in.pk != asked:
        raise NotAskedHere(_("This took too long, or was tried before. Please try again."))
    if not Identity.objects.filter(user=signed_in, issuer=vouched.issuer, subject=vouched.subject).exists():
        raise OtherPersonThere(_("At the sign-in provider you are signed in as somebody else."))
    if vouched.signed_in_at is None or time.time() - vouched.signed_in_at > proof.FRESH_FOR.total_seconds():
        raise NotFreshThere(
            _("The sign-in provider does not say that you have just signed in there. Please use your password instead.")
        )
    return signed_in


def _account(session: SessionBase, vouched: Vouched) -> User:
    identity = Identity.objects.select_related("user").filter(issuer=vouched.issuer, subject=vouched.subject).first()
    if identity is not None and identity.user.is_active:
        Identity.objects.filter(pk=identity.pk).update(last_used_at=timezone.now())
        return identity.user
    if not vouched.address:
        raise NoAccountFor(_("The sign-in provider has not verified your e-mail address."))
    session[WAITING] = {
        "issuer": vouched.issuer,
        "subject": vouched.subject,
        "address": vouched.address,
        "until": int(time.time()) + KEPT_SECONDS,
    }
    if identity is None and User.objects.filter(address=normalised(vouched.address), is_active=True).exists():
        raise NeedsPassword(
            _("You have an account here. Please sign in with its password this once; the two are then connected.")
        )
    raise NoAccountFor(
        _(
            "There is no account here for you. If you were invited, please open the link in your invitation now; "
            "the two are then connected."
        )
    )


def join_waiting(*, user: User, session: SessionBase) -> None:
    """After signing in with everything that it takes: connect whom the provider vouched for in this session."""
    waiting: dict[str, Any] | None = session.pop(WAITING, None)
    if not waiting or waiting["until"] < time.time() or waiting["issuer"] != settings.OIDC_ISSUER:
        return
    if normalised(waiting["address"]) != user.address:
        return
    try:
        connect(user=user, vouched=Vouched(waiting["issuer"], waiting["subject"], waiting["address"]))
    except OtherPersonThere:
        security_log.note("provider_already_connected", account=user.pk)


@transaction.atomic
def connect(*, user: User, vouched: Vouched) -> Identity:
    """From now on the provider's word opens the account. Raises OtherPersonThere."""
    identity = Identity.objects.filter(user=user, issuer=vouched.issuer, subject=vouched.subject).first()
    if identity is not None:
        return identity
    try:
        with transaction.atomic():
            made = Identity.objects.create(user=user, issuer=vouched.issuer, subject=vouched.subject)
    except IntegrityError as error:
        raise OtherPersonThere(
            _("This account, or whom the sign-in provider knows you as, is connected to somebody else.")
        ) from error
    events.record(EventKind.PROVIDER_CONNECTED, actor=user, person=user.pk)
    return made


@transaction.atomic
def disconnect(*, user: User) -> None:
    """From now on only the password opens the account. Raises NotFound."""
    deleted, _more = Identity.objects.filter(user=user).delete()
    if not deleted:
        raise NotFound
    events.record(EventKind.PROVIDER_DISCONNECTED, actor=user, person=user.pk)


def inside(address: str) -> str:
    r"""A page of this site; the first one in place of any other address.

    >>> inside("/studies/a?b=1"), inside("//evil.example"), inside("https://evil.example"), inside("/\\evil.example")
    ('/studies/a?b=1', '/', '/', '/')
    """
    parts = urlsplit(address)
    is_inside = address.startswith("/") and not address.startswith("//") and not parts.netloc and not parts.scheme
    return address if is_inside and "\\" not in address and address.isprintable() else "/"
