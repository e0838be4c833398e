"""The shapes in which trainings are sent."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from metaeval.api.serializers import ObjectField
from metaeval.jobs.runs import MAX_SEED
from metaeval.training_jobs.forms import TrainingForm
from metaeval.training_jobs.models import Training, TrainingState
from metaeval.training_jobs.saying import forecast_in_words, outcome_in_words


class OfferedMethodSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    learns = serializers.CharField(help_text="What it learns from, in one sentence.")
    source = serializers.CharField()  # type: ignore[assignment]  # the field's name, not the serializer's source
    reason = serializers.CharField(allow_blank=True, help_text="Why it does not apply to these data; empty: it does.")


class OfferedEncoderSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField(help_text="What its systems' model is called, unless another name is given.")


class TrainingFormSerializer(serializers.Serializer[TrainingForm]):
    methods = OfferedMethodSerializer(many=True)
    encoders = OfferedEncoderSerializer(many=True)
    parameters = ObjectField(help_text="JSON Schema: types, bounds, defaults and help.")
    texts = serializers.IntegerField(help_text="With a text and annotations.")
    annotators = serializers.IntegerField(help_text="Those who are known by a code.")
    has_given_split = serializers.BooleanField(help_text="Whether the files said which texts are for training.")
    worker_alive = serializers.BooleanField(help_text="Whether a worker that takes trainings is running.")


class TrainingRequestSerializer(serializers.Serializer[Any]):
    parameters = ObjectField(required=False, default=dict)
    seed = serializers.IntegerField(required=False, default=0, min_value=0, max_value=MAX_SEED)


class TrainingSerializer(serializers.Serializer[Training]):
    """A training in a list."""

    id = serializers.UUIDField()
    model = serializers.CharField(help_text="The model of the systems that it makes.")
    methods = serializers.ListField(child=serializers.CharField())
    parameters = ObjectField()
    seed = serializers.IntegerField()
    state = serializers.ChoiceField(choices=TrainingState.choices)
    error = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class MethodProgressSerializer(serializers.Serializer[Any]):
    method = serializers.CharField()
    done = serializers.IntegerField(help_text="Fits that have ended well.")
    total = serializers.IntegerField(help_text="All of them: one for each run and fold.")
    running = serializers.BooleanField()
    failed = serializers.IntegerField()


class StandingSerializer(serializers.Serializer[Any]):
    done = serializers.FloatField(help_text="Fits and searches, those under way in part.")
    total = serializers.IntegerField()
    under_way = serializers.ListField(child=serializers.CharField())
    seconds_left = serializers.IntegerField(allow_null=True, help_text="About; null: nothing is known yet.")
    methods = MethodProgressSerializer(many=True)
    systems = serializers.ListField(child=serializers.CharField(), help_text="Those that it has made so far.")
    has_curves = serializers.BooleanField(help_text="Whether there are loss curves to be drawn.")
    worker_alive = serializers.BooleanField()


class SplitSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    folds = serializers.IntegerField()
    seed = serializers.IntegerField()
    is_stratified = serializers.BooleanField()
    fingerprint = serializers.CharField()


class TrainingDetailSerializer(TrainingSerializer):
    """A training with its progress."""

    dataset = serializers.CharField(source="dataset.slug")
    dataset_title = serializers.CharField(source="dataset.title")
    split = SplitSerializer()
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="What is worth knowing before it starts, in sentences."
    )
    forecast = serializers.SerializerMethodField(help_text="Time and memory in sentences; empty before the check.")
    outcome = serializers.SerializerMethodField(help_text="What came of it, in a sentence; empty before the end.")
    standing = serializers.SerializerMethodField()

    def get_forecast(self, training: Training) -> str:
        return forecast_in_words(training)

    def get_outcome(self, training: Training) -> str:
        return outcome_in_words(training) if training.state == TrainingState.FINISHED else ""

    @extend_schema_field(StandingSerializer)
    def get_standing(self, _training: Training) -> dict[str, Any]:
        return dict(StandingSerializer(self.context["standing"]).data)
