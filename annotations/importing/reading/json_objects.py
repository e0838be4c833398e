"""JSON objects in which every key stands once: where one stands twice, the parser would silently keep the last."""

from typing import Any


class RepeatedKey(Exception):
    """An object names a key twice."""


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The `object_pairs_hook` that refuses an object with a key twice.

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
