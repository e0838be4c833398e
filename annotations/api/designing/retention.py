"""How long after its closing a study keeps the names and addresses of its experts."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.views import APIView, administered_study, person, unblinded_study
from annotations.erasing.retention import MOST_MONTHS, identities_go_at, keep_identities
from annotations.models import Study


class RetentionSerializer(serializers.Serializer[Any]):
    identities_kept_months = serializers.IntegerField(
        allow_null=True,
        min_value=0,
        max_value=MOST_MONTHS,
        help_text="Months after closing; 0: until somebody erases them; null: as the server's setting says.",
    )


class RetentionReadSerializer(RetentionSerializer):
    server_months = serializers.IntegerField(help_text="The server's setting; 0: until somebody erases them.")
    identities_go_at = serializers.DateTimeField(
        allow_null=True, help_text="When they go; null if the study is not closed, or if they are kept."
    )


class RetentionView(APIView):
    """When the names of a study's experts are erased by themselves. Its admins may change it at any time."""

    @extend_schema(operation_id="study_retention", responses=RetentionReadSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return _told(unblinded_study(request, slug))

    @extend_schema(
        operation_id="study_retention_change", request=RetentionSerializer, responses=RetentionReadSerializer
    )
    def put(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = RetentionSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        months = wanted.validated_data["identities_kept_months"]
        return _told(keep_identities(study=study, months=months, actor=person(request)))


def _told(study: Study) -> Response:
    told = {
        "identities_kept_months": study.identities_kept_months,
        "server_months": settings.HLV_IDENTITIES_KEPT_MONTHS,
        "identities_go_at": identities_go_at(study),
    }
    return Response(RetentionReadSerializer(told).data)
