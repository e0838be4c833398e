"""Instructions and consent as experts will read them, previewed while being written. Nothing is stored."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.designing.setting_up import MOST_TEXT
from annotations.api.parsing import valid
from annotations.api.permissions import SetsUpStudies
from annotations.api.views import APIView
from annotations.shown.instructions import sanitised


class MarkdownSerializer(serializers.Serializer[Any]):
    markdown = serializers.CharField(max_length=MOST_TEXT, allow_blank=True, trim_whitespace=False)


class HtmlSerializer(serializers.Serializer[Any]):
    html = serializers.CharField(help_text="Sanitised HTML.")


class MarkdownView(APIView):
    """Markdown as the HTML that experts will see."""

    permission_classes = [SetsUpStudies]

    @extend_schema(operation_id="markdown", request=MarkdownSerializer, responses=HtmlSerializer)
    def post(self, request: Request) -> Response:
        text = valid(MarkdownSerializer(data=request.data))["markdown"]
        return Response({"html": sanitised(text)})
