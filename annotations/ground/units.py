"""What can be exchanged in a study: the unit of analysis. Needs no Django.

A permutation test asks what could have been otherwise if a metric had nothing to do with the judgements. Systems that
share a model or a method are alike for that reason alone, so they cannot simply change places with all others.
What is exchanged instead follows from the systems' names (`default_exchangeable`) and can be chosen:

- `systems`: any system with any other. Correct only if systems share nothing.
- `within model`: the systems of each model among themselves. For nested designs, where models have different methods.
- `methods jointly`: whole methods, each with its systems in all models at once. For crossed designs.
- `models jointly`: whole models, each with its systems of all methods at once.
- `models and methods`: both, independently of each other. For crossed designs with few methods.

Every choice comes down to `exchanges`: sets of units of which any two may change places, each unit being a list of
systems. Two rules apply to all but the first. Units change places only if they are alike: a method that lacks a
system in one model (a hole) is exchanged with methods that lack the same one, and stays where it is if there are none.
Whole models exchange only what all of them have: systems of a method with holes stay. And several runs of one model
and method move together, since two runs of one method say little more than one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, Protocol, get_args

import numpy as np

from annotations.ground.arrays import Codes, Counts
from annotations.ground.messages import in_english
from annotations.ground.messages import marked as _

NEARLY_ALL = 0.8
"""The share that counts as nearly all."""


@dataclass(frozen=True, eq=False)
class Crossing:
    """Which models were combined with which methods: one entry per system in `models` and `methods`, both codes.

    `model_names` and `method_names` say what the codes stand for. A name may be empty: "no method named". Systems
    with neither are not known to share anything, and count as separate methods of one unnamed model.
    """

    models: Codes
    methods: Codes
    model_names: tuple[str, ...]
    method_names: tuple[str, ...]
    table: Counts = field(init=False, repr=False)
    """The number of systems of each model (rows) and method (columns): 0 is a hole, more than 1 are runs."""

    def __post_init__(self) -> None:
        table = np.zeros((len(self.model_names), len(self.method_names)), dtype=np.int64)
        np.add.at(table, (self.models, self.methods), 1)
        object.__setattr__(self, "table", table)

    @classmethod
    def of(cls, systems: Sequence[tuple[str, str]]) -> Crossing:
        """From (model, method) of each system; the codes follow the order in which names first appear.

        >>> crossing = Crossing.of([("RoBERTa", "ReL"), ("RoBERTa", "AL"), ("BERT", "ReL")])
        >>> crossing.models.tolist(), crossing.methods.tolist(), crossing.table.tolist()
        ([0, 0, 1], [0, 1, 0], [[1, 1], [1, 0]])
        """
        models: dict[str, int] = {}
        methods: dict[str | int, int] = {}
        codes = []
        for system, (model, method) in enumerate(systems):
            key = method if model or method else system
            codes.append((models.setdefault(model, len(models)), methods.setdefault(key, len(methods))))
        pairs = np.array(codes, dtype=np.int64).reshape(len(codes), 2)
        names = tuple(key if isinstance(key, str) else "" for key in methods)
        return cls(pairs[:, 0].copy(), pairs[:, 1].copy(), tuple(models), names)

    def __len__(self) -> int:
        """How many systems there are."""
        return len(self.models)

    def of_systems(self, places: Sequence[int] | Codes) -> Crossing:
        """The same for only some of the systems, in this order; models and methods without any are left out.

        >>> Crossing.of([("A", "x"), ("A", "y"), ("B", "x")]).of_systems([2]).model_names
        ('B',)
        """
        positions = np.asarray(places, dtype=np.int64)
        models, model_codes = np.unique(self.models[positions], return_inverse=True)
        methods, method_codes = np.unique(self.methods[positions], return_inverse=True)
        return Crossing(
            model_codes.astype(np.int64),
            method_codes.astype(np.int64),
            tuple(self.model_names[model] for model in models),
            tuple(self.method_names[method] for method in methods),
        )

    @cached_property
    def complete(self) -> Codes:
        """The methods that every model has."""
        return np.flatnonzero((self.table > 0).all(axis=0))

    @cached_property
    def holed(self) -> Codes:
        """The methods that some model lacks."""
        return np.flatnonzero((self.table == 0).any(axis=0))

    @cached_property
    def cells(self) -> int:
        """How many combinations of model and method there are: systems, counting several runs once."""
        return int((self.table > 0).sum())

    @property
    def has_runs(self) -> bool:
        """Whether several systems are runs of one model and method."""
        return self.cells < len(self)

    @property
    def is_nested(self) -> bool:
        """Whether there are several models, and no method is in two of them."""
        return len(self.model_names) > 1 and bool(((self.table > 0).sum(axis=0) <= 1).all())

    @property
    def is_crossed(self) -> bool:
        """Whether nearly every method is in every model: at least two are in all, and at most a fifth of all
        combinations are holes."""
        return (
            len(self.model_names) > 1 and len(self.complete) > 1 and self.cells >= NEARLY_ALL * float(self.table.size)
        )

    @property
    def stand_alone(self) -> bool:
        """Whether (nearly) every combination is the only one of its model: at least four fifths are."""
        return int(((self.table > 0).sum(axis=1) == 1).sum()) >= NEARLY_ALL * self.cells

    def systems_of(self, *, model: int | None = None, method: int | None = None) -> list[int]:
        """The positions of the systems of a model, a method or both: by model, then method, then run."""
        selected = np.ones(len(self), dtype=bool)
        if model is not None:
            selected &= self.models == model
        if method is not None:
            selected &= self.methods == method
        places = np.flatnonzero(selected)
        return [int(place) for place in places[np.lexsort((self.methods[places], self.models[places]))]]


Exchangeable = Literal["systems", "within model", "methods jointly", "models jointly", "models and methods"]

EXCHANGEABLE: tuple[Exchangeable, ...] = get_args(Exchangeable)

ENOUGH_METHODS = 6
"""With this many methods, exchanging whole methods alone is enough: 2/6! is .0028, whereas 2/4! is .083."""

EXACTLY_HELD = 2**53
"""Larger counts are not stored: different databases' JSON would return them with different digits."""


