"""Ask for an erasure: only admins of the server may, after typing the name of what goes. What goes, what stays and what
backups still hold is said in sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.background import jobs
from annotations.erasing.executing import find, name_of, preview
from annotations.ground.errors import HLVError, NotAllowed, NotFound
from annotations.models import BackgroundJob, Erased, Erasure, User
from annotations.shown.plurals import filled

COUNTED = {
    "annotations.LabelResponse": gettext_noop("{number, plural, one {# answer} other {# answers}} to step 1"),
    "annotations.PreferenceResponse": gettext_noop("{number, plural, one {# answer} other {# answers}} to step 2"),
    "annotations.Guess": gettext_noop("{number, plural, one {# guess} other {# guesses}}"),
    "annotations.Report": gettext_noop("the words of {number, plural, one {# report} other {# reports}}"),
    "annotations.Invitation": gettext_noop("{number, plural, one {# invitation} other {# invitations}}"),
    "annotations.ApiToken": gettext_noop("{number, plural, one {# API token} other {# API tokens}}"),
    "annotations.Session": gettext_noop("{number, plural, one {# session} other {# sessions}}"),
    "annotations.Membership": gettext_noop("the details of {number, plural, one {# member} other {# members}}"),
    "annotations.Instance": gettext_noop("the words of {number, plural, one {# text} other {# texts}}"),
    "annotations.Study": gettext_noop("{number, plural, one {# study} other {# studies}}"),
    "annotations.Dataset": gettext_noop("{number, plural, one {# dataset} other {# datasets}}"),
    "annotations.Event": gettext_noop("{number, plural, one {# entry} other {# entries}} of the history"),
    "metaeval.AnalysisRun": gettext_noop("{number, plural, one {# analysis} other {# analyses}}"),
}  # fmt: skip
OTHERS = gettext_noop("{number, plural, one {# other entry} other {# other entries}}")
FILES = gettext_noop("{number, plural, one {# stored file} other {# stored files}}")


class NotConfirmed(HLVError):
    """What was typed is not the name of what would be erased."""


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
    waiting = (
        Erasure.objects.filter(what=what, target=target, erased_at=None).exclude(state__in=BackgroundJob.FINAL).first()
    )
    if waiting is not None:
        return waiting
    # It would fail for the same reasons, but nobody would be looking.
    preview(row, with_answers=with_answers, actor=actor)
    erasure = Erasure.objects.create(
        owner=actor, what=what, target=target, with_answers=with_answers, reason=" ".join(reason.split())[:300]
    )
    jobs.enqueue(erasure)
    return erasure


def sentences_of_removed(rows: Mapping[str, int], files: int = 0) -> list[str]:
    """What goes, the most important first."""
    sentences = [
        filled(translation.gettext(message), number=rows[model])
        for model, message in COUNTED.items()
        if rows.get(model)
    ]
    if rows.get("annotations.User"):
        sentences.insert(0, _("the name, address and password of the account"))
    if files:
        sentences.append(filled(translation.gettext(FILES), number=files))
    others = sum(number for model, number in rows.items() if model not in COUNTED and model != "annotations.User")
    if others:
        sentences.append(filled(translation.gettext(OTHERS), number=others))
    return sentences


def sentences_of_kept(what: str, *, with_answers: bool) -> list[str]:
    """What an erasure leaves."""
    if what == Erased.PERSON:
        if with_answers:
            return [
                _("A number in the study, without answers. The places are free for others."),
                _("Results computed before: they are marked as counting answers that were erased since."),
            ]
        return [_("The answers, under a number only."), _("The history, without name and address.")]
    if what == Erased.TEXT:
        stays = [_("The text's place, so that the others keep theirs, and the distributions, which are only numbers.")]
        return stays if with_answers else [*stays, _("The experts' answers about this text.")]
    return [
        _("People's accounts. Erase those separately, on the page of people."),
        _("One entry in the server's history: that something was erased, when and by whom."),
    ]


def in_backups(at: datetime | None = None) -> str:
    """What backups made before still hold."""
    day = date_format(timezone.localtime(at or timezone.now()), "DATE_FORMAT")
    return filled(
        _(
            "Backups made up to {day} still hold it, until you delete the last of them. After restoring one, the "
            "server erases it again."
        ),
        day=day,
    )
