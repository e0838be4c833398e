"""Whether the database holds what the server acknowledged, once, and within the study's plan."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, F, Q

from annotations.models import (
    Assignment,
    Event,
    EventKind,
    LabelResponse,
    PreferenceResponse,
    Study,
)

MOST_NAMED = 3


def problems_of(study: Study, acknowledged: Sequence[dict[str, Any]]) -> list[str]:
    """What is wrong, in sentences; nothing else wrote answers to the study.

    Args:
        acknowledged: the answers that the server confirmed: the assignment's `token`, `labels` (key and positions)
            and `preference` (key, both choices, certainty).
    """
    return [*_lost_or_changed(study, acknowledged), *_doubled(study), *_over_plan(study), *_events(study)]


def _lost_or_changed(study: Study, acknowledged: Sequence[dict[str, Any]]) -> list[str]:
    labels = {
        str(key): (str(token), chosen)
        for key, token, chosen in LabelResponse.objects.filter(assignment__study=study).values_list(
            "key", "assignment__token", "labels"
        )
    }
    preferences = {
        str(key): (str(token), *answer)
        for key, token, *answer in PreferenceResponse.objects.filter(assignment__study=study).values_list(
            "key", "assignment__token", "a_chosen", "b_chosen", "certainty"
        )
    }
    problems = []
    for name, stored, sent in (
        (
            "label",
            labels,
            {one["labels"][0]: (one["token"], one["labels"][1]) for one in acknowledged if "labels" in one},
        ),
        (
            "preference",
            preferences,
            {one["preference"][0]: (one["token"], *one["preference"][1:]) for one in acknowledged},
        ),
    ):
        lost = [key for key in sent if key not in stored]
        if lost:
            problems.append(f"{len(lost)} acknowledged {name} responses are lost: {_some(lost)}")
        changed = [key for key, content in sent.items() if key in stored and stored[key] != content]
        if changed:
            problems.append(f"{len(changed)} {name} responses are not what was sent: {_some(changed)}")
    unfinished = Assignment.objects.filter(study=study, token__in=[one["token"] for one in acknowledged]).filter(
        Q(completed_at=None) | Q(comparison_shown_at=None) | Q(side_order="")
    )
    if count := unfinished.count():
        problems.append(f"{count} answered assignments are not marked as completed")
    tokens = Counter(one["token"] for one in acknowledged)
    if twice := [token for token, times in tokens.items() if times > 1]:
        problems.append(f"{len(twice)} assignments were answered twice: {_some(twice)}")
    return problems


def _doubled(study: Study) -> list[str]:
    problems = []
    for name, model in (("label", LabelResponse), ("preference", PreferenceResponse)):
        several = (
            model.objects.filter(assignment__study=study)
            .order_by()
            .values("assignment")
            .annotate(n=Count("pk"))
            .filter(n__gt=1)
        )
        if count := several.count():
            problems.append(f"{count} assignments have several {name} responses, though nobody corrected any")
    return problems


def _over_plan(study: Study) -> list[str]:
    problems = []
    taken = Assignment.objects.filter(study=study, released_at=None, repeat_of=None).exclude(expert=None).order_by()
    over = taken.values("comparison").annotate(n=Count("pk")).filter(n__gt=study.experts_per_comparison)
    if count := over.count():
        problems.append(f"{count} comparisons have more experts than planned")
    again = taken.values("expert", "instance").annotate(n=Count("pk")).filter(n__gt=1)
    if count := again.count():
        problems.append(f"{count} times an expert got the same text twice")
    turns = (
        taken.exclude(turn=None).values("expert", "phase").annotate(n=Count("pk"), last=Count("turn", distinct=True))
    )
    if count := turns.exclude(n=F("last")).count():
        problems.append(f"{count} experts have one turn twice")
    return problems


def _events(study: Study) -> list[str]:
    """Answers are rows of their own; what led to them is in the log."""
    told = Counter(Event.objects.filter(study=study).values_list("kind", flat=True))
    expected = {
        EventKind.PLANNED: 1,
        EventKind.SIDES_COMMITTED: 1,
        EventKind.STATE_CHANGED: 1,
        EventKind.MEMBER_ADDED: study.memberships.count(),
    }
    return [f"{told[kind]} events {kind}, not {count}" for kind, count in expected.items() if told[kind] != count]


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