class Alike(NamedTuple):
    """Units of which any two may change places."""

    of: Literal["systems", "methods", "models"]
    """What a unit is: a system, a method (in one model or in several), a model."""

    units: Codes
    """The systems of each unit: shape (units, systems of a unit), at least two units."""


def exchanges(crossing: Crossing, exchangeable: Exchangeable) -> tuple[Alike, ...]:
    """The sets of units of which any two may change places.

    Exchanging units u and v of a set puts the k-th system of u in the place of the k-th of v and the other way round.
    A permutation of the systems exchanges within each set, one set after another. The sets share no system, except
    those of models in `models and methods`, which come last: each exchange of methods combines with each of models.

    >>> crossing = Crossing.of([(model, method) for model in "AB" for method in "xyz"])
    >>> [alike.units.tolist() for alike in exchanges(crossing, "methods jointly")]
    [[[0, 3], [1, 4], [2, 5]]]
    >>> [alike.units.tolist() for alike in exchanges(crossing, "within model")]
    [[[0], [1], [2]], [[3], [4], [5]]]
    """
    if exchangeable not in EXCHANGEABLE:
        msg = f"exchangeable is {exchangeable!r}; expected one of {', '.join(map(repr, EXCHANGEABLE))}"
        raise ValueError(msg)
    methods: list[list[list[int]]] = []
    models: list[list[list[int]]] = []
    if exchangeable == "systems":
        free = np.arange(len(crossing))[:, np.newaxis]
        return (Alike("systems", free),) if len(free) > 1 else ()
    if exchangeable == "within model":
        methods = [
            [crossing.systems_of(model=model, method=int(method)) for method in np.flatnonzero(row == runs)]
            for model, row in enumerate(crossing.table)
            for runs in np.unique(row[row > 0])
        ]
    if exchangeable in {"methods jointly", "models and methods"}:
        methods = _alike_methods(crossing)
    if exchangeable in {"models jointly", "models and methods"}:
        models = _alike_models(crossing)
    return (
        *(Alike("methods", np.array(units, dtype=np.int64)) for units in methods if len(units) > 1),
        *(Alike("models", np.array(units, dtype=np.int64)) for units in models if len(units) > 1),
    )


def _alike_methods(crossing: Crossing) -> list[list[list[int]]]:
    """Sets of methods that have the same number of systems in each model."""
    alike: dict[tuple[int, ...], list[list[int]]] = {}
    for method, column in enumerate(crossing.table.T):
        alike.setdefault(tuple(column.tolist()), []).append(crossing.systems_of(method=method))
    return list(alike.values())


