"""A request that is sent twice creates its links once and gets the same links both times.

The sender gives it a key (the header `Idempotency-Key`). The tokens are derived from that key and a secret of this
server; only digests are stored, so the database alone never gives away a link.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict, HLVError
from annotations.models import Invitation, IssuingRequest, User
from annotations.people.invitations.links import Issued, Mint, as_token, random_token

REMEMBERED = timedelta(hours=24)
LONGEST_KEY = 200


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
def once(request: Repeatable | None, make: Callable[[Mint], list[Issued]]) -> list[Issued]:
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
    row.invitations = [str(one.invitation.pk) for one in issued]
    row.save(update_fields=["invitations"])
    return issued


def _again(row: IssuingRequest, mint: Mint) -> list[Issued]:
    found = Invitation.objects.select_related("study", "created_by").in_bulk(row.invitations)
    by_id = {str(pk): invitation for pk, invitation in found.items()}
    return [Issued(by_id[pk], mint(by_id[pk].email)) for pk in row.invitations if pk in by_id]


def _mint(request: Repeatable, row: IssuingRequest) -> Mint:
    """The tokens also depend on the row's id, so that after a day the same key makes different links."""
    said = repr((row.pk, request.person.pk, request.address, request.key))
    seed = salted_hmac("annotations.people.issuing_once", said, algorithm="sha256").digest()
    return lambda email: as_token(hmac.digest(seed, email.encode(), "sha256"))
