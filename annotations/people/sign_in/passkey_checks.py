"""What passkeys are checked with: the library `webauthn`, for this site.

It takes a third of a second to import, so that only what checks passkeys loads it (hlvstudy/wsgi.py does at the start).
"""

import json
from collections.abc import Sequence
from typing import Any

import webauthn
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from annotations.models import Passkey
from annotations.people.sign_in.passkey_site import Site

MILLISECONDS = 300_000


class NotProven(Exception):
    """What the browser sent does not prove anything."""


def options_to_register(
    site: Site, *, challenge: bytes, handle: bytes, email: str, known: Sequence[str]
) -> dict[str, Any]:
    """What the browser's `navigator.credentials.create` is given, in JSON's form."""
    options = webauthn.generate_registration_options(
        rp_id=site.domain,
        rp_name="HLV Study",
        user_id=handle,
        user_name=email,
        challenge=challenge,
        timeout=MILLISECONDS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED, user_verification=UserVerificationRequirement.REQUIRED
        ),
        exclude_credentials=_described(known),
    )
    return dict(json.loads(webauthn.options_to_json(options)))


def options_to_sign_in(site: Site, *, challenge: bytes, known: Sequence[str]) -> dict[str, Any]:
    """What the browser's `navigator.credentials.get` is given, in JSON's form."""
    options = webauthn.generate_authentication_options(
        rp_id=site.domain,
        challenge=challenge,
        timeout=MILLISECONDS,
        allow_credentials=_described(known),
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return dict(json.loads(webauthn.options_to_json(options)))


def check_registration(site: Site, *, credential: dict[str, Any], challenge: bytes) -> dict[str, Any]:
    """The passkey that a browser made for this challenge: its fields, as they are stored. Raises NotProven."""
    try:
        verified = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.domain,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    except Exception as error:  # the library's own, and whatever its parsers raise at bytes that anybody can send
        raise NotProven from error
    return {
        "credential_id": bytes_to_base64url(verified.credential_id),
        "public_key": bytes_to_base64url(verified.credential_public_key),
        "sign_count": verified.sign_count,
    }


def check_use(site: Site, *, credential: dict[str, Any], challenge: bytes, passkey: Passkey) -> int:
    """The new count of a passkey that signed this challenge; whether it grew is for the caller. Raises NotProven."""
    try:
        verified = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.domain,
            expected_origin=site.origin,
            credential_public_key=base64url_to_bytes(passkey.public_key),
            credential_current_sign_count=0,
            require_user_verification=True,
        )
    except Exception as error:  # as above
        raise NotProven from error
    return verified.new_sign_count


def _described(known: Sequence[str]) -> list[PublicKeyCredentialDescriptor]:
    return [PublicKeyCredentialDescriptor(id=base64url_to_bytes(credential)) for credential in known]