def _alike_models(crossing: Crossing) -> list[list[list[int]]]:
    """The models, each with its systems of those methods of which all models have the same number.

    If no method is in two models, or no model has two, models with the same number of methods (and runs) are alike.
    """
    counts = crossing.table
    models = range(len(counts))
    if crossing.is_nested or crossing.cells == len(counts):
        alike: dict[tuple[int, ...], list[list[int]]] = {}
        for model in models:
            by_runs = sorted(np.flatnonzero(counts[model]).tolist(), key=lambda method: int(counts[model, method]))
            systems = [place for method in by_runs for place in crossing.systems_of(model=model, method=method)]
            alike.setdefault(tuple(int(counts[model, method]) for method in by_runs), []).append(systems)
        return list(alike.values())
    even = [method for method, column in enumerate(counts.T) if (column == column[0]).all() and column[0]]
    if not even:
        return []
    return [[[at for method in even for at in crossing.systems_of(model=m, method=method)] for m in models]]


def count_permutations(crossing: Crossing, exchangeable: Exchangeable) -> int:
    """How many permutations there are, including the one that changes nothing.

    >>> crossing = Crossing.of([(model, method) for model in "AB" for method in "wxyz"])
    >>> {choice: count_permutations(crossing, choice) for choice in EXCHANGEABLE[1:]}
    {'within model': 576, 'methods jointly': 24, 'models jointly': 2, 'models and methods': 48}
    """
    return math.prod(math.factorial(len(alike.units)) for alike in exchanges(crossing, exchangeable))


def held_exactly(count: int) -> float | None:
    """A count as a number in a result; None if a float cannot hold it exactly.

    >>> held_exactly(24), held_exactly(2**53 + 1)
    (24.0, None)
    """
    return float(count) if count <= EXACTLY_HELD else None


def smallest_p(crossing: Crossing, exchangeable: Exchangeable, *, permutations: int, double: bool = True) -> float:
    """The smallest p-value that a test can give, whatever the data; worth knowing before they are collected.

    If there are no more than `permutations`, all are enumerated, and it is 1 over their number; otherwise that many
    are sampled, and it is 1 / (1 + permutations). `double`: two-sided, as twice the smaller tail. Never above 1.

    >>> crossing = Crossing.of([(model, method) for model in "AB" for method in "wxyz"])
    >>> round(smallest_p(crossing, "methods jointly", permutations=9999), 4)
    0.0833
    >>> smallest_p(crossing, "systems", permutations=9999)
    0.0002
    """
    if permutations < 1:
        msg = f"permutations is {permutations}; expected at least 1"
        raise ValueError(msg)
    count = count_permutations(crossing, exchangeable)
    smallest = 1 / count if count <= permutations else 1 / (1 + permutations)
    return min(1.0, (2 if double else 1) * smallest)


def default_exchangeable(crossing: Crossing) -> Exchangeable:
    """What is safe to exchange, from the names alone; `explained` says it in words.

    - One model: its methods are the units, which is `systems`; with several runs of one method, `methods jointly`.
    - One method, none named, or (nearly) each model with only one: the models are the units, which is `systems`; with
      several runs of one model, `models jointly`.
    - No method in two models: `within model`.
    - (Nearly) every method in every model: `methods jointly` with at least six methods that are in all models,
      otherwise `models and methods`.
    - Some methods shared, most not: `methods jointly` if that gives as many permutations as six methods do, otherwise
      `within model`.

    >>> default_exchangeable(Crossing.of([(model, method) for model in "AB" for method in "uvwxyz"]))
    'methods jointly'
    >>> default_exchangeable(Crossing.of([(model, method) for model in "AB" for method in "wxyz"]))
    'models and methods'
    >>> default_exchangeable(Crossing.of([("A", "w"), ("A", "x"), ("B", "y"), ("B", "z")]))
    'within model'
    """
    if len(crossing.model_names) <= 1:
        return "methods jointly" if crossing.has_runs else "systems"
    if crossing.stand_alone:
        return "models jointly" if crossing.has_runs else "systems"
    if crossing.is_nested:
        return "within model"
    enough = count_permutations(crossing, "methods jointly") >= math.factorial(ENOUGH_METHODS)
    if crossing.is_crossed:
        return "methods jointly" if enough and len(crossing.complete) >= ENOUGH_METHODS else "models and methods"
    return "methods jointly" if enough else "within model"


FEW = 4
"""Up to this many methods are named in a sentence; more are counted."""


class Say(Protocol):
    """Says a message with its values: in English for what is stored, in the reader's language for a page."""

    def __call__(self, message: str, /, **values: object) -> str: ...


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
