"""Which analyses there are."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.permissions import NotOnlyExpert
from metaeval.analyses.registry import analyses
from metaeval.api.serializers import AnalysisSerializer


class AnalysesView(APIView):
    """Every analysis with the JSON Schema of its parameters, from which the page makes a form."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="analyses_list", responses=AnalysisSerializer(many=True))
    def get(self, _request: Request) -> Response:
        return Response(AnalysisSerializer(list(analyses), many=True).data)
