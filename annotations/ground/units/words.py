"""What is exchanged and why, in words for people who have never heard of a permutation."""

from __future__ import annotations

from typing import Protocol

from annotations.ground.filling import in_english
from annotations.ground.units.crossing import Crossing
from annotations.ground.units.exchanging import ENOUGH_METHODS, Exchangeable, count_permutations

FEW = 4
"""Up to this many methods are named in a sentence; more are counted."""


class Say(Protocol):
    """Says a message with its values: in English for what is stored, in the reader's language for a page."""

    def __call__(self, message: str, /, **values: object) -> str: ...


def _(message: str) -> str:
    """Marks a message for the catalogues, as gettext_noop does: this needs no Django."""
    return message


def explained(crossing: Crossing, exchangeable: Exchangeable, *, say: Say = in_english) -> str:
    """What is exchanged and why, in words for people who have never heard of a permutation.

    >>> print(explained(Crossing.of([("A", "x"), ("A", "y"), ("A", "z")]), "systems"))
    Any two of the 3 systems can change places: they are 3 methods of one model, each counted once.
    """
    if len(crossing) < 2:
        return say(_("There are not two systems that could change places."))
    if count_permutations(crossing, exchangeable) == 1:
        return say(_CANNOT[exchangeable])
    words = {
        "systems": _systems_in_words,
        "within model": _within_model_in_words,
        "methods jointly": _methods_in_words,
        "models jointly": _models_in_words,
        "models and methods": _both_in_words,
    }[exchangeable](crossing, say)
    if not crossing.has_runs:
        return words
    if exchangeable == "systems":
        return f"{words} {say(_('Runs of one model and method are counted as if they were systems of their own.'))}"
    return f"{words} {say(_('Runs of one model and method move together.'))}"


_CANNOT: dict[Exchangeable, str] = {
    "systems": _("Nothing can change places: there are not two systems."),
    "within model": _("Nothing can change places: no model has two methods (with equally many runs)."),
    "methods jointly": _("Nothing can change places: no two methods are in the same models (with equally many runs)."),
    "models jointly": _(
        "Nothing can change places: there are not two models that have the same method (with equally many runs)."
    ),
    "models and methods": _(
        "Nothing can change places: no two methods are in the same models, and no two models have the same method."
    ),
}


def _shape(crossing: Crossing, say: Say) -> str:
    return say(
        _("{models, plural, one {# model} other {# models}}, {methods, plural, one {# method} other {# methods}}"),
        models=len(crossing.model_names),
        methods=len(crossing.method_names),
    )


def _systems_in_words(crossing: Crossing, say: Say) -> str:
    systems, models, methods = len(crossing), len(crossing.model_names), len(crossing.method_names)
    if crossing.cells == methods and models == 1:
        return say(
            _(
                "Any two of the {systems} systems can change places: they are {methods, plural, one {# method} other "
                "{# methods}} of one model, each counted once."
            ),
            systems=systems,
            methods=methods,
        )
    if crossing.cells == models:
        return say(
            _("Any two of the {systems} systems can change places: each is a model of its own."), systems=systems
        )
    if crossing.stand_alone:
        return say(
            _("Any two of the {systems} systems can change places: nearly every one is the only one of its model."),
            systems=systems,
        )
    return say(
        _(
            "Any two of the {systems} systems can change places, as if they had nothing in common. That is right only "
            "where they share neither a model nor a method ({shape}); otherwise chance is taken for a finding too "
            "often."
        ),
        systems=systems,
        shape=_shape(crossing, say),
    )


def _within_model_in_words(crossing: Crossing, say: Say) -> str:
    nested = _(
        "The systems of each model change places among themselves, never with those of another model: the models have "
        "different methods ({shape})."
    )
    crossed = _(
        "The systems of each model change places among themselves, never with those of another model ({shape}). Some "
        "methods are in several models: if a method does alike in all of them, chance is taken for a finding too often."
    )
    return say(nested if crossing.is_nested else crossed, shape=_shape(crossing, say))


def _methods_in_words(crossing: Crossing, say: Say) -> str:
    if len(crossing.model_names) == 1:
        return say(
            _("Whole methods of one model change places ({methods, plural, one {# method} other {# methods}})."),
            methods=len(crossing.method_names),
        )
    nested = _(
        "Whole methods change places, each in all of its models at once ({shape}): methods of one model only with each "
        "other, since the models have different methods."
    )
    crossed = _(
        "Whole methods change places, each in all of its models at once ({shape}): a method may do alike in every "
        "model, so its systems count as one."
    )
    words = say(nested if crossing.is_nested else crossed, shape=_shape(crossing, say))
    return words if crossing.is_nested else words + _holes_in_words(crossing, say)


def _models_in_words(crossing: Crossing, say: Say) -> str:
    shape = _shape(crossing, say)
    if crossing.is_nested or len(crossing.method_names) == 1:
        return say(_("Whole models change places ({shape})."), shape=shape)
    words = say(
        _(
            "Whole models change places, each with the systems of all of its methods at once ({shape}): a model may do "
            "alike with every method, so its systems count as one."
        ),
        shape=shape,
    )
    if not len(crossing.holed):
        return words
    return f"{words} {say(_('Systems of methods that are not in every model stay where they are.'))}"


def _both_in_words(crossing: Crossing, say: Say) -> str:
    few = _(
        "Whole methods change places, each in all of its models at once, and whole models, each with all of its "
        "methods ({shape}): there are too few methods to exchange these alone."
    )
    enough = _(
        "Whole methods change places, each in all of its models at once, and whole models, each with all of its "
        "methods ({shape})."
    )
    words = say(few if len(crossing.complete) < ENOUGH_METHODS else enough, shape=_shape(crossing, say))
    return words + _holes_in_words(crossing, say)


def _holes_in_words(crossing: Crossing, say: Say) -> str:
    """Which methods are not in every model, and what happens to them: empty, or a sentence after a space."""
    unnamed = say(_("the method without a name"))
    names = [crossing.method_names[method] or unnamed for method in crossing.holed]
    if not names:
        return ""
    if len(names) == 1:
        return " " + say(_("{name} is not in every model and stays where it is."), name=names[0])
    if len(names) > FEW:
        message = _(
            "{number} methods are not in every model: each changes places only with methods of the same models, or "
            "stays."
        )
        return " " + say(message, number=len(names))
    named = say(_("{first} and {last}"), first=", ".join(names[:-1]), last=names[-1])
    message = _("{names} are not in every model: each changes places only with methods of the same models, or stays.")
    return " " + say(message, names=named)
