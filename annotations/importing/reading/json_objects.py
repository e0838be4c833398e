"""JSON objects with unique keys: of repeated ones the parser would silently keep the last."""

from typing import Any

from annotations.importing.memory.names import repeated_name


class RepeatedKey(Exception):
    """An object has the same key twice."""


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An `object_pairs_hook` that refuses repeated keys.

    >>> import json
    >>> json.loads('{"a": 1, "a": 2}', object_pairs_hook=without_repeats)
    Traceback (most recent call last):
    annotations.importing.reading.json_objects.RepeatedKey: a
    """
    result = dict(pairs)
    if len(result) != len(pairs):
        raise RepeatedKey(repeated_name(name for name, _ in pairs))
    return result
