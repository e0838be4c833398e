"""The sign-in provider of the settings (OpenID Connect): its address, its keys, and what its tokens say.

The library joserfc checks signatures and claims. What is left of the protocol is one redirect and one request, which
are made here with time-outs, bounds and no redirects, because the answers come from another machine.
"""

import base64
import hashlib
import json
import threading
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jwt import JWTClaimsRegistry

from annotations.ground.errors import HLVError

SCOPE = "openid email profile"
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
"""Signatures by a key of the provider's; never `none`, nor one by a secret that both sides know."""
SECONDS, MOST_BYTES = 5, 200_000
KEPT_SECONDS = 3600
AGAIN_SECONDS = 60
LEEWAY_SECONDS = 60


class ProviderFailed(HLVError):
    """The sign-in provider does not answer as it should."""

    status = 503


class ProviderRefused(HLVError):
    """The sign-in provider, or what it sent, does not vouch for anybody."""

    def __init__(self) -> None:
        super().__init__(_("The sign-in provider did not confirm who you are. Please try again."))


@dataclass(frozen=True, slots=True)
class Vouched:
    """Whom the provider vouches for; `address` is empty unless the provider has verified it."""

    issuer: str
    subject: str
    address: str
    signed_in_at: int | None = None
    """When the person proved there who they are, in seconds of 1970; None: it does not say."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """What the provider's discovery document says."""

    authorize: str
    token: str
    keys: str


def is_on() -> bool:
    """Whether there is a provider."""
    return bool(settings.OIDC_ISSUER)


def redirect_address() -> str:
    """Where the provider sends people back to; has to be registered there."""
    return f"{settings.PUBLIC_URL}/login/provider"


def address_to_ask(*, state: str, nonce: str, verifier: str, at_most_ago: int | None = None) -> str:
    """Where the browser goes. Raises ProviderFailed.

    Args:
        at_most_ago: how many seconds ago the person may have signed in there; who did earlier is asked to again.
    """
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code",
        "client_id": settings.OIDC_CLIENT_ID,
        "redirect_uri": redirect_address(),
        "scope": SCOPE,
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    if at_most_ago is not None:
        query["max_age"] = str(at_most_ago)
    address = endpoints().authorize
    return f"{address}{'&' if urlsplit(address).query else '?'}{urlencode(query)}"


def exchange(*, code: str, verifier: str, nonce: str) -> Vouched:
    """Whom a code stands for. Raises ProviderFailed, ProviderRefused."""
    pair = f"{quote(settings.OIDC_CLIENT_ID, safe='')}:{quote(settings.OIDC_CLIENT_SECRET, safe='')}"
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_address(),
        "code_verifier": verifier,
    }
    headers = {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
    token = _fetch(endpoints().token, form=form, headers=headers).get("id_token")
    if not isinstance(token, str):
        raise ProviderRefused
    return read_token(token, nonce=nonce)


def read_token(token: str, *, nonce: str) -> Vouched:
    """Whom an ID token vouches for, if it was signed by the provider, for us, now, for this request.

    Raises ProviderRefused, ProviderFailed.
    """
    claims = _signed(token)
    registry = JWTClaimsRegistry(
        leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": settings.OIDC_ISSUER},
        aud={"essential": True, "value": settings.OIDC_CLIENT_ID},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        registry.validate(claims)
    except JoseError as error:
        raise ProviderRefused from error
    others = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", None if others else settings.OIDC_CLIENT_ID) != settings.OIDC_CLIENT_ID:
        raise ProviderRefused
    address = claims.get("email")
    is_verified = claims.get("email_verified") is True
    verified = address if is_verified and isinstance(address, str) else ""
    at = claims.get("auth_time")
    signed_in_at = int(at) if isinstance(at, int | float) and not isinstance(at, bool) else None
    return Vouched(settings.OIDC_ISSUER, claims["sub"], verified, signed_in_at)


def _signed(token: str) -> dict[str, Any]:
    """Its claims, if one of the provider's keys signed it; keys are fetched again when none of them did."""
    for is_last in (False, True):
        try:
            return dict(jwt.decode(token, KeySet.import_key_set(_keys(anew=is_last)), algorithms=ALGORITHMS).claims)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            if is_last:
                raise ProviderRefused from error
    raise AssertionError


# -- what is known about the provider, for an hour


_lock = threading.Lock()
_known: dict[str, tuple[float, dict[str, Any]]] = {}


def forget() -> None:
    """Ask the provider anew."""
    _known.clear()


def endpoints() -> Endpoints:
    """Raises ProviderFailed."""
    configuration = _fresh(f"{settings.OIDC_ISSUER.rstrip('/')}/.well-known/openid-configuration", seconds=KEPT_SECONDS)
    if configuration.get("issuer") != settings.OIDC_ISSUER:
        raise ProviderFailed(_("The sign-in provider calls itself by another address than OIDC_ISSUER."))
    addresses = [configuration.get(f"{name}") for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
    if not all(isinstance(address, str) and is_safe(address) for address in addresses):
        raise ProviderFailed(_("The sign-in provider does not say where to sign in."))
    return Endpoints(*map(str, addresses))


def is_safe(address: str) -> bool:
    """Whether what goes there is encrypted, or stays on this machine."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in {"localhost", "127.0.0.1", "::1"})


def _keys(*, anew: bool) -> Any:
    return _fresh(endpoints().keys, seconds=AGAIN_SECONDS if anew else KEPT_SECONDS)


def _fresh(address: str, *, seconds: int) -> dict[str, Any]:
    now = time.monotonic()
    with _lock:
        since, document = _known.get(address, (0.0, {}))
    if not document or now - since > seconds:
        document = _fetch(address)
        with _lock:
            _known[address] = (now, document)
    return document


class _OnlyToProvider(urllib.request.HTTPRedirectHandler):
    """Secrets go to the provider and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        return None


def _fetch(address: str, *, form: Mapping[str, str] | None = None, headers: Mapping[str, str] = {}) -> dict[str, Any]:
    body = urlencode(form).encode() if form is not None else None
    all_headers = {"Accept": "application/json", "User-Agent": "HLV-Study", **headers}
    try:
        if not is_safe(address):
            raise ValueError(address)
        request = urllib.request.Request(address, body, all_headers)  # noqa: S310 (checked above)
        with urllib.request.build_opener(_OnlyToProvider).open(request, timeout=SECONDS) as answer:
            document = json.loads(answer.read(MOST_BYTES))
    except HTTPError as error:
        error.close()
        if form is not None and error.code in (400, 401):
            raise ProviderRefused from None  # the code was used before, or is not ours
        raise ProviderFailed(_failed()) from None
    except (OSError, HTTPException, ValueError):
        raise ProviderFailed(_failed()) from None
    if not isinstance(document, dict):
        raise ProviderFailed(_failed())
    return document


def _failed() -> str:
    return _("The sign-in provider cannot be reached, or does not answer as it should. Please try again in a moment.")
