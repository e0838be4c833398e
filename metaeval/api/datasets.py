"""A dataset at a glance: how much people agree, how good its systems are, and what uses it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Sum
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.views import person
from annotations.ground.arrays import Matrix
from annotations.ground.disagreement import disagreement
from annotations.models import Dataset, Event, EventKind, HumanAnnotation, Label, Study, StudyState, System, Task
from annotations.shown.people import ShownPeople
from metaeval.api.access import ResearchersView, visible_dataset
from metaeval.jobs.models import AnalysisRun
from metaeval.metrics import compute
from metaeval.metrics.registry import defaults

BINS = 10
CELLS_AT_ONCE = 16_000_000
"""How many numbers of predictions are held while they are scored; at least one system's."""
NEWEST = 100


class HeadlineMetricSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    orientation = serializers.ChoiceField(
        choices=["higher", "lower"], help_text="Whether higher or lower values are better."
    )


class RatedSystemSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    model = serializers.CharField()
    method = serializers.CharField()
    run = serializers.CharField()
    missing = serializers.IntegerField(help_text="For how many texts it predicts nothing; its metrics leave them out.")
    is_simulated = serializers.BooleanField()
    metrics = serializers.DictField(
        child=serializers.FloatField(allow_null=True), help_text=("Values by the metric's name; null if undefined.")
    )


class RatedSystemsSerializer(serializers.Serializer[Any]):
    metrics = HeadlineMetricSerializer(many=True)
    systems = RatedSystemSerializer(many=True, help_text="By the first metric, the best first.")


class GlanceSerializer(serializers.Serializer[Any]):
    shares = serializers.DictField(
        child=serializers.FloatField(), help_text="The mean share of each label over all texts."
    )
    disagreement = serializers.FloatField(allow_null=True, help_text="The mean over the texts, in [0, 1].")
    histogram = serializers.ListField(
        child=serializers.IntegerField(), help_text="Texts by disagreement, in ten bins of equal width from 0 to 1."
    )
    people = serializers.IntegerField(allow_null=True, help_text=("How many are known by a code; null if nobody is."))
    fewest = serializers.IntegerField(allow_null=True, help_text="The fewest judgements of a text.")
    most = serializers.IntegerField(allow_null=True, help_text="The most judgements of a text.")
    alpha = serializers.FloatField(
        allow_null=True,
        help_text="Krippendorff's alpha (nominal) if each text has one label and labels have no order. "
        "Otherwise, or if it is undefined, null: the analysis of agreement has more.",
    )


class StudyUsingSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(choices=StudyState.choices)


class ImportedSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    by = serializers.CharField(help_text="Their name or, where it may be seen, their address.")
    what = serializers.CharField()
    files = serializers.ListField(child=serializers.CharField())
    systems = serializers.ListField(child=serializers.CharField())


class UsesSerializer(serializers.Serializer[Any]):
    studies = StudyUsingSerializer(many=True)
    hidden_studies = serializers.IntegerField(help_text=("Studies of other people, which this person may not see."))
    runs = serializers.IntegerField(help_text="Analyses of this dataset, alone or with others.")
    imports = ImportedSerializer(many=True, help_text="What was imported when, from which files; the newest first.")


