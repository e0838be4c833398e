"""Call the address that the installation's settings name, with signed JSON. Its answer is not read."""

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

from annotations.errors import HLVError
from annotations.plurals import filled

SIGNATURE = "X-HLV-Signature"


class WebhookFailed(HLVError):
    """The webhook did not take a message."""

    code = "webhook_failed"
    status = 503


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A message goes where the settings say, and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        return None


def signature(body: bytes, secret: str) -> str:
    """What the header of a message says.

    >>> signature(b"{}", "secret")[:15]
    'sha256=77325902'
    """
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def call(message: Mapping[str, object]) -> None:
    """Send it.

    Raises:
        WebhookFailed: it was not taken. The sentence names no address, for one can hold a secret.
    """
    address = settings.NOTIFY_WEBHOOK_URL
    if urlsplit(address).scheme not in {"http", "https"}:
        raise WebhookFailed(_("NOTIFY_WEBHOOK_URL must begin with https:// or http://."))
    body = json.dumps(message, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "HLV-Study"}
    if settings.NOTIFY_WEBHOOK_SECRET:
        headers[SIGNATURE] = signature(body, settings.NOTIFY_WEBHOOK_SECRET)
    try:
        request = urllib.request.Request(address, body, headers, method="POST")  # noqa: S310 (looked at above)
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=settings.NOTIFY_WEBHOOK_SECONDS):
            pass
    except HTTPError as error:
        error.close()
        _refuse(filled(_("The webhook responded with status {status}."), status=error.code))
    except (OSError, HTTPException, ValueError) as error:
        _refuse(filled(_("The webhook cannot be reached ({name})."), name=type(error).__name__))


def _refuse(sentence: str) -> Never:
    """The library's own words can hold the address: they are not kept."""
    raise WebhookFailed(sentence) from None
