"""How a function is called, without the types that its docstring explains."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any


def signature(function: Callable[..., Any]) -> str:
    """Its name and parameters with their defaults.

    >>> def resample(values, *, resamples=1000, seed=None): ...
    >>> signature(resample)
    'resample(values, *, resamples=1000, seed=None)'
    """
    shown: list[str] = []
    kinds = inspect.Parameter
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is kinds.KEYWORD_ONLY and not any(part.startswith("*") for part in shown):
            shown.append("*")
        stars = "**" if parameter.kind is kinds.VAR_KEYWORD else "*" if parameter.kind is kinds.VAR_POSITIONAL else ""
        shown.append(stars + _with_default(parameter))
    return f"{getattr(function, '__name__', 'function')}({', '.join(shown)})"


def _with_default(parameter: inspect.Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return parameter.name
    if isinstance(parameter.default, str):  # in the quotes that the code formatter uses
        return f"{parameter.name}={json.dumps(parameter.default, ensure_ascii=False)}"
    is_long = isinstance(parameter.default, tuple) and len(parameter.default) > 2
    return f"{parameter.name}={'...' if is_long or callable(parameter.default) else repr(parameter.default)}"
