"""Send signed JSON to the address in the installation's settings. The response is not read."""

from __future__ import annotations

import hashlib
import hmac
import json
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Never
from urllib.error import HTTPError
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from annotations.ground.errors import HLVError
from annotations.shown.plurals import filled

SIGNATURE = "X-HLV-Signature"


class WebhookFailed(HLVError):
    """The webhook did not accept a message."""

    code = "webhook_failed"
    status = 503


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Messages go to the address in the settings and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        return None


def signature(body: bytes, secret: str) -> str:
    """The signature for a message's header.

    >>> signature(b"{}", "secret")[:15]
    'sha256=77325902'
    """
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def call(message: Mapping[str, object]) -> None:
    """Send it.

    Raises:
        WebhookFailed: it was not accepted. The sentence omits the address, which may contain a secret.
    """
    address = settings.NOTIFY_WEBHOOK_URL
    if urlsplit(address).scheme not in {"http", "https"}:
        raise WebhookFailed(_("NOTIFY_WEBHOOK_URL must begin with https:// or http://."))
    body = json.dumps(message, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "HLV-Study"}
    if settings.NOTIFY_WEBHOOK_SECRET:
        headers[SIGNATURE] = signature(body, settings.NOTIFY_WEBHOOK_SECRET)
    try:
        request = urllib.request.Request(address, body, headers, method="POST")  # noqa: S310 (checked above)
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=settings.NOTIFY_WEBHOOK_SECONDS):
            pass
    except HTTPError as error:
        error.close()
        _refuse(filled(_("The webhook responded with status {status}."), status=error.code))
    except (OSError, HTTPException, ValueError) as error:
        _refuse(filled(_("The webhook cannot be reached ({name})."), name=type(error).__name__))


def _refuse(sentence: str) -> Never:
    """Raise without the library's own words, which may contain the address."""
    raise WebhookFailed(sentence) from None
