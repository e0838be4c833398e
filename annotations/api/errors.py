"""Every error of the API has one shape: `{"code", "detail", "data"}`."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.views import exception_handler as rest_exception_handler

from annotations.errors import HLVError


class ErrorSerializer(serializers.Serializer[Any]):
    """The shape of every error, for the schema."""

    code = serializers.CharField()
    detail = serializers.CharField()
    data = serializers.JSONField()  # type: ignore[assignment]  # the field's name, not the serializer's data


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn our errors and Django REST framework's into the one shape. What is unknown stays a 500."""
    if isinstance(error, HLVError):
        detail = translation.gettext(error.message)
        return Response({"code": error.code, "detail": detail, "data": error.data}, status=error.status)
    response = rest_exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        body = {
            "code": "invalid",
            "detail": _("Something in what was sent is not valid."),
            "data": response.data,
        }
    elif isinstance(error, Http404 | exceptions.NotFound):
        body = {"code": "not_found", "detail": _("There is nothing here that you may see."), "data": {}}
    elif isinstance(error, PermissionDenied):
        body = {"code": "not_allowed", "detail": _("You may not do this."), "data": {}}
    else:
        code = getattr(error, "default_code", "error")
        body = {"code": code, "detail": str(getattr(error, "detail", error)), "data": {}}
    response.data = body
    return response
