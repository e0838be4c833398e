"""Codes of an app (TOTP) as a second step of signing in: turning on, checking, turning off. Passkeys: passkeys.py.

A session that has only seen the password is nobody's until the code was right, whichever way it began
(annotations/api/people/authentication.py).
"""

import base64
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import pyotp
import segno
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict, HLVError
from annotations.history import events
from annotations.models import EventKind, Membership, Passkey, SecondFactor, Session, User, with_second_factor
from annotations.people.access import limits, roles, tokens
from annotations.people.access.roles import PERMISSIONS
from annotations.people.sign_in import proof

Found = TypeVar("Found")
PENDING = "_second_step_since"
"""In a session whose person has yet to type a code: since when."""
VERIFIED = "_second_step_passed"
WORKS = "works_here"
"""On a person whose session was just loaded: what `works_here` says of them."""
PENDING_FOR = timedelta(minutes=10)
STEP_SECONDS = 30
ISSUER = "HLV Study"
RECOVERY_CODES = 10


class WrongProof(HLVError):
    """What was given as a second factor is not it."""

    code = "wrong_code"


class WrongCode(WrongProof):
    """Not the code of now, or used before."""


class NoSecondFactor(Conflict):
    """There is none to confirm, check or turn off."""


class SecondFactorIsOn(Conflict):
    """It has to be turned off before another one is set up."""

    def __init__(self) -> None:
        super().__init__(_("You have already set up an app for codes. Remove it first to set up another one."))


@dataclass(frozen=True, slots=True)
class Begun:
    """What the person's app needs; shown once, and useless until confirmed."""

    secret: str
    address: str
    qr: str


# -- who has one, and who must


def has_one(user: User) -> bool:
    """Whether signing in asks this person for a code or a passkey."""
    return User.objects.filter(with_second_factor(), pk=user.pk).exists()


def must_have_one(user: User) -> bool:
    """Whether REQUIRE_SECOND_FACTOR means this person, or theirs ended because somebody was in the account."""
    if user.second_factor_due:
        return True
    if settings.REQUIRE_SECOND_FACTOR == "none":
        return False
    if user.is_superuser:
        return True
    if settings.REQUIRE_SECOND_FACTOR == "admins":
        return False
    if (works := getattr(user, WORKS, None)) is not None:
        return bool(works)
    return User.objects.filter(works_here("pk"), pk=user.pk).exists()


def works_here(person: str) -> Q:
    """Whether a person researches, administers, imports or creates studies; `person` is the path to their key."""
    researches = Membership.objects.filter(user=OuterRef(person)).unblinded()
    permitted = Permission.objects.filter(
        Q(user=OuterRef(person)) | Q(group__user=OuterRef(person)),
        content_type__app_label="annotations",
        codename__in=PERMISSIONS.values(),
    )
    return Q(Exists(researches) | Exists(permitted))


def with_duties(sessions: "QuerySet[Session]") -> "QuerySet[Session]":
    """Sessions that know, without a further query, whether REQUIRE_SECOND_FACTOR=researchers means their person."""
    return sessions.annotate(**{WORKS: ExpressionWrapper(works_here("user"), output_field=BooleanField())})


# -- a session between the password and the code


@receiver(user_logged_in)
def ask_for_code(sender: type[User], request: HttpRequest, user: User, **_more: Any) -> None:
    """However a person signed in, a session of somebody with a second factor waits for the code."""
    request.session.pop(VERIFIED, None)
    request.session.pop(PENDING, None)
    proof.note(request.session)
    if has_one(user):
        request.session[PENDING] = int(time.time())
        proof.forget(request.session)


def is_pending(session: SessionBase) -> bool:
    return PENDING in session


def is_stale(session: SessionBase) -> bool:
    """Whether the password was typed too long ago to go on with the code."""
    return int(time.time()) - int(session.get(PENDING, 0)) > PENDING_FOR.total_seconds()


def pass_second_step(session: SessionBase) -> None:
    """The code was right: the session is the person's, under a new key."""
    session.pop(PENDING, None)
    session[VERIFIED] = True
    proof.renew(session)


