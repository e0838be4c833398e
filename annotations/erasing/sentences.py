"""What goes, what stays and what backups still hold, in sentences for the pages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.models import Erased
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


def said_to_go(rows: Mapping[str, int], files: int = 0) -> list[str]:
    """What goes, the most important first."""
    found = [
        filled(translation.gettext(message), number=rows[model])
        for model, message in COUNTED.items()
        if rows.get(model)
    ]
    if rows.get("annotations.User"):
        found.insert(0, _("the name, address and password of the account"))
    if files:
        found.append(filled(translation.gettext(FILES), number=files))
    others = sum(number for model, number in rows.items() if model not in COUNTED and model != "annotations.User")
    return [*found, filled(translation.gettext(OTHERS), number=others)] if others else found


def said_to_stay(what: str, *, with_answers: bool) -> list[str]:
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
