"""Passkeys (WebAuthn) as a second step of signing in, beside an app for codes or instead of it.

What a device is to sign is kept in the session, for five minutes and for one try.
"""

import base64
import secrets
import time
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict, HLVError, NotFound
from annotations.history import events, security_log
from annotations.models import EventKind, Passkey, SecondFactor, User
from annotations.people.access import tokens
from annotations.people.sign_in import second_factor, sessions
from annotations.people.sign_in.passkey_site import Site, site_of

CHALLENGE = "_passkey_challenge"
CHALLENGE_SECONDS = 300
REGISTER, SIGN_IN = "register", "sign in"
MOST = 20


class PasskeysImpossible(Conflict):
    """Browsers allow none at this server's address."""


class AskedTooLongAgo(HLVError):
    """There is nothing, or nothing any more, that a passkey was asked to sign."""

    code = "passkey_too_late"


class PasskeyRefused(HLVError):
    """What the browser sent is not a new passkey for this site."""


class PasskeyKnown(Conflict):
    """It is registered already."""


class TooManyPasskeys(Conflict):
    """One has to be removed first."""

    def __init__(self) -> None:
        super().__init__(_("You have as many passkeys as one account can have. Remove one first."))


class WrongPasskey(second_factor.WrongProof):
    """Not one of this person's, or not what it was asked to sign."""

    def __init__(self) -> None:
        super().__init__(_("This passkey does not belong to your account here, or it was not used correctly."))


def are_possible() -> bool:
    """Whether browsers allow passkeys at this server's address."""
    return site_of(settings.PUBLIC_URL) is not None


# -- on the account page


def ask_to_register(*, user: User, session: SessionBase) -> dict[str, Any]:
    """What the browser is to make a passkey with. Raises PasskeysImpossible, TooManyPasskeys."""
    from annotations.people.sign_in import passkey_checks  # slow to import, and rarely needed

    site, credentials = _site(), _known(user)
    if len(credentials) >= MOST:
        raise TooManyPasskeys
    return passkey_checks.options_to_register(
        site, challenge=_ask(session, REGISTER), handle=_handle(user), email=user.email, known=credentials
    )


def register(
    *, user: User, session: SessionBase, name: str, credential: dict[str, Any], end_tokens: bool = True
) -> list[str]:
    """Store the passkey that the browser made; returns recovery codes if it is the first second factor, or none.

    Args:
        end_tokens: also revoke the person's API tokens.

    Raises:
        AskedTooLongAgo, PasskeyRefused, PasskeyKnown, TooManyPasskeys, PasskeysImpossible.
    """
    from annotations.people.sign_in import passkey_checks  # as above

    site, challenge = _site(), _take(session, REGISTER)
    try:
        made = passkey_checks.check_registration(site, credential=credential, challenge=challenge)
    except passkey_checks.NotProven as error:
        raise PasskeyRefused(_("This passkey could not be registered. Please try again.")) from error
    with transaction.atomic():
        factor = second_factor.hold(user)
        is_first = not second_factor.has_one(user)
        if len(_known(user)) >= MOST:
            raise TooManyPasskeys
        try:
            with transaction.atomic():
                Passkey.objects.create(user=user, name=name, **made)
        except IntegrityError as error:
            raise PasskeyKnown(_("This passkey is registered already.")) from error
        events.record(EventKind.PASSKEY_ADDED, actor=user, person=user.pk)
        if not is_first:
            if end_tokens:
                tokens.revoke_all(user=user, actor=user)
            return []
        second_factor.turned_on(user, end_tokens=end_tokens)
        return second_factor.make_recovery_codes(factor)


@transaction.atomic
def remove(*, user: User, pk: int, end_tokens: bool = True) -> None:
    """Remove one of the person's passkeys; with the last one, if there is no app, the second factor is off.

    Unless told otherwise it revokes the person's API tokens, too: whoever had the passkey may have made some.

    Raises NotFound.
    """
    factor = second_factor.hold(user)
    deleted, _more = Passkey.objects.filter(user=user, pk=pk).delete()
    if not deleted:
        raise NotFound
    events.record(EventKind.PASSKEY_REMOVED, actor=user, person=user.pk)
    if end_tokens:
        tokens.revoke_all(user=user, actor=user)
    if not second_factor.has_one(user):
        factor.delete()
        events.record(EventKind.SECOND_FACTOR_OFF, actor=user, person=user.pk)


# -- at sign-in


def ask_to_sign_in(*, user: User, session: SessionBase) -> dict[str, Any]:
    """What the browser is to ask one of the person's passkeys for. Raises PasskeysImpossible, NoSecondFactor."""
    from annotations.people.sign_in import passkey_checks  # as above

    site, credentials = _site(), _known(user)
    if not credentials:
        raise second_factor.NoSecondFactor(_("You have no passkey for this account."))
    return passkey_checks.options_to_sign_in(site, challenge=_ask(session, SIGN_IN), known=credentials)


def check(*, user: User, session: SessionBase, credential: dict[str, Any]) -> None:
    """The second step of signing in with a passkey.

    Raises:
        AskedTooLongAgo: nothing was asked in this session, or it was tried before.
        WrongPasskey, NoSecondFactor: it is not right, or there is nothing to check.
        MustWait: too many were wrong.
    """
    from annotations.people.sign_in import passkey_checks  # as above

    site, challenge = _site(), _take(session, SIGN_IN)

    def look(_factor: SecondFactor) -> None:
        passkey = Passkey.objects.filter(user=user, credential_id=credential["id"]).first()
        if passkey is None:
            raise WrongPasskey
        try:
            count = passkey_checks.check_use(site, credential=credential, challenge=challenge, passkey=passkey)
        except passkey_checks.NotProven as error:
            raise WrongPasskey from error
        if (count or passkey.sign_count) and count <= passkey.sign_count:
            # Two devices count with one key: somebody may have copied it.
            security_log.note("passkey_count_went_back", account=user.pk, passkey=passkey.pk)
            raise WrongPasskey
        passkey.sign_count, passkey.last_used_at = count, timezone.now()
        passkey.save(update_fields=["sign_count", "last_used_at"])

    second_factor.guarded(user, look)


# -- what was asked


def _ask(session: SessionBase, purpose: str) -> bytes:
    challenge = secrets.token_bytes(32)
    until = int(time.time()) + CHALLENGE_SECONDS
    session[CHALLENGE] = {"for": purpose, "value": base64.b64encode(challenge).decode(), "until": until}
    return challenge


def _take(session: SessionBase, purpose: str) -> bytes:
    challenge = sessions.take(session, CHALLENGE)
    if not challenge or challenge["for"] != purpose or challenge["until"] < time.time():
        raise AskedTooLongAgo(_("This took too long, or was tried before. Please try again."))
    return base64.b64decode(challenge["value"])


def _site() -> Site:
    site = site_of(settings.PUBLIC_URL)
    if site is None:
        raise PasskeysImpossible(_("Browsers allow passkeys only where a server has a name and HTTPS."))
    return site


def _known(user: User) -> list[str]:
    return list(Passkey.objects.filter(user=user).values_list("credential_id", flat=True))


def _handle(user: User) -> bytes:
    """What devices know the account by; it names nobody."""
    return salted_hmac("annotations.people.passkeys.handle", str(user.pk), algorithm="sha256").digest()
