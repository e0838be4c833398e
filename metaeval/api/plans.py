"""What a study plans: its analyses, read and changed until it opens; and the power that its numbers give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import designing
from annotations.api.designing.plans import SetupQuerySerializer
from annotations.api.paging import filters_of
from annotations.api.parsing import valid
from annotations.api.translating import said
from annotations.api.views import APIView, person, unblinded_study
from annotations.designing.averaging import candidates
from annotations.ground.errors import NotFound
from annotations.models import Study
from annotations.shown.plurals import filled, in_percent
from metaeval.api.serializers import ObjectField
from metaeval.figures import SIZES
from metaeval.jobs.planning import CHOICES, EDITABLE, AnalysisInWords, in_words, set_plan, stored_plan
from metaeval.jobs.runs import MAX_SEED
from metaeval.stats.power.planned import StudyDesign, approximate_power

MOST = 50


class PlannedAnalysisSerializer(serializers.Serializer[Any]):
    analysis = serializers.CharField(max_length=80)
    parameters = ObjectField(required=False, default=dict)
    seed = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=MAX_SEED,
        help_text=("If empty, one is drawn."),
    )
    note = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=500, help_text="What is expected, and why."
    )


class AnalysisPlanRequestSerializer(serializers.Serializer[Any]):
    planned = PlannedAnalysisSerializer(many=True)

    def validate_planned(self, planned: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if len(planned) > MOST:
            raise serializers.ValidationError(f"A plan holds at most {MOST} analyses, and this one has {len(planned)}.")
        return planned


class AnalysisPlanSerializer(serializers.Serializer[Any]):
    planned = PlannedAnalysisSerializer(many=True)
    can_change = serializers.BooleanField(help_text="While the study is a draft or in its pilot.")
    sha256 = serializers.CharField(
        allow_null=True, help_text=("The hash of the plan that was fixed when the study opened.")
    )
    stamped_at = serializers.DateTimeField(allow_null=True)


class AnalysisPlanView(APIView):
    """What a study plans to compute. It is fixed, with its SHA-256 and the time, when the study opens."""

    @extend_schema(operation_id="analysis_plan", responses=AnalysisPlanSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(_plan(unblinded_study(request, slug)))

    @extend_schema(
        operation_id="analysis_plan_set", request=AnalysisPlanRequestSerializer, responses=AnalysisPlanSerializer
    )
    def put(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        set_plan(study=study, actor=person(request), **valid(AnalysisPlanRequestSerializer(data=request.data)))
        return Response(_plan(study))


class AnalysisInWordsSerializer(serializers.Serializer[AnalysisInWords]):
    analysis = serializers.CharField()
    title = serializers.CharField(help_text="The question that it answers.")
    sentences = serializers.ListField(child=serializers.CharField())


class ChosenAnalysisSerializer(serializers.Serializer[Any]):
    analysis = serializers.CharField()
    parameters = ObjectField()


class PlanChoiceSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    sentence = serializers.CharField()
    is_made = serializers.BooleanField(help_text="Whether the plan is this choice.")
    planned = ChosenAnalysisSerializer(many=True, help_text="What to send as the plan.")


class PlanInWordsSerializer(serializers.Serializer[Any]):
    planned = AnalysisInWordsSerializer(many=True, help_text="In the order of the plan.")
    choices = PlanChoiceSerializer(
        many=True, help_text=("Ready-made plans to choose from; the first is a new study's.")
    )


class PlanInWordsView(APIView):
    """The analysis plan in sentences, and ready-made plans to choose from."""

    @extend_schema(operation_id="analysis_plan_words", responses=PlanInWordsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        rows, _stamped = stored_plan(study)
        choices = [
            {
                "name": choice.name,
                "title": said(choice.title),
                "sentence": said(choice.sentence),
                "is_made": choice.is_made(rows),
                "planned": choice.planned,
            }
            for choice in CHOICES
        ]
        return Response(PlanInWordsSerializer({"planned": in_words(study, rows), "choices": choices}).data)


def _plan(study: Study) -> dict[str, Any]:
    rows, stamped = stored_plan(study)
    content = {
        "planned": rows,
        "can_change": stamped is None and study.state in EDITABLE,
        "sha256": stamped.sha256 if stamped else None,
        "stamped_at": stamped.at if stamped else None,
    }
    return dict(AnalysisPlanSerializer(content).data)


ALPHA = 0.05
STEPS = 12


class PowerQuerySerializer(SetupQuerySerializer):
    correlation = serializers.FloatField(
        min_value=0,
        max_value=1,
        default=0.6,
        help_text=("The true correlation, over systems, between a metric and quality."),
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


@dataclass(frozen=True)
class Powers:
    """The power of a study by its numbers, with its current settings or others being tried out."""

    study: Study
    systems: int
    texts: int
    unit: designing.TestingUnit | None
    correlation: float

    @classmethod
    def of(cls, request: Request, slug: str) -> Powers:
        """What the request asks about. Raises NotFound, ValidationError."""
        study = unblinded_study(request, slug)
        tried = filters_of(request, PowerQuerySerializer)
        correlation = tried.pop("correlation")
        tried.pop("experts", None)
        designing.put_tried(study, tried)
        systems = candidates(study).systems
        unit = designing.unit_of([(system.model, system.method, system.run) for system in systems])
        return cls(study, len(systems), study.dataset.instances.count(), unit, correlation)

    @property
    def is_reachable(self) -> bool:
        """Whether any answers can make p small enough."""
        return self.unit is None or self.unit.smallest_p <= ALPHA

    def point(self, instances: int, experts: int) -> dict[str, Any]:
        """The power with this many texts for each system and experts for each comparison."""
        power = 0.0
        if self.systems > 3 and self.is_reachable:
            design = StudyDesign(
                systems=self.systems,
                instances=instances,
                experts_per_comparison=experts,
                experts=experts,
                correlation=self.correlation,
            )
            power = approximate_power(design, alpha=ALPHA)
        return {"instances_per_system": instances, "experts_per_comparison": experts, "power": round(power, 4)}


class PowerFigureView(APIView):
    """The same as a chart: a Vega-Lite specification, data included."""

    @extend_schema(
        operation_id="study_power_figure",
        parameters=[PowerQuerySerializer, OpenApiParameter("size", str, enum=list(SIZES), default="screen")],
        responses={(200, "application/json"): OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, slug: str) -> Response:
        from metaeval.figures.captions import with_words
        from metaeval.figures.power_by_texts import power_by_texts  # Altair is slow to import, so only if drawing

        powers = Powers.of(request, slug)
        size = SIZES.get(request.query_params.get("size", "screen"))
        if size is None:
            raise NotFound
        own = powers.study
        numbers = sorted({1, 2, 4, own.experts_per_comparison})
        most = min(powers.texts, max(60, 2 * own.instances_per_system))
        chart = power_by_texts(
            [powers.point(instances, experts) for experts in numbers for instances in spaced(most)],
            planned=powers.point(own.instances_per_system, own.experts_per_comparison),
            correlation=powers.correlation,
            systems=powers.systems,
            size=size,
        )
        return Response(with_words(chart, name="power_by_texts", size=size, is_simulated=False).to_dict())


class PowerView(APIView):
    """The chance that a study with these numbers finds a metric that follows the experts."""

    @extend_schema(operation_id="study_power", parameters=[PowerQuerySerializer], responses=PowerSerializer)
    def get(self, request: Request, slug: str) -> Response:
        powers = Powers.of(request, slug)
        study, texts, unit, correlation = powers.study, powers.texts, powers.unit, powers.correlation
        point = powers.point
        mine = point(study.instances_per_system, study.experts_per_comparison)
        return Response(
            PowerSerializer(
                {
                    "correlation": correlation,
                    "alpha": ALPHA,
                    "systems": powers.systems,
                    "power": mine["power"],
                    "by_instances": [
                        point(instances, study.experts_per_comparison)
                        for instances in spaced(min(texts, max(60, 2 * study.instances_per_system)))
                    ],
                    "by_experts": [point(study.instances_per_system, experts) for experts in range(1, 9)],
                    "sentence": sentence(powers.systems, mine["power"], correlation, reachable=powers.is_reachable),
                    "method": " ".join(how_computed(unit)),
                }
            ).data
        )


def spaced(most: int) -> list[int]:
    """Evenly spaced whole numbers up to `most`.

    >>> spaced(6), spaced(60)[:3]
    ([1, 2, 3, 4, 5, 6], [5, 10, 15])
    """
    return sorted({max(1, round(most * step / STEPS)) for step in range(1, STEPS + 1)})


def sentence(systems: int, power: float, correlation: float, *, reachable: bool) -> str:
    """The answer in words."""
    if systems <= 3:
        return filled(
            _(
                "With {systems, plural, one {# system} other {# systems}}, no correlation over systems can be "
                "detected: at least 4 are needed."
            ),
            systems=systems,
        )
    level = number_format(ALPHA)
    if not reachable:
        return _("No answers can make p smaller than {level}: too few systems differ in model or method.").format(
            level=level
        )
    message = _(
        "A metric that follows the experts at r = {correlation} would be detected in about {share} of such studies "
        "(p < {level})."
    )
    return message.format(correlation=number_format(f"{correlation:g}"), share=in_percent(power), level=level)


def how_computed(unit: designing.TestingUnit | None) -> list[str]:
    """The method, in sentences."""
    computed = _(
        "Computed, not simulated: Fisher’s z after removing the noise of the answers from the correlation, with every "
        "system counted as independent."
    )
    return [computed, unit.explained] if unit and unit.exchangeable != "systems" else [computed]
