"""JSON of strangers: how deeply it is nested is found out before it is read."""

import json
import re
from typing import Any

MOST_NESTED = 64
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)  # one without an end goes to the end: linear in the length
_NO_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))


class TooDeep(ValueError):
    """The JSON is nested too deeply."""


def is_nested_too_deeply(content: bytes) -> bool:
    """Whether JSON has more than 64 levels (up to 128 where objects and lists alternate), or no end to its brackets.

    >>> is_nested_too_deeply(b'{"a": [[1], "[[[["]}'), is_nested_too_deeply(b"[" * 200 + b"]" * 200)
    (False, True)
    """
    if content.count(b"[") + content.count(b"{") <= MOST_NESTED:
        return False
    brackets = _STRING.sub(b"", content).translate(None, _NO_BRACKETS)
    for _level in range(MOST_NESTED):  # each takes the innermost brackets away
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return len(brackets) > 0


def loads(content: str | bytes, **options: Any) -> Any:
    """`json.loads` within bounds: every flaw is a ValueError, also nesting that Python could not read."""
    if isinstance(content, bytes):
        too_deep = is_nested_too_deeply(content)
    else:  # nearly all of very many short texts have few brackets
        few = content.count("[") + content.count("{") <= MOST_NESTED
        too_deep = not few and is_nested_too_deeply(content.encode("utf-8", "surrogatepass"))
    if too_deep:
        raise TooDeep("too deep")
    try:
        return json.loads(content, **options)
    except RecursionError as error:
        raise TooDeep("too deep") from error
