"""What starting a pilot, opening, pausing or closing a study fixes, in sentences: said before it happens."""

from dataclasses import dataclass

from django.db.models import Count

from annotations.blinding.display_rule import PERCENT
from annotations.designing.averaging import compared_names
from annotations.designing.lifecycle import TRANSITIONS
from annotations.designing.several_runs import counted
from annotations.displaying import DisplayRule
from annotations.models import Study, StudyState
from annotations.models.comparisons import in_plan, of_main


@dataclass(frozen=True, slots=True)
class Consequences:
    """Of one next state. `missing` is why the study cannot go there yet, and what to do; empty where it can."""

    to: StudyState
    means: str
    fixes: tuple[str, ...] = ()
    afterwards: tuple[str, ...] = ()
    told: str = ""
    missing: str = ""


def consequences(study: Study) -> tuple[Consequences, ...]:
    """Of every state that the study can go to now, in the order in which a study goes through them. Reads only."""
    nexts = TRANSITIONS[StudyState(study.state)]
    order = (StudyState.PILOT, StudyState.OPEN, StudyState.PAUSED, StudyState.CLOSED)
    return tuple(_TOLD[to](study) for to in order if to in nexts)


def _pilot(study: Study) -> Consequences:
    return Consequences(
        to=StudyState.PILOT,
        means="Experts can answer. Pilot answers are kept and marked, and analyses leave them out unless asked.",
        fixes=(*_design(study), "The sides of the pilot follow from a secret key of its own, which is drawn now."),
        afterwards=(
            "The analysis plan can be changed until the study opens.",
            "Opening gives the main study a fresh place for every one that the pilot used. Who was shown a text in the "
            "pilot is not asked about it again, so a long pilot needs more experts later.",
            _LATER,
        ),
        told=_told(study, "see their first text when they next sign in"),
        missing=_missing(study),
    )


def _open(study: Study) -> Consequences:
    if study.opened_at is not None:
        return Consequences(
            to=StudyState.OPEN,
            means="Experts can answer again, each from where they stopped.",
            told=_told(study, "can go on when they next sign in"),
        )
    return Consequences(
        to=StudyState.OPEN,
        means="Experts can answer from now on.",
        fixes=(
            *_design(study),
            "Which side is A follows from a secret key that is drawn now. Its SHA-256 goes into the history; the key "
            "itself is told when the study is closed, so that anybody can check every side.",
            "The analysis plan is stamped with the time and its SHA-256. What is not in it counts as exploratory.",
        ),
        afterwards=(_LATER, "You can pause the study and open it again."),
        told=_told(study, "see their first text when they next sign in"),
        missing=_missing(study),
    )


def _paused(study: Study) -> Consequences:
    return Consequences(
        to=StudyState.PAUSED,
        means="Experts cannot answer until you open the study again. Nothing is lost.",
        told=_told(study, "read that the study is paused when they next come"),
    )


def _closed(study: Study) -> Consequences:
    kept = study.assignments.filter(in_plan(), of_main())
    done, places = kept.filter(completed_at__isnull=False).count(), kept.count()
    return Consequences(
        to=StudyState.CLOSED,
        means="No more answers are taken, and a closed study cannot be opened again.",
        fixes=(
            f"The answers: {done:,} of {counted(places, 'place')} are answered, and the others stay empty.",
            "No expert can change an answer any more.",
            "The keys of the sides: exports tell them from then on.",
        ),
        afterwards=("Analyses, exports and reports can be made at any time.",),
        told=_told(study, "read that the study is closed when they next come"),
    )


_TOLD = {
    StudyState.PILOT: _pilot,
    StudyState.OPEN: _open,
    StudyState.PAUSED: _paused,
    StudyState.CLOSED: _closed,
}
_LATER = "You can invite more experts, give comparisons more places, and pause a system."


def _design(study: Study) -> tuple[str, ...]:
    """What no setting can change from then on. A study that has left the draft has it fixed already."""
    if study.state != StudyState.DRAFT:
        return ()
    found = study.comparisons.aggregate(comparisons=Count("pk"), texts=Count("instance", distinct=True))
    systems, places = len(compared_names(study)), study.assignments.filter(in_plan()).count()
    plan = (
        f"The plan: {counted(found['comparisons'], 'comparison')} of {counted(systems, 'system')} on "
        f"{counted(found['texts'], 'text')}, with {counted(places, 'place')} "
        f"({study.experts_per_comparison} for each comparison).",
    )
    return (
        "The title, the instructions, the consent and both questions, as they are now.",
        *(plan if found["comparisons"] else ()),
        f"How both sides are drawn: labels above {study.display_threshold:.0%}, {_drawn(study)}.",
    )


def _drawn(study: Study) -> str:
    rule = DisplayRule.of(study)
    if rule.mode == "grid":
        return "rounded to the shares that the people of each text can give"
    return "in whole percentages" if rule.mode == "exact" else f"in steps of {PERCENT * (rule.step or 0):.0f}%"


def _told(study: Study, what: str) -> str:
    experts = study.memberships.experts().filter(is_active=True).count()
    if not experts:
        return "Experts get no mail about this, and the study has none yet."
    return f"Experts get no mail about this. The study has {counted(experts, 'expert')}, who {what}."


def _missing(study: Study) -> str:
    return "" if study.comparisons.exists() else "There is no plan yet. Make the plan first."
