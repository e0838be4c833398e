"""What an epoch reads: every example as often as it occurs, or a sample in which all have the same chance."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.training.targets import Targets
from tests.metaeval.training.needing import Imported

fit = Imported("metaeval.training.fitting.fit")

HELD = (4, 1, 2)
"""Examples of three instances."""


def targets(times: list[int]) -> Targets:
    return Targets.of_rows(np.arange(len(times)), np.full((len(times), 2), 0.5), times=np.array(times))


def test_an_epoch_reads_each_example_as_often_as_it_occurs_in_an_order_of_its_own() -> None:
    made = targets([3, 1, 0, 2] * 5)
    orders = [fit.order_of(made, seed=1, epoch=epoch) for epoch in range(3)]
    for order in orders:
        assert np.bincount(order, minlength=20).tolist() == [3, 1, 0, 2] * 5
    assert orders[0].tolist() != orders[1].tolist()
    assert orders[2].tolist() == fit.order_of(made, seed=1, epoch=2).tolist()
    assert orders[0].tolist() != fit.order_of(made, seed=2, epoch=0).tolist()


def inclusion(size: int) -> dict[tuple[int, ...], Fraction]:
    """The exact probability of every sample of the examples of `HELD`, from all that can be drawn."""
    total = sum(HELD)
    first = np.cumsum([0, *HELD])
    found: dict[tuple[int, ...], Fraction] = {}
    orders = list(permutations(range(len(HELD))))
    for order in orders:
        expected = [Fraction(size * HELD[instance], total) for instance in order]
        ends = [sum(expected[: place + 1], Fraction(0)) for place in range(len(order))]
        # Between these starts, all numbers are rounded alike.
        turns = sorted({Fraction(0), Fraction(1), *(1 - end % 1 for end in ends)})
        for low, high in pairwise(turns):
            counts = fit.rounded(np.array([float(number) for number in expected]), float((low + high) / 2))
            choices = [
                list(combinations(range(first[instance], first[instance + 1]), int(count)))
                for instance, count in zip(order, counts, strict=True)
            ]
            chance = (high - low) / len(orders) / np.prod([len(choice) for choice in choices], dtype=int).item()
            for chosen in product(*choices):
                taken = tuple(sorted(example for part in chosen for example in part))
                found[taken] = found.get(taken, Fraction(0)) + chance
    return found


@pytest.mark.parametrize("size", range(1, 7))
def test_every_example_is_read_with_the_same_probability_and_the_mean_gradient_is_that_of_all(size: int) -> None:
    samples = inclusion(size)
    assert sum(samples.values()) == 1
    assert {len(sample) for sample in samples} == {size}
    read = [sum(chance for sample, chance in samples.items() if example in sample) for example in range(sum(HELD))]
    assert read == [Fraction(size, sum(HELD))] * sum(HELD)
    gradients = [Fraction(number) for number in (3, -1, 4, 1, -5, 9, 2)]
    expected = sum(
        chance * sum(gradients[example] for example in sample) / len(sample) for sample, chance in samples.items()
    )
    assert expected == sum(gradients) / len(gradients)


def test_samples_are_drawn_with_the_probabilities_that_were_counted() -> None:
    samples = inclusion(3)
    instance = np.repeat(np.arange(len(HELD)), HELD)
    rng = np.random.default_rng(0)
    drawn: dict[tuple[int, ...], int] = {}
    for _ in range(4000):
        taken = tuple(sorted(fit.sampled(instance, 3, rng).tolist()))
        drawn[taken] = drawn.get(taken, 0) + 1
    assert set(drawn) <= set(samples)
    squares = sum((drawn.get(sample, 0) - 4000 * float(p)) ** 2 / (4000 * float(p)) for sample, p in samples.items())
    assert squares < len(samples) + 4 * np.sqrt(2 * len(samples))


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any), st.data())
def test_a_sample_has_the_size_that_was_asked_and_each_instance_its_share_of_it(times: list[int], data) -> None:
    total = sum(times)
    most = data.draw(st.integers(1, total))
    seed = data.draw(st.integers(0, 1000))
    order = fit.order_of(targets(times), seed=seed, epoch=0, most=most)
    counts = np.bincount(order, minlength=len(times))
    share = np.array(times) * (most / total)
    assert len(order) == most
    assert (counts <= times).all()
    assert (np.abs(counts - share) < 1 + 1e-9).all()
