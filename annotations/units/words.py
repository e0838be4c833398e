"""What is exchanged and why, in words for people who have never heard of a permutation."""

from __future__ import annotations

from annotations.units.crossing import Crossing
from annotations.units.exchanging import ENOUGH_METHODS, Exchangeable, count_permutations

FEW = 4
"""Up to this many methods are named in a sentence; more are counted."""


def explained(crossing: Crossing, exchangeable: Exchangeable) -> str:
    """What is exchanged and why, in words for people who have never heard of a permutation.

    >>> print(explained(Crossing.of([("A", "x"), ("A", "y"), ("A", "z")]), "systems"))
    Any two of the 3 systems can change places: they are 3 methods of one model, each counted once.
    """
    if len(crossing) < 2:
        return "There are not two systems that could change places."
    if count_permutations(crossing, exchangeable) == 1:
        return f"Nothing can change places: {_CANNOT[exchangeable]}."
    words = {
        "systems": _systems_in_words,
        "within model": _within_model_in_words,
        "methods jointly": _methods_in_words,
        "models jointly": _models_in_words,
        "models and methods": _both_in_words,
    }[exchangeable](crossing)
    if not crossing.has_runs:
        return words
    if exchangeable == "systems":
        return f"{words} Runs of one model and method are counted as if they were systems of their own."
    return f"{words} Runs of one model and method move together."


_CANNOT: dict[Exchangeable, str] = {
    "systems": "there are not two systems",
    "within model": "no model has two methods (with equally many runs)",
    "methods jointly": "no two methods are in the same models (with equally many runs)",
    "models jointly": "there are not two models that have the same method (with equally many runs)",
    "models and methods": "no two methods are in the same models, and no two models have the same method",
}


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _shape(crossing: Crossing) -> str:
    return f"{_number(len(crossing.model_names), 'model')}, {_number(len(crossing.method_names), 'method')}"


def _systems_in_words(crossing: Crossing) -> str:
    start = f"Any two of the {len(crossing)} systems can change places"
    models, methods = len(crossing.model_names), len(crossing.method_names)
    if crossing.cells == methods and models == 1:
        return f"{start}: they are {_number(methods, 'method')} of one model, each counted once."
    if crossing.cells == models:
        return f"{start}: each is a model of its own."
    if crossing.stand_alone:
        return f"{start}: nearly every one is the only one of its model."
    return (
        f"{start}, as if they had nothing in common. That is right only where they share neither a model nor a method "
        f"({_shape(crossing)}); otherwise chance is taken for a finding too often."
    )


def _within_model_in_words(crossing: Crossing) -> str:
    start = "The systems of each model change places among themselves, never with those of another model"
    if crossing.is_nested:
        return f"{start}: the models have different methods ({_shape(crossing)})."
    return (
        f"{start} ({_shape(crossing)}). Some methods are in several models: if a method does alike in all of them, "
        "chance is taken for a finding too often."
    )


def _methods_in_words(crossing: Crossing) -> str:
    if len(crossing.model_names) == 1:
        return f"Whole methods of one model change places ({_number(len(crossing.method_names), 'method')})."
    start = f"Whole methods change places, each in all of its models at once ({_shape(crossing)})"
    if crossing.is_nested:
        return f"{start}: methods of one model only with each other, since the models have different methods."
    return f"{start}: a method may do alike in every model, so its systems count as one.{_holes_in_words(crossing)}"


def _models_in_words(crossing: Crossing) -> str:
    if crossing.is_nested or len(crossing.method_names) == 1:
        return f"Whole models change places ({_shape(crossing)})."
    start = f"Whole models change places, each with the systems of all of its methods at once ({_shape(crossing)})"
    holes = " Systems of methods that are not in every model stay where they are." if len(crossing.holed) else ""
    return f"{start}: a model may do alike with every method, so its systems count as one.{holes}"


def _both_in_words(crossing: Crossing) -> str:
    few = len(crossing.complete) < ENOUGH_METHODS
    why = ": there are too few methods to exchange these alone" if few else ""
    return (
        "Whole methods change places, each in all of its models at once, and whole models, each with all of its "
        f"methods ({_shape(crossing)}){why}.{_holes_in_words(crossing)}"
    )


def _holes_in_words(crossing: Crossing) -> str:
    """Which methods are not in every model, and what happens to them: empty, or a sentence after a space."""
    names = [crossing.method_names[method] or "the method without a name" for method in crossing.holed]
    if not names:
        return ""
    if len(names) == 1:
        return f" {names[0]} is not in every model and stays where it is."
    which = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) <= FEW else f"{len(names)} methods"
    return f" {which} are not in every model: each changes places only with methods of the same models, or stays."
