"""Whether a database holds what was acknowledged, once and within the plan; with Django's settings of that server."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps

from annotations.ground.sides import LIMIT, RULE
from annotations.models import Assignment, LabelResponse, PreferenceResponse, Study
from annotations.models.comparisons import SideOrder
from annotations.models.jobs import BackgroundJob, JobState
from tests.benchmarks.load.checks import problems_of


@dataclass(frozen=True)
class Verdict:
    """What is missing, what is there more than once, and everything that is wrong, in sentences."""

    lost: int
    doubled: int
    problems: tuple[str, ...]


def verdict_on(study: Study, acknowledged: Sequence[dict[str, Any]]) -> Verdict:
    """Compare a study with the answers that its experts were told are saved, as `problems_of` takes them."""
    return Verdict(
        lost=lost(study, acknowledged),
        doubled=doubled(study),
        problems=(*problems_of(study, acknowledged), *_sides(study), *_jobs()),
    )


def lost(study: Study, acknowledged: Sequence[dict[str, Any]]) -> int:
    """How many acknowledged answers have a step that is not stored."""
    stored = {
        str(key)
        for model in (LabelResponse, PreferenceResponse)
        for key in model.objects.filter(assignment__study=study).values_list("key", flat=True)
    }
    return sum(
        any(one[step][0] not in stored for step in ("labels", "preference") if step in one) for one in acknowledged
    )


def doubled(study: Study) -> int:
    """How many responses are stored besides the first of their assignment; nobody corrected any."""
    return sum(
        times - 1
        for model in (LabelResponse, PreferenceResponse)
        for times in Counter(
            model.objects.filter(assignment__study=study).values_list("assignment", flat=True)
        ).values()
    )


def _sides(study: Study) -> list[str]:
    leads: Counter[int] = Counter()
    shown = Assignment.objects.filter(study=study, side_rule=RULE).exclude(turn=None)
    for expert, order in shown.values_list("expert", "side_order"):
        leads[expert] += 1 if order == SideOrder.FIRST_IS_A else -1
    apart = sum(abs(lead) > LIMIT for lead in leads.values())
    without = Assignment.objects.filter(study=study, turn=None).exclude(comparison_shown_at=None).count()
    return [
        *([f"the sides of {apart} experts are not balanced"] if apart else []),
        *([f"{without} comparisons were shown without a turn"] if without else []),
    ]


def _jobs() -> list[str]:
    waiting = Counter(
        model._meta.label
        for model in apps.get_models()
        if issubclass(model, BackgroundJob)
        for _ in model._default_manager.filter(state__in=(JobState.QUEUED, JobState.RUNNING))
    )
    return [f"{count} jobs have not ended: {label}" for label, count in waiting.items()]
