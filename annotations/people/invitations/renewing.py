"""Acting on several invitations at once: new links for all that have expired, and revoking some."""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotations.models import Invitation, LinkPurpose, Study, User
from annotations.people.invitations import inviting
from annotations.people.invitations.links import Issued, Mint, random_token


def expired(study: Study) -> "QuerySet[Invitation]":
    """The invitations whose time has run out."""
    waiting = study.invitations.unsettled().filter(purpose=LinkPurpose.JOIN, expires_at__lte=timezone.now())
    return waiting.order_by("email")


@transaction.atomic
def renew_expired(
    *, study: Study, days: int | None = None, actor: User | None = None, mint: Mint = random_token
) -> list[Issued]:
    """Make a new link for everyone whose invitation has expired; all or none. Raises what `inviting.replace` raises."""
    return [inviting.replace(invitation=one, days=days, actor=actor, mint=mint) for one in expired(study)]


@transaction.atomic
def revoke_several(*, study: Study, ids: Iterable[UUID], actor: User | None = None) -> list[Invitation]:
    """Revoke these invitations to the study; those already used or revoked stay as they are."""
    chosen = study.invitations.unsettled().filter(pk__in=set(ids)).order_by("email")
    return [inviting.revoke(invitation=one, actor=actor) for one in chosen]
