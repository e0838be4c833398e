"""What a dash stands for in the figures: a metric that is undefined, and why. It is never drawn as 0."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.analyses.base.saying import inside, listed, why
from metaeval.analyses.system_scores.result import ComparedMetric, SystemScoresResult

MOST_REASONS = 2


def undefined_in_words(result: SystemScoresResult, metrics: Sequence[ComparedMetric]) -> list[str]:
    """The undefined metrics of all methods with their reasons, as notes of a figure; none if all are defined."""
    reasons: dict[str, dict[str, None]] = {}
    for group in result.groups:
        for metric in metrics:
            found = group.metrics[metric.name]
            if found.mean is None:
                reasons.setdefault(why(found.reason), {})[inside(metric.title)] = None
    said = [f"{listed(list(titles))} ({reason})" for reason, titles in reasons.items()]
    more = ", and others" if len(said) > MOST_REASONS else ""
    return [f"A dash: undefined. {'; '.join(said[:MOST_REASONS])}{more}."] if said else []
