"""Ask for an erasure: only admins of the server may, after typing the name of what goes."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from annotations.background import jobs
from annotations.erasing.executing import preview
from annotations.erasing.targets import find, name_of
from annotations.ground.errors import HLVError, NotAllowed, NotFound
from annotations.models import BackgroundJob, Erasure, User


class NotConfirmed(HLVError):
    """What was typed is not the name of what would be erased."""

    code = "not_confirmed"


def refuse_others(actor: User | None) -> None:
    """Raises NotAllowed for anybody but an admin of the server. Without an actor: the operator, at the shell."""
    if actor is not None and not actor.is_superuser:
        raise NotAllowed(_("Only an admin of the server can erase."))


@transaction.atomic
def ask(
    *, what: str, target: int, typed: str, with_answers: bool = False, reason: str = "", actor: User | None = None
) -> Erasure:
    """Have a worker erase a person, a text, a study or a dataset. It cannot be undone.

    Args:
        typed: its name as `name_of` gives it, typed by the actor.
        with_answers: of a person or a text: whether the answers go too. Studies and datasets always go with them.

    Raises:
        NotAllowed, NotFound, NotConfirmed; and what `erase_person` raises.
    """
    refuse_others(actor)
    row = find(what, target)
    if row is None:
        raise NotFound
    if typed.strip() != name_of(row):
        raise NotConfirmed(_("This is not the name. Type it exactly as it is displayed."))
    asked = Erasure.objects.filter(what=what, target=target, erased_at=None)
    waiting = asked.exclude(state__in=BackgroundJob.FINAL).first()
    if waiting is not None:
        return waiting
    # It would fail for the same reasons, but nobody would be looking.
    preview(row, with_answers=with_answers, actor=actor)
    erasure = Erasure.objects.create(
        owner=actor, what=what, target=target, with_answers=with_answers, reason=" ".join(reason.split())[:300]
    )
    jobs.enqueue(erasure)
    return erasure
