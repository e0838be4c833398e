"""Whether a study of these numbers would find a metric that follows the experts."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import designing
from annotations.api.permissions import unblinded_study
from annotations.api.planning import SetupQuerySerializer
from annotations.designing.averaging import candidates
from metaeval.stats.power.approximate import approximate_power
from metaeval.stats.power.planned import StudyDesign

ALPHA = 0.05
STEPS = 12


class PowerQuerySerializer(SetupQuerySerializer):
    correlation = serializers.FloatField(
        min_value=0, max_value=1, default=0.6, help_text="The true one, over systems, between a metric and quality."
    )


class PowerPointSerializer(serializers.Serializer[Any]):
    instances_per_system = serializers.IntegerField()
    experts_per_comparison = serializers.IntegerField()
    power = serializers.FloatField()


class PowerSerializer(serializers.Serializer[Any]):
    correlation = serializers.FloatField()
    alpha = serializers.FloatField()
    systems = serializers.IntegerField()
    power = serializers.FloatField(help_text="With the study's numbers.")
    by_instances = PowerPointSerializer(many=True, help_text="With other numbers of texts for each system.")
    by_experts = PowerPointSerializer(many=True, help_text="With other numbers of experts for each comparison.")
    sentence = serializers.CharField()
    method = serializers.CharField(help_text="How it was computed, in words.")


class PowerView(APIView):
    """The chance that the study finds a metric that follows the experts, by its numbers."""

    @extend_schema(operation_id="study_power", parameters=[PowerQuerySerializer], responses=PowerSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        asked = PowerQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        tried = dict(asked.validated_data)
        correlation = tried.pop("correlation")
        tried.pop("experts", None)
        designing.put_tried(study, tried)
        systems = candidates(study).systems
        unit = designing.unit_of([(one.model, one.method, one.run) for one in systems])
        reachable = unit is None or unit.smallest_p <= ALPHA
        texts = study.dataset.instances.count()

        def point(instances: int, experts: int) -> dict[str, Any]:
            found = 0.0
            if len(systems) > 3 and reachable:
                design = StudyDesign(
                    systems=len(systems),
                    instances=instances,
                    experts_per_comparison=experts,
                    experts=experts,
                    correlation=correlation,
                )
                found = approximate_power(design, alpha=ALPHA)
            return {"instances_per_system": instances, "experts_per_comparison": experts, "power": round(found, 4)}

        mine = point(study.instances_per_system, study.experts_per_comparison)
        return Response(
            PowerSerializer(
                {
                    "correlation": correlation,
                    "alpha": ALPHA,
                    "systems": len(systems),
                    "power": mine["power"],
                    "by_instances": [
                        point(instances, study.experts_per_comparison)
                        for instances in spaced(min(texts, max(60, 2 * study.instances_per_system)))
                    ],
                    "by_experts": [point(study.instances_per_system, experts) for experts in range(1, 9)],
                    "sentence": sentence(len(systems), mine["power"], correlation, reachable=reachable),
                    "method": "Computed, not simulated: Fisher's z with the noise of the answers taken off the "
                    "correlation, and every system counted as independent."
                    + (f" {unit.explained}" if unit and unit.exchangeable != "systems" else ""),
                }
            ).data
        )


def spaced(most: int) -> list[int]:
    """Whole numbers up to the most, evenly.

    >>> spaced(6), spaced(60)[:3]
    ([1, 2, 3, 4, 5, 6], [5, 10, 15])
    """
    return sorted({max(1, round(most * step / STEPS)) for step in range(1, STEPS + 1)})


def sentence(systems: int, power: float, correlation: float, *, reachable: bool) -> str:
    """The answer in words."""
    if systems <= 3:
        return f"With {systems} systems no correlation over systems can be found: at least 4 are needed."
    if not reachable:
        return f"No answers can make p smaller than {ALPHA:g}: too few systems differ in model or method."
    share = f"{100 * power:.0f} %"
    return (
        f"A metric that follows the experts at r = {correlation:g} would be found in about {share} of such studies "
        f"(p < {ALPHA:g})."
    )
