"""What a request may contain, and the type of its answer."""

import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import UnreadablePostError
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from annotations import bounded_json
from annotations.errors import HLVError

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
        return content


class UploadParser(MultiPartParser):
    """A form with files. Whatever is wrong with it is wrong with the request, not with the server."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
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
