"""Every error of the API has one shape: `{"code", "detail", "data", "fields"}`."""

from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DataError
from django.http import Http404, UnreadablePostError
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.views import exception_handler as rest_exception_handler

from annotations.ground.errors import HLVError
from annotations.storing.outage import RETRY_AFTER, is_away, outages


class ErrorSerializer(serializers.Serializer[Any]):
    """The shape of every error, for the schema."""

    code = serializers.CharField()
    detail = serializers.CharField()
    data = serializers.JSONField()  # type: ignore[assignment]  # the field's name, not the serializer's data
    fields = serializers.DictField(  # type: ignore[assignment]  # the field's name, not the serializer's fields
        child=serializers.ListField(child=serializers.CharField()),
        help_text="What is wrong with each field that was sent; nested fields are named `outer.inner`.",
    )


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn our errors and Django REST framework's into the one shape. Anything else remains a 500."""
    if isinstance(error, HLVError):
        detail = translation.gettext(error.message)
        fields = fields_of(getattr(error, "fields", None) or error.data.get("fields"))
        return Response(body_of(error.code, detail, error.data, fields), status=error.status)
    if is_away(error):
        outages.note(error, who="request")
        return Response(no_database(), status=503, headers={"Retry-After": RETRY_AFTER})
    if isinstance(error, DataError) or (isinstance(error, OverflowError) and "SQLite" in str(error)):
        detail = _("Some of the values cannot be saved: a number is too large, or a character is not allowed.")
        return Response(body_of("invalid", detail), status=400)
    if isinstance(error, SuspiciousOperation | UnreadablePostError):
        code, status = ("too_large", 413) if isinstance(error, RequestDataTooBig) else ("bad_request", 400)
        detail = _("The request could not be read. It may be incomplete, or its content type may be wrong.")
        return Response(body_of(code, detail), status=status)
    response = rest_exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.NotAuthenticated):
        # The framework answers 403 so that browsers do not ask for a password themselves; for Bearer none does.
        response.status_code = 401
        response["WWW-Authenticate"] = "Bearer"
    if isinstance(error, exceptions.ValidationError):
        detail = _("Some of the values are not valid.")
        body = body_of("invalid", detail, response.data, fields_of(response.data))
    elif isinstance(error, Http404 | exceptions.NotFound):
        body = body_of("not_found", _("There is nothing here, or you may not see it."))
    elif isinstance(error, PermissionDenied):
        body = body_of("not_allowed", _("You are not allowed to do this."))
    else:
        body = body_of(*in_plain_words(error, context))
    response.data = body
    return response


def in_plain_words(error: Exception, context: dict[str, Any]) -> tuple[str, str]:
    """The code and the sentence for an error that the framework itself raises."""
    code, sentence = str(getattr(error, "default_code", "error")), str(getattr(error, "detail", error))
    match error:
        case exceptions.NotAuthenticated():
            sentence = _("Please sign in, or send a valid API token.")
        case exceptions.PermissionDenied() if sentence.startswith("CSRF"):
            code = "csrf_failed"
            sentence = _("This page is too old to send anything. Please reload it and try again.")
        case exceptions.MethodNotAllowed():
            sentence = _("This address does not support that. It accepts: {methods}.")
            sentence = sentence.format(methods=", ".join(context["view"].allowed_methods))
        case exceptions.UnsupportedMediaType():
            sentence = _("This content type is not accepted here. Please send {types}.")
            sentence = sentence.format(types=", ".join(parser.media_type for parser in context["view"].get_parsers()))
        case exceptions.ParseError():
            sentence = _("The request could not be read. It may be incomplete, or its content type may be wrong.")
        case exceptions.Throttled():
            sentence = _("Too many requests. Please wait {seconds} seconds and try again.")
            sentence = sentence.format(seconds=int(error.wait or 1))  # type: ignore[attr-defined]  # not in the stubs
    return code, sentence


def no_database() -> dict[str, Any]:
    """The answer while the database does not respond."""
    return body_of("no_database", _("The database cannot be reached at the moment. Please try again shortly."))


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
    elif isinstance(errors, list) and any(isinstance(error, dict | list) for error in errors):
        inner = ((str(place), value) for place, value in enumerate(errors))
    elif isinstance(errors, list):
        return {name: [str(error) for error in errors]} if errors else {}
    else:
        return {name: [str(errors)]} if errors else {}
    messages: dict[str, list[str]] = {}
    for key, value in inner:
        messages |= fields_of(value, f"{name}.{key}" if name else key)
    return messages
