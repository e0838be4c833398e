"""What starting a pilot, opening, pausing or closing a study fixes, in sentences for the person about to do it."""

from dataclasses import dataclass

from django.db.models import Count
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.designing.averaging import compared_names
from annotations.designing.lifecycle import TRANSITIONS
from annotations.ground.display_rule import DisplayRule
from annotations.models import Study, StudyState
from annotations.models.comparisons import in_plan, of_main
from annotations.shown.plurals import filled, in_percent

FIRST_TEXT = gettext_noop(
    "{number, plural, one {The study has # expert, who will see their first text at the next sign-in.} "
    "other {The study has # experts, who will see their first text at the next sign-in.}}"
)
AGAIN = gettext_noop(
    "{number, plural, one {The study has # expert, who can continue at the next sign-in.} "
    "other {The study has # experts, who can continue at the next sign-in.}}"
)
PAUSED = gettext_noop(
    "{number, plural, one {The study has # expert, who will read at the next visit that the study is paused.} "
    "other {The study has # experts, who will read at the next visit that the study is paused.}}"
)
CLOSED = gettext_noop(
    "{number, plural, one {The study has # expert, who will read at the next visit that the study is closed.} "
    "other {The study has # experts, who will read at the next visit that the study is closed.}}"
)


@dataclass(frozen=True, slots=True)
class Consequences:
    """The consequences of one next state. `missing` says why the study cannot move there yet and what to do; empty:
    it can.
    """

    to: StudyState
    means: str
    fixes: tuple[str, ...] = ()
    afterwards: tuple[str, ...] = ()
    told: str = ""
    missing: str = ""


def consequences(study: Study) -> tuple[Consequences, ...]:
    """The consequences of every state the study can move to, in the usual order of states. Read-only."""
    nexts = TRANSITIONS[StudyState(study.state)]
    order = (StudyState.PILOT, StudyState.OPEN, StudyState.PAUSED, StudyState.CLOSED)
    return tuple(_TOLD[to](study) for to in order if to in nexts)


def _pilot(study: Study) -> Consequences:
    return Consequences(
        to=StudyState.PILOT,
        means=_("Experts can answer. Pilot answers are saved and marked, and analyses exclude them by default."),
        fixes=(*_design(study), _("A separate secret key for the pilot, drawn now, decides which side is A.")),
        afterwards=(
            _("The analysis plan can be changed until the study opens."),
            _(
                "When the study opens, a new place replaces each one used in the pilot. Experts are not asked again "
                "about texts they saw in the pilot, so a long pilot needs more experts later."
            ),
            translation.gettext(_LATER),
        ),
        told=_told(study, FIRST_TEXT),
        missing=_missing(study),
    )


def _open(study: Study) -> Consequences:
    if study.opened_at is not None:
        return Consequences(
            to=StudyState.OPEN,
            means=_("Experts can answer again, each from where they stopped."),
            told=_told(study, AGAIN),
        )
    return Consequences(
        to=StudyState.OPEN,
        means=_("Experts can answer from now on."),
        fixes=(
            *_design(study),
            _(
                "A secret key, drawn now, decides which side is A. Its SHA-256 is recorded in the history. The key "
                "itself is published when the study is closed, so that anyone can check every side."
            ),
            _(
                "The analysis plan is recorded with the time and its SHA-256. "
                "Any analysis outside it counts as exploratory."
            ),
        ),
        afterwards=(translation.gettext(_LATER), _("You can pause the study and open it again.")),
        told=_told(study, FIRST_TEXT),
        missing=_missing(study),
    )


def _paused(study: Study) -> Consequences:
    return Consequences(
        to=StudyState.PAUSED,
        means=_("Experts cannot answer until you open the study again. Nothing is lost."),
        told=_told(study, PAUSED),
    )


def _closed(study: Study) -> Consequences:
    kept = study.assignments.filter(in_plan(), of_main())
    done, places = kept.filter(completed_at__isnull=False).count(), kept.count()
    return Consequences(
        to=StudyState.CLOSED,
        means=_("No more answers are accepted. A closed study cannot be opened again."),
        fixes=(
            filled(
                _(
                    "The answers: {done, number} of {places, plural, one {# place} other {# places}} have an answer. "
                    "The others stay empty."
                ),
                done=done,
                places=places,
            ),
            _("Experts can no longer change their answers."),
            _("The secret keys that decide the sides: exports include them from then on."),
        ),
        afterwards=(_("You can still run analyses and create exports and reports."),),
        told=_told(study, CLOSED),
    )


_TOLD = {
    StudyState.PILOT: _pilot,
    StudyState.OPEN: _open,
    StudyState.PAUSED: _paused,
    StudyState.CLOSED: _closed,
}
_LATER = gettext_noop("You can invite more experts, add places to comparisons, and pause a system.")


def _design(study: Study) -> tuple[str, ...]:
    """What can no longer be changed from then on. For a study past its draft this is already fixed."""
    if study.state != StudyState.DRAFT:
        return ()
    found = study.comparisons.aggregate(comparisons=Count("pk"), texts=Count("instance", distinct=True))
    systems, places = len(compared_names(study)), study.assignments.filter(in_plan()).count()
    plan = filled(
        _(
            "The plan: {comparisons, plural, one {# comparison} other {# comparisons}} of "
            "{systems, plural, one {# system} other {# systems}} on {texts, plural, one {# text} other {# texts}}, "
            "with {places, plural, one {# place} other {# places}} ({experts} for each comparison)."
        ),
        comparisons=found["comparisons"],
        systems=systems,
        texts=found["texts"],
        places=places,
        experts=study.experts_per_comparison,
    )
    return (
        _("The title, the instructions, the consent text and both questions, as they are now."),
        *([plan] if found["comparisons"] else []),
        _("How both sides are drawn: labels above {threshold}, {rounding}.").format(
            threshold=in_percent(study.display_threshold), rounding=_drawn(study)
        ),
    )


def _drawn(study: Study) -> str:
    rule = DisplayRule.of(study)
    if rule.mode == "grid":
        return _("rounded to the shares that are possible with the number of people who judged each text")
    return (
        _("in whole percentages")
        if rule.mode == "exact"
        else _("in steps of {step}").format(step=in_percent(rule.step or 0))
    )


def _told(study: Study, message: str) -> str:
    experts = study.memberships.experts().filter(is_active=True).count()
    if not experts:
        return _("Experts are not notified by e-mail, and the study has no experts yet.")
    return _("Experts are not notified by e-mail.") + " " + filled(translation.gettext(message), number=experts)


def _missing(study: Study) -> str:
    return "" if study.comparisons.exists() else _("There is no plan yet. Create the plan first.")
