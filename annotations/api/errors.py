"""Every error of the API has one shape: `{"code", "detail", "data", "fields"}`."""

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
    fields = serializers.DictField(  # type: ignore[assignment]  # the field's name, not the serializer's fields
        child=serializers.ListField(child=serializers.CharField()),
        help_text="What is wrong with which field of what was sent; a field inside a field as `outer.inner`.",
    )


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn our errors and Django REST framework's into the one shape. What is unknown stays a 500."""
    if isinstance(error, HLVError):
        detail = translation.gettext(error.message)
        fields = fields_of(error.data.get("fields"))
        return Response(body_of(error.code, detail, error.data, fields), status=error.status)
    response = rest_exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        detail = _("Something in what was sent is not valid.")
        body = body_of("invalid", detail, response.data, fields_of(response.data))
    elif isinstance(error, Http404 | exceptions.NotFound):
        body = body_of("not_found", _("There is nothing here that you may see."))
    elif isinstance(error, PermissionDenied):
        body = body_of("not_allowed", _("You may not do this."))
    else:
        code = getattr(error, "default_code", "error")
        body = body_of(code, str(getattr(error, "detail", error)))
    response.data = body
    return response


def body_of(code: str, detail: str, data: Any = None, fields: dict[str, list[str]] | None = None) -> dict[str, Any]:
    """The one shape of an error."""
    return {"code": code, "detail": detail, "data": {} if data is None else data, "fields": fields or {}}


def fields_of(errors: Any, name: str = "") -> dict[str, list[str]]:
    """The sentences of nested errors, field by field.

    >>> fields_of({"title": ["Too long."], "people": [{}, {"email": ["Is none."]}]})
    {'title': ['Too long.'], 'people.1.email': ['Is none.']}
    """
    if isinstance(errors, dict):
        inner = ((str(key), value) for key, value in errors.items())
    elif isinstance(errors, list) and any(isinstance(one, dict | list) for one in errors):
        inner = ((str(place), value) for place, value in enumerate(errors))
    elif isinstance(errors, list):
        return {name: [str(one) for one in errors]} if errors else {}
    else:
        return {name: [str(errors)]} if errors else {}
    found: dict[str, list[str]] = {}
    for key, value in inner:
        found |= fields_of(value, f"{name}.{key}" if name else key)
    return found
