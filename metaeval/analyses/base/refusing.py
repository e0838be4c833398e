"""What is wrong with a parameter, in plain words, for display beside its field."""

from __future__ import annotations

from collections.abc import Mapping

SENTENCES: Mapping[str, str] = {
    "greater_than_equal": "This must be {ge} or more.",
    "less_than_equal": "This must be {le} or less.",
    "greater_than": "This must be more than {gt}.",
    "less_than": "This must be less than {lt}.",
    "literal_error": "This must be {expected}.",
    "missing": "This must be given.",
    "extra_forbidden": "There is no parameter with this name.",
    "too_short": "Choose at least {min_length}.",
    "too_long": "Choose at most {max_length}.",
    "bool_type": "This must be yes or no.",
    "bool_parsing": "This must be yes or no.",
    "list_type": "This must be a list.",
    "string_type": "This must be text.",
    "int_type": "This must be a whole number.",
    "int_parsing": "This must be a whole number.",
    "int_from_float": "This must be a whole number.",
    "float_type": "This must be a number.",
    "float_parsing": "This must be a number.",
}
"""By pydantic's name of the problem; values in braces come from its context."""


def plain_reason(kind: str, context: Mapping[str, object], message: str) -> str:
    """The sentence for a problem that pydantic found; pydantic's own message if there is no better one.

    >>> plain_reason("greater_than_equal", {"ge": 1000}, "")
    'This must be 1,000 or more.'
    >>> plain_reason("value_error", {}, "Value error, these are too few")
    'These are too few.'
    """
    if kind in SENTENCES:
        return SENTENCES[kind].format_map({name: _said(value) for name, value in context.items()})
    sentence = message.removeprefix("Value error, ").rstrip(".")
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _said(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)
