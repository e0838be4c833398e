"""Lists of numbers in Python's notation: converted to JSON and parsed as data, never run."""

import re
from typing import Any

from annotations.ground import bounded_json

LONGEST = 100_000
DEEPEST = 3
PLAIN = re.compile(r"[\[\](),\s0-9eE.+-]*")
# Python writes .5, 1. and +1, and a comma after the last entry; JSON does not.
BARE_POINT = re.compile(r"(?<![0-9])\.(?=[0-9])")
LAST_POINT = re.compile(r"(?<=[0-9])\.(?![0-9])")
PLUS = re.compile(r"(?<![eE])\+")
BRACKETS = re.compile(r"[\[\]]")
LAST_COMMA = re.compile(r",(?=\s*\])")


def list_in(text: str) -> list[Any] | None:
    """A text as a list of numbers, or of lists of them; None if it is something else or too long.

    >>> list_in("[0.25, .75]"), list_in("[(0, 1), [1., +0]]"), list_in("[1][0]"), list_in("[1 + 1]")
    ([0.25, 0.75], [[0, 1], [1.0, 0]], None, None)
    >>> list_in("[__import__('os')]"), list_in('"[1, 2]"'), list_in("7")
    (None, [1, 2], None)
    """
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':  # quoted by a CSV writer because of its commas
        text = text[1:-1]
    if len(text) > LONGEST or not PLAIN.fullmatch(text):
        return None
    text = text.replace("(", "[").replace(")", "]")
    if _depth(text) > DEEPEST:
        return None
    for pattern, becomes in ((BARE_POINT, "0."), (LAST_POINT, ".0"), (PLUS, ""), (LAST_COMMA, "")):
        text = pattern.sub(becomes, text)
    try:
        value = bounded_json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, list) else None


def _depth(text: str) -> int:
    """How deeply the brackets are nested."""
    depth = deepest = 0
    for bracket in BRACKETS.findall(text):
        depth += 1 if bracket == "[" else -1
        deepest = max(deepest, depth)
    return deepest


def is_number(value: Any) -> bool:
    """Whether it is a finite number; True and False are not.

    >>> is_number(0.5), is_number(True), is_number(float("inf"))
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
