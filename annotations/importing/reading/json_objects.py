"""JSON objects with unique keys: of repeated ones the parser would silently keep the last."""

from typing import Any


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
        names = [name for name, _ in pairs]
        raise RepeatedKey(next(name for name in names if names.count(name) > 1))
    return result
