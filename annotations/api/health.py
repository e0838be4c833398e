"""The state of the server, for its admins."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.people.users import AdminView
from annotations.background.conditions import Condition, HealthPart
from annotations.background.health import Failure, Health, Named, look_after


class PartSerializer(serializers.Serializer[HealthPart]):
    name = serializers.CharField()
    condition = serializers.ChoiceField(choices=[one.value for one in Condition])
    sentence = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)


class NamedSerializer(serializers.Serializer[Named]):
    name = serializers.CharField()
    value = serializers.CharField()


class FailureSerializer(serializers.Serializer[Failure]):
    kind = serializers.CharField()
    finished_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True)


class HealthSerializer(serializers.Serializer[Health]):
    condition = serializers.ChoiceField(
        choices=[one.value for one in Condition], help_text="The condition of the worst part."
    )
    parts = PartSerializer(many=True)
    versions = NamedSerializer(many=True)
    settings = NamedSerializer(many=True)
    failures = FailureSerializer(many=True, help_text="Jobs that failed in the last 7 days, newest first; at most 20.")


class HealthView(AdminView):
    """The database, the broker, workers, queue, disk, mail; versions; settings in words."""

    @extend_schema(operation_id="system_health", responses=HealthSerializer)
    def get(self, request: Request) -> Response:
        return Response(HealthSerializer(look_after()).data)