def forget_if_off(*, user: User, session: SessionBase) -> None:
    """After something was removed: a session that passed the second step has passed none if there is none left."""
    if not has_one(user):
        session.pop(VERIFIED, None)


# -- turning on and off


@transaction.atomic
def begin(*, user: User) -> Begun:
    """A new secret, which counts only once a code of it was typed. Raises SecondFactorIsOn."""
    factor = hold(user)
    if factor.confirmed_at is not None:
        raise SecondFactorIsOn
    secret = pyotp.random_base32()
    factor.secret, factor.last_step = _fernet().encrypt(secret.encode()).decode(), 0
    factor.save()
    address = pyotp.TOTP(secret).provisioning_uri(name=user.email, issuer_name=ISSUER)
    return Begun(secret, address, segno.make(address, error="m").svg_data_uri(scale=5, border=4, light="#fff"))


def confirm(*, user: User, code: str, end_tokens: bool = True) -> list[str]:
    """Turn it on with a first code; returns the recovery codes, unless there are some since a passkey was added.

    Args:
        end_tokens: also revoke the person's API tokens, which need no second factor.

    Raises WrongCode, NoSecondFactor, SecondFactorIsOn.
    """

    def turn_on(factor: SecondFactor) -> list[str]:
        if factor.confirmed_at is not None:
            raise SecondFactorIsOn
        is_first = not has_one(user)
        _use_code(factor, code)
        factor.confirmed_at = timezone.now()
        factor.save()
        turned_on(user, end_tokens=end_tokens)
        return make_recovery_codes(factor) if is_first else []

    return guarded(user, turn_on)


def check(*, user: User, code: str) -> None:
    """The second step of signing in: a code of the app, or a recovery code, which is used up.

    Raises:
        WrongCode, NoSecondFactor: it is not right, or there is nothing to check.
        MustWait: too many were wrong.
    """

    def look(factor: SecondFactor) -> None:
        refuse_without(user)
        typed = _plain(code)
        if typed.isdigit() and len(typed) == 6:
            if factor.confirmed_at is None:
                raise WrongCode(_("You have not set up an app for codes. Use your passkey or a recovery code."))
            _use_code(factor, typed)
            return
        if not _use_recovery_code(factor, typed):
            raise WrongCode(_wrong())
        events.record(EventKind.RECOVERY_CODE_USED, actor=user, person=user.pk, left=len(factor.recovery))

    guarded(user, look)


@transaction.atomic
def renew_recovery_codes(*, user: User) -> list[str]:
    """New recovery codes; the old ones no longer work. Raises NoSecondFactor."""
    factor = _locked(user)
    refuse_without(user)
    events.record(EventKind.RECOVERY_CODES_MADE, actor=user, person=user.pk)
    return make_recovery_codes(factor)


@transaction.atomic
def turn_off(*, user: User, actor: User | None = None, end_tokens: bool = True) -> None:
    """Remove app, passkeys and recovery codes, and unless told otherwise revoke the person's API tokens.

    Somebody else than the person (an admin, the operator) also ends the person's sessions.
    """
    factor = _locked(user)
    was_on = has_one(user)
    factor.delete()
    Passkey.objects.filter(user=user).delete()
    if was_on:
        events.record(EventKind.SECOND_FACTOR_OFF, actor=actor, person=user.pk)
    if end_tokens:
        tokens.revoke_all(user=user, actor=actor)
    if actor != user:
        roles.end_sessions(user=user)


@transaction.atomic
def remove_app(*, user: User, end_tokens: bool = True) -> None:
    """Remove the app; passkeys and recovery codes stay if there are passkeys. Raises NoSecondFactor."""
    factor = _locked(user)
    if factor.confirmed_at is None:
        raise NoSecondFactor(_("You have not set up an app for codes."))
    if not Passkey.objects.filter(user=user).exists():
        turn_off(user=user, actor=user, end_tokens=end_tokens)
        return
    factor.secret, factor.confirmed_at = "", None
    factor.save()
    events.record(EventKind.SECOND_FACTOR_OFF, actor=user, person=user.pk)
    if end_tokens:
        tokens.revoke_all(user=user, actor=user)


