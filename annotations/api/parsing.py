"""What a request may contain: no key that its operation does not declare; and the type of its answer."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import UnreadablePostError
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from annotations.ground import bounded_json
from annotations.ground.errors import HLVError

FORBIDDEN = re.compile("[\x00\ud800-\udfff]")


class BodyTooLarge(HLVError):
    """The body of a request is larger than any honest one."""

    code = "too_large"
    status = 413


class JsonParser(JSONParser):
    """JSON that can be stored: in UTF-8, of bounded length and depth, without characters that the database refuses."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        most: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(most + 1)
        if len(body) > most:
            raise BodyTooLarge(_("This request is too large."))
        try:
            content = bounded_json.loads(body.decode("utf-8-sig"), parse_constant=_refuse)
        except ValueError:
            raise ParseError("no JSON") from None
        if any(FORBIDDEN.search(text) for text in _texts(content)):
            raise ParseError("a character that cannot be stored")
        refuse_unknown(content, parser_context)
        return content


class UploadParser(MultiPartParser):
    """A form with files. Whatever is wrong with it is wrong with the request, not with the server."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        form = self._form(stream, media_type, parser_context)
        refuse_unknown({**form.data, **form.files}, parser_context)
        return form

    def _form(self, stream: IO[Any], media_type: str | None, parser_context: Mapping[str, Any] | None) -> Any:
        try:
            return super().parse(stream, media_type, parser_context)
        except (ValueError, LookupError, RecursionError):  # an unknown encoding, a name that cannot be decoded
            raise ParseError("no form") from None
        except (SuspiciousOperation, UnreadablePostError):
            raise ParseError("no form") from None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            yield from _texts(part)
    elif isinstance(content, dict):
        yield from content
        for part in content.values():
            yield from _texts(part)


class OneType(DefaultContentNegotiation):
    """Every address answers in its own type, and errors are JSON. No request is refused for its Accept header."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


def valid(serializer: Serializer[Any]) -> dict[str, Any]:
    """What was sent, checked. Raises ValidationError."""
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


WRITES = {"POST", "PUT", "PATCH", "DELETE"}
MOST_NAMED = 20
LONGEST = 100
"""What is repeated of a key: whoever sends one of a megabyte knows it."""


class UnknownKey(HLVError):
    """The body of a request has keys that its operation does not declare: `fields` names them, `data` those it has."""

    def __init__(self, unknown: list[tuple[str, str, list[str]]]) -> None:
        self.fields = {_inside(place, key): [_sentence(key, allowed)] for place, key, allowed in unknown}
        super().__init__(
            _("Not known here: {keys}. Please check the spelling, or leave this out.").format(
                keys=", ".join(self.fields)
            ),
            allowed={place: allowed for place, _key, allowed in unknown},
        )


def _inside(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _sentence(key: str, allowed: list[str]) -> str:
    if not allowed:
        return _("This address takes no keys.")
    meant = get_close_matches(key, allowed, n=1)
    allowed_keys = _("Known here: {keys}.").format(keys=", ".join(allowed))
    return " ".join([_("Did you mean “{key}”?").format(key=meant[0]), allowed_keys] if meant else [allowed_keys])


def refuse_unknown(sent: Any, context: Mapping[str, Any] | None) -> None:
    """A misspelt key would otherwise be ignored, and what it was meant to change stay as it is, without a word.

    Raises UnknownKey.
    """
    if context is not None:
        declared = declared_body(context["view"])
        unknown = [] if takes_other_keys(declared) else list(islice(unknown_keys(sent, declared), MOST_NAMED))
        if unknown:
            raise UnknownKey(unknown)


_DECLARED: dict[Any, Any] = {}
"""By operation: a serializer copies its fields whenever one is made."""


def declared_body(view: Any) -> Any:
    """The serializer of the body that `extend_schema` declares for a request; None: it takes none, as DELETE never
    does.
    """
    operation = getattr(type(view), view.request.method.lower())
    if operation not in _DECLARED:
        schema = operation.kwargs["schema"]()
        schema.view = view
        serializer = None if view.request.method == "DELETE" else schema.get_request_serializer()
        serializer = next(iter(serializer.values())) if isinstance(serializer, dict) else serializer  # by content type
        _DECLARED[operation] = serializer() if isinstance(serializer, type) else serializer
    return _DECLARED[operation]


def takes_other_keys(serializer: Any) -> bool:
    """Whether unknown keys are ignored: in answers, which may have waited in a browser since an earlier version."""
    return bool(getattr(serializer, "takes_other_keys", False))


def unknown_keys(sent: Any, declared: Any, place: str = "") -> Iterator[tuple[str, str, list[str]]]:
    """Each key that is not declared: where it is, the key, and the keys that are declared there.

    What is declared as any JSON (parameters of an analysis, say) is checked by whoever reads it.
    """
    if isinstance(sent, list) and isinstance(declared, serializers.ListSerializer | serializers.ListField):
        for number, value in enumerate(sent):
            yield from unknown_keys(value, declared.child, _inside(place, str(number)))
    elif isinstance(sent, Mapping) and isinstance(declared, serializers.DictField):
        for key, value in sent.items():
            yield from unknown_keys(value, declared.child, _inside(place, str(key)[:LONGEST]))
    elif isinstance(sent, Mapping) and (declared is None or isinstance(declared, serializers.Serializer)):
        fields = {} if declared is None else declared.fields
        allowed = [name for name, field in fields.items() if not field.read_only]
        for key, value in sent.items():
            if key in allowed:
                yield from unknown_keys(value, fields[key], _inside(place, key))
            else:
                yield place, str(key)[:LONGEST], allowed
