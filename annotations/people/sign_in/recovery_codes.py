"""Codes for when the device of a second factor is lost: shown once, stored as HMACs, each of them works once."""

import base64
import secrets

from django.utils.crypto import constant_time_compare, salted_hmac

from annotations.models import SecondFactor

HOW_MANY = 10


def make(factor: SecondFactor) -> list[str]:
    """Make and store new ones; those before no longer work."""
    made = [base64.b32encode(secrets.token_bytes(10)).decode().lower() for _number in range(HOW_MANY)]
    factor.recovery = [_hidden(factor, one) for one in made]
    factor.save()
    return [f"{one[:4]}-{one[4:8]}-{one[8:12]}-{one[12:]}" for one in made]


def use(factor: SecondFactor, code: str) -> bool:
    """Whether it is one of them, which it is no longer from now on."""
    known = [one for one in factor.recovery if constant_time_compare(one, _hidden(factor, plain(code)))]
    if known:
        factor.recovery = [one for one in factor.recovery if one not in known]
        factor.save()
    return bool(known)


def plain(code: str) -> str:
    """A code as it was typed, without what people put between its parts."""
    return "".join(code.split()).replace("-", "").lower()


def _hidden(factor: SecondFactor, code: str) -> str:
    return salted_hmac(f"annotations.people.second_factor.{factor.user_id}", code, algorithm="sha256").hexdigest()
