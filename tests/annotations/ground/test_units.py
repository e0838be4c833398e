"""What can be exchanged follows from the names of the systems, and is never more than what they do not share."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.ground.units import (
    EXCHANGEABLE,
    Crossing,
    Exchangeable,
    count_permutations,
    default_exchangeable,
    exchanges,
    explained,
    smallest_p,
)

designs = st.lists(st.tuples(st.sampled_from(["", "A", "B", "C"]), st.sampled_from(["", *"uvwxyz"])), max_size=24).map(
    Crossing.of
)
choices = st.sampled_from(EXCHANGEABLE)


def crossed(models: int, methods: int, *, holes: tuple[tuple[int, int], ...] = (), runs: int = 1) -> Crossing:
    cells = [cell for cell in product(range(models), range(methods)) if cell not in holes]
    return Crossing.of([(f"model {model}", f"method {method}") for model, method in cells for _ in range(runs)])


def nested(*methods: int) -> Crossing:
    return Crossing.of([(f"model {m}", f"method {m}.{k}") for m, count in enumerate(methods) for k in range(count)])


@pytest.mark.parametrize(
    ("crossing", "expected"),
    [
        (crossed(1, 13), "systems"),  # one model: its methods are the units
        (crossed(13, 1), "systems"),  # one method: the models are
        (Crossing.of([("A", ""), ("B", ""), ("C", "")]), "systems"),
        (Crossing.of([("", "x"), ("", "y"), ("", "z")]), "systems"),
        (Crossing.of([("", "")] * 5), "systems"),  # nothing is known of them, not even that they are alike
        (Crossing.of([("A", "x"), ("B", "y"), ("C", "z")]), "systems"),
        (Crossing.of([*((f"m{k}", "x") for k in range(9)), ("m0", "y")]), "systems"),  # all but two stand alone
        (crossed(2, 13), "methods jointly"),
        (crossed(2, 6), "methods jointly"),
        (crossed(2, 13, holes=((1, 3),)), "methods jointly"),
        (crossed(2, 7, holes=((1, 3),)), "methods jointly"),
        (crossed(2, 6, holes=((1, 3),)), "models and methods"),  # five are complete
        (crossed(4, 4), "models and methods"),
        (crossed(3, 4, holes=((0, 0),)), "models and methods"),
        (crossed(2, 2), "models and methods"),
        (nested(4, 5), "within model"),
        (nested(2, 2), "within model"),
        (Crossing.of([("A", "x"), ("A", "y"), ("B", "y"), ("B", "z")]), "within model"),  # one shared method of three
        (crossed(2, 13, holes=tuple((1, k) for k in range(7, 13))), "methods jointly"),  # half are shared
        (Crossing.of([]), "systems"),
        (Crossing.of([("A", "x")]), "systems"),
    ],
)
def test_the_default_follows_from_the_names(crossing, expected):
    assert default_exchangeable(crossing) == expected


@pytest.mark.parametrize(
    ("crossing", "expected", "permutations"),
    [
        (crossed(1, 4, runs=3), "methods jointly", math.factorial(4)),
        (crossed(5, 1, runs=3), "models jointly", math.factorial(5)),
        (Crossing.of([("A", "x")] * 3 + [("B", "y")] * 3 + [("C", "z")] * 3), "models jointly", math.factorial(3)),
        (crossed(2, 7, runs=3), "methods jointly", math.factorial(7)),
        (crossed(3, 4, runs=2), "models and methods", math.factorial(3) * math.factorial(4)),
        (Crossing.of([("A", "")] * 4), "methods jointly", 1),  # four runs of one system
    ],
)
def test_runs_of_one_model_and_method_are_never_units_of_their_own(crossing, expected, permutations):
    assert default_exchangeable(crossing) == expected
    assert count_permutations(crossing, expected) == permutations
    assert "move together" in explained(crossing, expected) or permutations == 1


def test_a_method_with_a_lost_run_changes_places_with_none_that_kept_theirs():
    crossing = Crossing.of([("A", method) for method in "wxyz" for _ in range(3)][:-1])
    assert [alike.units.shape for alike in exchanges(crossing, "methods jointly")] == [(3, 3)]
    assert [alike.units.shape for alike in exchanges(crossing, "within model")] == [(3, 3)]


@pytest.mark.parametrize(
    ("crossing", "counts"),
    [
        (crossed(2, 7), (14, (7, 7), (7,), (2,), (7, 2))),
        (crossed(2, 7, holes=((1, 3),)), (13, (7, 6), (6,), (2,), (6, 2))),
        (crossed(2, 7, holes=((1, 3), (1, 4))), (12, (7, 5), (5, 2), (2,), (5, 2, 2))),  # two with the same hole
        (crossed(2, 7, holes=((0, 3), (1, 4))), (12, (6, 6), (5,), (2,), (5, 2))),
        (crossed(3, 4), (12, (4, 4, 4), (4,), (3,), (4, 3))),
        (nested(3, 4), (7, (3, 4), (3, 4), (), (3, 4))),
        (nested(3, 3), (6, (3, 3), (3, 3), (2,), (3, 3, 2))),
        (crossed(1, 5), (5, (5,), (5,), (), (5,))),
        (crossed(5, 1), (5, (), (), (5,), (5,))),
    ],
)
def test_permutations_are_counted_exactly(crossing, counts):
    expected = [math.factorial(counts[0]), *(math.prod(map(math.factorial, sizes)) for sizes in counts[1:])]
    assert [count_permutations(crossing, choice) for choice in EXCHANGEABLE] == expected


def test_a_lone_holed_method_stays_where_it_is():
    crossing = crossed(2, 7, holes=((1, 3),))
    stays = crossing.systems_of(method=3)
    for choice in EXCHANGEABLE[2:]:
        assert not set(stays) & {int(place) for alike in exchanges(crossing, choice) for place in alike.units.ravel()}
    assert "method 3 is not in every model and stays where it is." in explained(crossing, "methods jointly")


@given(designs, choices.filter(lambda choice: choice != "systems"))
def test_units_that_change_places_are_alike(crossing, choice):
    for _, units in exchanges(crossing, choice):
        models, methods = crossing.models[units], crossing.methods[units]
        runs = crossing.table[models, methods]
        assert (runs == runs[:1]).all()
        if choice in {"within model", "methods jointly"}:
            assert (models == models[:1]).all(), "a method's systems stay in their models"
            assert (methods == methods[:, :1]).all()
        assert len(set(units.ravel().tolist())) == units.size
        for unit in units:  # all runs of a model and method, or none of them
            for system in unit:
                same = crossing.systems_of(model=int(crossing.models[system]), method=int(crossing.methods[system]))
                assert set(same) <= set(unit.tolist())


@given(designs, choices, st.integers(1, 10**6), st.booleans())
def test_the_smallest_p_is_one_permutation_among_all_and_never_above_1(crossing, choice, permutations, double):
    count, p = (
        count_permutations(crossing, choice),
        smallest_p(crossing, choice, permutations=permutations, double=double),
    )
    assert p == min(1.0, (1 + double) / (count if count <= permutations else 1 + permutations))


@pytest.mark.parametrize(
    ("methods", "expected"), [(1, 1.0), (2, 1.0), (3, 0.3333), (4, 0.0833), (5, 0.0167), (6, 0.0028)]
)
def test_few_methods_cannot_give_a_small_p(methods, expected):
    assert smallest_p(crossed(2, methods), "methods jointly", permutations=9999) == pytest.approx(expected, abs=5e-5)
    assert smallest_p(crossed(2, 13), "methods jointly", permutations=9999) == 2 / 10_000


def test_permutations_that_nobody_can_draw_are_refused():
    with pytest.raises(ValueError, match="expected at least 1"):
        smallest_p(crossed(2, 3), "systems", permutations=0)
    unknown: Exchangeable = "runs"  # type: ignore[assignment]  # that is tested
    with pytest.raises(ValueError, match="'systems', 'within model'"):
        exchanges(crossed(2, 3), unknown)


@given(designs)
def test_the_default_never_moves_a_run_without_its_siblings(crossing):
    chosen = default_exchangeable(crossing)
    assert chosen in EXCHANGEABLE
    assert not (crossing.has_runs and chosen == "systems")


@given(designs, choices)
def test_every_choice_is_said_in_one_or_more_sentences(crossing, choice):
    words = explained(crossing, choice)
    assert words.endswith(".")
    assert "  " not in words
    if len(crossing) > 1 and count_permutations(crossing, choice) == 1:
        assert words.startswith("Nothing can change places")


@pytest.mark.parametrize(
    ("crossing", "choice", "said"),
    [
        (crossed(2, 13), "methods jointly", "a method may do alike in every model"),
        (crossed(2, 13), "systems", "chance is taken for a finding too often"),
        (crossed(2, 13), "within model", "chance is taken for a finding too often"),
        (crossed(4, 4), "models and methods", "too few methods"),
        (nested(4, 5), "within model", "the models have different methods"),
        (crossed(1, 13), "systems", "13 methods of one model"),
        (crossed(13, 1), "systems", "each is a model of its own"),
        (crossed(1, 4, runs=3), "systems", "as if they were systems of their own"),
        (
            crossed(2, 9, holes=tuple((k % 2, k) for k in range(5))),
            "methods jointly",
            "5 methods are not in every model",
        ),
        (crossed(2, 9, holes=((0, 1), (1, 2))), "models jointly", "stay where they are"),
        (Crossing.of([("A", "x")]), "systems", "There are not two systems"),
    ],
)
def test_the_reason_is_said(crossing, choice, said):
    assert said in explained(crossing, choice)


def test_some_systems_of_a_crossing_are_a_crossing():
    some = crossed(2, 3).of_systems([0, 1, 5])
    assert (some.models.tolist(), some.methods.tolist()) == ([0, 0, 1], [0, 1, 2])
    assert some.model_names == ("model 0", "model 1")
    assert some.table.tolist() == [[1, 1, 0], [0, 0, 1]]
    assert crossed(2, 3).of_systems(np.arange(6)).table.tolist() == [[1] * 3] * 2
