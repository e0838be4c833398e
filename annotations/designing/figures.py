"""Stored measurements of a plan (concealing.py, distorting.py), which change only with the plan or the way of drawing.

Measuring reads every matrix and trains a classifier. A page that is opened often must not wait for that.
"""

from dataclasses import asdict
from typing import Any

from django.db.models import Count, Max

from annotations.designing.concealing import Concealment, GivenAway, concealment
from annotations.designing.distorting import DisplayChoice, Distortion, display_choices
from annotations.designing.pairing import stored_shown
from annotations.ground.leaks import LearnedLeak, Tells
from annotations.models import PlanFigures, Study, StudyState

FOLLOWS_FROM = ("compares", "give_aways", "display_threshold", "display_step", "display_rule")
Figures = tuple[Concealment | None, tuple[DisplayChoice, ...]]


def plan_figures(*, study: Study) -> Figures:
    """How well the study's stored plan hides which side is which, and what each way of drawing costs; measured once.

    After the draft, only the study's own way of drawing is included, since no other can be chosen any more.
    """
    basis = _basis(study)
    kept = PlanFigures.objects.filter(study=study, basis=basis).first()
    if kept is not None:
        hidden, choices = _read(kept.figures)
    else:
        shown = stored_shown(study)
        hidden = concealment(study=study, shown=((second, instance) for _, second, instance in shown))
        choices = display_choices(study=study, shown=shown)
        figures = {"concealment": hidden and asdict(hidden), "choices": [asdict(one) for one in choices]}
        PlanFigures.objects.update_or_create(study=study, defaults={"basis": basis, "figures": figures})
    if study.state != StudyState.DRAFT:
        choices = tuple(one for one in choices if one.is_chosen)
    return hidden, choices


def _basis(study: Study) -> dict[str, Any]:
    """What the figures depend on. A new plan has new comparisons."""
    newest = study.comparisons.aggregate(newest=Max("pk"), comparisons=Count("pk"))
    return {name: getattr(study, name) for name in FOLLOWS_FROM} | newest


def _read(figures: dict[str, Any]) -> Figures:
    """The figures as measured, to the last digit."""
    told = figures["concealment"]
    hidden = told and Concealment(
        **told
        | {
            "learned": LearnedLeak(**told["learned"]),
            "tells": Tells(**told["tells"]),
            "given_away": tuple(GivenAway(**one) for one in told["given_away"]),
        }
    )
    choices = [DisplayChoice(**one | {"distortion": Distortion(**one["distortion"])}) for one in figures["choices"]]
    return hidden, tuple(choices)
