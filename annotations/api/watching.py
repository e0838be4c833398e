"""A running study: progress, pace, quiet experts, what needs attention. Never which system is ahead."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.answering.watching import DAYS_SHOWN, Habits, needs_of, watch
from annotations.api.views import ResearchView, unblinded_study


class DaySerializer(serializers.Serializer[Any]):
    date = serializers.DateField()
    answers = serializers.IntegerField()


class ForecastSerializer(serializers.Serializer[Any]):
    date = serializers.DateField(allow_null=True, help_text="When the last answer will arrive at this pace.")
    per_day = serializers.FloatField(help_text="Answers per day over the last 7 days.")
    reason = serializers.CharField(help_text="Why there is no date.")


class HabitsSerializer(serializers.Serializer[Habits]):
    median_ms = serializers.IntegerField(allow_null=True, help_text="Active milliseconds per text.")
    a_share = serializers.FloatField(
        allow_null=True,
        help_text="Of the answers that chose one side, the share that chose A. Sides are drawn at random.",
    )
    chose_one = serializers.IntegerField(help_text="How many of the newest answers chose one side.")


class WatchedExpertSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    is_active = serializers.BooleanField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    last_answer = serializers.DateTimeField(allow_null=True)
    habits = HabitsSerializer()


class NeedSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    sentence = serializers.CharField()
    tab = serializers.CharField(help_text="The tab of the study's page where it can be settled; empty: none.")
    count = serializers.IntegerField()


class CoverageSerializer(serializers.Serializer[Any]):
    answers = serializers.IntegerField()
    comparisons = serializers.IntegerField(help_text="How many comparisons have this many answers.")


class WatchedSerializer(serializers.Serializer[Any]):
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    pilot = serializers.IntegerField(help_text="Answers given in the pilot, which the other counts exclude.")
    days = DaySerializer(many=True, help_text=f"The last {DAYS_SHOWN} days at most, in UTC.")
    forecast = ForecastSerializer()
    habits = HabitsSerializer()
    experts = WatchedExpertSerializer(many=True)
    coverage = CoverageSerializer(many=True)
    waiting = serializers.IntegerField(
        help_text="Places in the total that are not assigned while a system is paused; the forecast excludes them."
    )
    needs = NeedSerializer(many=True)


class OverviewView(ResearchView):
    """How a study is doing, for researchers and admins, without any system's name, side or share."""

    @extend_schema(operation_id="study_overview", responses=WatchedSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        watched = watch(study)
        shown = {
            **{
                name: getattr(watched, name)
                for name in ("done", "total", "pilot", "days", "forecast", "habits", "experts", "waiting")
            },
            "coverage": [{"answers": answers, "comparisons": number} for answers, number in watched.coverage],
            "needs": [asdict(need) for need in needs_of(study, watched)],
        }
        return Response(WatchedSerializer(shown).data)