class ScoredSystemsView(ResearchersView):
    @extend_schema(operation_id="dataset_systems", responses=RatedSystemsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The systems of a dataset, with the values of the task's main metrics."""
        dataset = visible_dataset(request, slug)
        headline = defaults(dataset.task)
        systems = list(System.objects.filter(dataset=dataset).order_by("model", "method", "run"))
        values = _scores(dataset, systems)
        rows = [
            {
                **{name: getattr(system, name) for name in ("name", "model", "method", "run", "missing")},
                "is_simulated": system.is_simulated,
                "metrics": values[system.pk],
            }
            for system in systems
        ]
        first = headline[0]
        sign = -1.0 if first.orientation == "higher" else 1.0
        rows.sort(key=lambda row: math.inf if row["metrics"][first.name] is None else sign * row["metrics"][first.name])
        return Response(RatedSystemsSerializer({"metrics": headline, "systems": rows}).data)


class GlanceView(ResearchersView):
    @extend_schema(operation_id="dataset_glance", responses=GlanceSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """How much people agree about the texts of a dataset."""
        dataset = visible_dataset(request, slug)
        names = list(Label.objects.filter(dataset=dataset).order_by("position").values_list("name", flat=True))
        P = dataset.gold
        values = disagreement(P, multilabel=dataset.task == Task.MULTILABEL) if names else np.zeros(0)
        per_text = HumanAnnotation.objects.filter(instance__dataset=dataset).order_by().values("instance")
        counts = list(per_text.annotate(n=Sum("count")).order_by("instance__position").values_list("n", flat=True))
        named = HumanAnnotation.objects.filter(instance__dataset=dataset).exclude(annotator="")
        people = named.aggregate(n=Count("annotator", distinct=True))["n"]
        glance = {
            "shares": dict(zip(names, P.mean(axis=0).tolist(), strict=True)) if len(P) else {},
            "disagreement": float(values.mean()) if len(values) else None,
            "histogram": np.histogram(values, bins=BINS, range=(0.0, 1.0))[0].tolist(),
            "people": people or None,
            "fewest": min(counts, default=None),
            "most": max(counts, default=None),
            "alpha": _nominal_alpha(P, counts) if dataset.task == Task.MULTICLASS else None,
        }
        return Response(GlanceSerializer(glance).data)


class UsesView(ResearchersView):
    @extend_schema(operation_id="dataset_uses", responses=UsesSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """What uses a dataset, and what was imported into it."""
        dataset, user = visible_dataset(request, slug), person(request)
        people = ShownPeople(to=user)
        studies = Study.objects.filter(dataset=dataset)
        mine = studies.filter(pk__in=Study.objects.visible_to(user).values("pk"))
        kinds = (EventKind.IMPORTED, EventKind.REPLACED)
        log = (
            Event.objects.select_related("actor")
            .filter(dataset=dataset, subject=dataset.slug, study=None, kind__in=kinds)
            .order_by("-pk")
        )
        imports = [
            {
                "at": event.at,
                "by": people.name(event.known_actor),
                "what": event.data.get("what", ""),
                "files": event.data.get("files", []),
                "systems": event.data.get("systems", []),
            }
            for event in log[:NEWEST]
        ]
        visible = list(mine.order_by("slug"))
        of_it = (
            AnalysisRun.objects.filter(dataset=dataset).count() + AnalysisRun.objects.filter(datasets=dataset).count()
        )
        uses = {"studies": visible, "hidden_studies": studies.count() - len(visible), "runs": of_it, "imports": imports}
        return Response(UsesSerializer(uses).data)


def _scores(dataset: Dataset, systems: list[System]) -> dict[int, dict[str, float | None]]:
    """The main metrics of each system, cached by content: matrices never change."""
    keys = {f"scores:{dataset.fingerprint}:{system.fingerprint}": system for system in systems}
    cached: dict[str, dict[str, float | None]] = cache.get_many(keys)
    new = {key: system for key, system in keys.items() if key not in cached}
    if new:
        P, waiting, computed = dataset.gold, list(new), {}
        at_once = max(1, CELLS_AT_ONCE // max(1, P.size))
        for first in range(0, len(waiting), at_once):
            some = {new[key].pk: key for key in waiting[first : first + at_once]}
            matrices = dict(System.objects.filter(pk__in=some).values_list("pk", "predictions"))
            table = compute(P, {some[pk]: Q for pk, Q in matrices.items()}, dataset.task, absent="leave out")
            for key in some.values():
                cells = table[key].items()
                computed[key] = {name: value if math.isfinite(value := float(cell)) else None for name, cell in cells}
        cache.set_many(computed, timeout=None)
        cached |= computed
    return {system.pk: cached[f"scores:{dataset.fingerprint}:{system.fingerprint}"] for system in systems}


def _nominal_alpha(P: Matrix, counts: Sequence[int]) -> float | None:
    """Krippendorff's alpha from the shares and how many people gave them; None if it is undefined.

    The same as `metaeval.stats.agreement.krippendorff_alpha` for single labels, without reading any annotations.
    """
    if len(counts) != len(P):
        return None
    people = np.array(counts, dtype=float)
    several = people >= 2
    n, shares = people[several], P[several]
    total = n.sum()
    if not total:
        return None
    observed = (n * n / (n - 1) * (1.0 - (shares**2).sum(axis=1))).sum() / total
    pooled = (n[:, None] * shares).sum(axis=0)
    expected = (total * total - (pooled**2).sum()) / (total * (total - 1))
    return float(1.0 - observed / expected) if expected > 1e-12 else None
