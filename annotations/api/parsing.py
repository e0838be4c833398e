"""What a request may contain, and the type of its answer."""

import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

FORBIDDEN = re.compile("[\x00\ud800-\udfff]")


class JsonParser(JSONParser):
    """JSON that can be stored: without characters the database refuses, and nested no deeper than Python can read."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            content = super().parse(stream, media_type, parser_context)
            forbidden = any(FORBIDDEN.search(text) for text in _texts(content))
        except RecursionError:
            raise ParseError("too deep") from None
        if forbidden:
            raise ParseError("a character that cannot be stored")
        return content


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
