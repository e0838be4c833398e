"""Several runs of one model and method, in words. Needs no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.utils.translation import gettext as _

from annotations.shown.plurals import filled

Named = tuple[str, str, str]
"""Model, method and run of a system."""


def averaging_in_words(systems: Sequence[Named]) -> str:
    """How a study treats these systems if there are several runs of one model and method; otherwise empty.

    >>> averaging_in_words([(m, k, r) for m in ("A", "B") for k in ("x", "y", "z") for r in "123"])
    '3 runs each of 2 models x 3 methods. A study compares their means (6 systems).'
    >>> averaging_in_words([("A", "x", "1"), ("A", "x", "2"), ("A", "y", "1")])
    '3 runs of 2 models and methods (1 to 2 of each). A study compares their means (2 systems).'
    >>> averaging_in_words([("A", "x", ""), ("A", "y", "")])
    ''
    """
    runs = runs_in_words(systems)
    methods = len({(model, method) for model, method, _ in systems})
    if not runs:
        return ""
    means = _("A study compares their means ({systems, plural, one {# system} other {# systems}}).")
    return f"{runs}. {filled(means, systems=methods)}"


def runs_in_words(systems: Sequence[Named]) -> str:
    """How many runs there are of what, if there are several of one model and method; otherwise empty."""
    counts = Counter((model, method) for model, method, _ in systems)
    fewest, most = min(counts.values(), default=1), max(counts.values(), default=1)
    if most == 1:
        return ""
    if fewest != most:
        message = _("{runs} runs of {number} models and methods ({fewest} to {most} of each)")
        return message.format(runs=len(systems), number=len(counts), fewest=fewest, most=most)
    models, methods = {model for model, _ in counts}, {method for _, method in counts}
    return _of(len(counts), len(models), len(methods)).format(
        runs=most, pairs=len(counts), models=len(models), methods=len(methods)
    )


def _of(pairs: int, models: int, methods: int) -> str:
    if pairs == 1:
        return _("{runs} runs of one model and method")
    if methods == 1:
        return _("{runs} runs each of {models} models")
    if models == 1:
        return _("{runs} runs each of {methods} methods")
    if pairs == models * methods:
        return _("{runs} runs each of {models} models x {methods} methods")
    return _("{runs} runs each of {pairs} models and methods")