def turned_on(user: User, *, end_tokens: bool) -> None:
    """An app or a first passkey counts from now on; the caller holds the factor."""
    events.record(EventKind.SECOND_FACTOR_ON, actor=user, person=user.pk)
    User.objects.filter(pk=user.pk, second_factor_due=True).update(second_factor_due=False)
    user.second_factor_due = False
    if end_tokens:
        tokens.revoke_all(user=user, actor=user)


# -- codes


def hold(user: User) -> SecondFactor:
    """The row that every change and check locks, made if there is none; within a transaction."""
    User.objects.select_for_update().get(pk=user.pk)
    SecondFactor.objects.get_or_create(user=user)
    return _locked(user)


def refuse_without(user: User) -> None:
    """Raises NoSecondFactor."""
    if not has_one(user):
        raise NoSecondFactor(_("There is no second factor for this account. Please sign in again."))


def guarded(user: User, look: Callable[[SecondFactor], Found]) -> Found:
    """Count the attempt before looking, in a statement of its own, so that no rollback forgets it."""
    counted = limits.of_second_step(user.pk)
    if seconds := limits.take([counted]):
        raise limits.MustWait(seconds)
    try:
        with transaction.atomic():
            result = look(_locked(user))
    except WrongProof:
        events.record(EventKind.SECOND_STEP_FAILED, person=user.pk)
        raise
    limits.forgive(wholly=[counted])
    return result


def _locked(user: User) -> SecondFactor:
    factor = SecondFactor.objects.select_for_update().filter(user=user).first()
    if factor is None:
        raise NoSecondFactor(_("You have not turned on a second factor."))
    return factor


def _use_code(factor: SecondFactor, code: str) -> None:
    """The code of this half minute or its neighbours (clocks differ), and later than the last one used."""
    try:
        secret = _fernet().decrypt(factor.secret.encode()).decode()
    except InvalidToken:
        raise NoSecondFactor(
            _("The second factor cannot be read any more. Ask an admin of this server to reset it.")
        ) from None
    now, made = int(time.time()) // STEP_SECONDS, pyotp.TOTP(secret)
    typed = _plain(code)
    for step in (now - 1, now, now + 1):
        if step > factor.last_step and constant_time_compare(made.generate_otp(step), typed):
            factor.last_step = step
            factor.save()
            return
    raise WrongCode(_wrong())


def _wrong() -> str:
    return _("The code is wrong or was used before. Please wait for the next one and check your device's clock.")


def _fernet() -> Fernet:
    key = salted_hmac("annotations.people.second_factor.key", "", algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(key))


# -- codes for when the device is lost: shown once, stored as HMACs, each of them works once


def make_recovery_codes(factor: SecondFactor) -> list[str]:
    """Make and store new ones; those before no longer work."""
    made = [base64.b32encode(secrets.token_bytes(10)).decode().lower() for _number in range(RECOVERY_CODES)]
    factor.recovery = [_hidden_code(factor, one) for one in made]
    factor.save()
    return [f"{one[:4]}-{one[4:8]}-{one[8:12]}-{one[12:]}" for one in made]


def _use_recovery_code(factor: SecondFactor, code: str) -> bool:
    """Whether it is one of them, which it is no longer from now on."""
    known = [one for one in factor.recovery if constant_time_compare(one, _hidden_code(factor, _plain(code)))]
    if known:
        factor.recovery = [one for one in factor.recovery if one not in known]
        factor.save()
    return bool(known)


def _plain(code: str) -> str:
    """A code as it was typed, without what people put between its parts."""
    return "".join(code.split()).replace("-", "").lower()


def _hidden_code(factor: SecondFactor, code: str) -> str:
    return salted_hmac(f"annotations.people.second_factor.{factor.user_id}", code, algorithm="sha256").hexdigest()
