"""Results that counted what was erased: marked, and without what they say of single experts or of the text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from annotations.models import Instance, JobState, Membership
from metaeval.analyses.study_quality.result import expert_name
from metaeval.jobs.models import AnalysisRun, AnalysisShard


def outdate(*, experts: Iterable[Membership] | None = None, instance: Instance | None = None) -> None:
    """Mark the results of the experts' studies, or of the text's dataset, as counting what is erased."""
    if instance is not None:
        runs = AnalysisRun.objects.filter(study__dataset=instance.dataset_id)
        runs |= AnalysisRun.objects.filter(dataset=instance.dataset_id)
        _outdate(runs, "instance", {instance.external_id}, f"erased-{instance.position}")
        return
    of: dict[int, set[str]] = {}
    for expert in experts or ():
        of.setdefault(expert.study_id, set()).add(expert_name(expert.number))
    for study, names in of.items():
        _outdate(AnalysisRun.objects.filter(study=study), "expert", names, None)


def _outdate(runs: Any, key: str, names: set[str], code: str | None) -> None:
    AnalysisShard.objects.filter(run__in=runs.exclude(state__in=AnalysisRun.FINAL).values("pk")).delete()
    runs.exclude(state__in=AnalysisRun.FINAL).update(cancel_requested=True)
    for run in runs.filter(state=JobState.SUCCEEDED).only("pk", "result").iterator():
        AnalysisRun.objects.filter(pk=run.pk).update(
            result=_without(run.result, key, names, code), answers_erased_at=timezone.now()
        )
    runs.update(error_detail="")


def _without(value: Any, key: str, names: set[str], code: str | None) -> Any:
    """A result without the rows that are about one of the names, or with the name replaced by a code."""
    if isinstance(value, list):
        remaining = (
            value if code else [item for item in value if not (isinstance(item, dict) and item.get(key) in names)]
        )
        return [_without(item, key, names, code) for item in remaining]
    if isinstance(value, dict):
        return {
            name: code if code and name == key and item in names else _without(item, key, names, code)
            for name, item in value.items()
        }
    return value
