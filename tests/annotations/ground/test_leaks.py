"""What can be learned of the drawn shapes is a lower bound, chance where there is nothing, and the same each time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from annotations.designing.concealing import DrawnPair
from annotations.ground import leaks
from annotations.ground.leaks import FEWEST_TO_LEARN_FROM, PENALTY, TOO_FEW, Tells, features, learned_leak


def shares(rng: np.random.Generator, people: int, cautious: float = 0.0) -> np.ndarray:
    """Shares of people among five labels; who is cautious keeps away from none and all."""
    counts = rng.integers(0, people + 1, 5)
    kept = np.where(rng.random(5) < cautious, np.clip(counts, 1, people - 1), counts)
    percent = np.round(100 * kept / people).astype(int)
    return percent[percent > 10]


def drawn(count: int, *, cautious: float = 0.0, texts: int = 100, seed: int = 0) -> list[DrawnPair]:
    rng = np.random.default_rng(seed)
    return [DrawnPair(number % texts, 5, 5, shares(rng, 5), shares(rng, 5, cautious)) for number in range(count)]


def test_sides_of_the_same_kind_leave_nothing_to_learn():
    found = learned_leak(drawn(1200))
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5 < found.high
    assert found.high - found.low < 0.1


def test_a_habit_of_systems_is_learned_and_the_surest_fifth_shows_it_best():
    found = learned_leak(drawn(1000, cautious=0.8))
    assert found.low is not None
    assert found.low > 0.55
    assert found.right is not None
    assert found.right_when_sure is not None
    assert found.right_when_sure > found.right


def test_a_system_that_sounds_a_little_different_is_named_a_little_more_often_than_by_chance():
    slight, strong = (learned_leak(drawn(3000, cautious=share), interval=False).right for share in (0.3, 0.9))
    assert slight is not None
    assert strong is not None
    assert 0.5 < slight < strong


def test_fewer_than_300_comparisons_or_20_texts_are_too_few_to_say():
    few = learned_leak(drawn(FEWEST_TO_LEARN_FROM - 1))
    assert (few.right, few.low, few.high, few.right_when_sure) == (None, None, None, None)
    assert few.reason == TOO_FEW
    assert learned_leak(drawn(FEWEST_TO_LEARN_FROM), interval=False).right is not None
    assert learned_leak(drawn(400, texts=19)).reason == TOO_FEW
    assert learned_leak([]).reason == TOO_FEW


def test_the_same_comparisons_always_give_the_same_figure():
    assert learned_leak(drawn(400, cautious=0.5)) == learned_leak(drawn(400, cautious=0.5))


def test_turning_all_comparisons_round_changes_nothing_but_the_side_that_is_right():
    pairs = drawn(400, cautious=0.7)
    turned = [DrawnPair(pair.instance, 5, 5, pair.system, pair.human) for pair in pairs]
    assert learned_leak(pairs) == learned_leak(turned)


def test_what_a_text_says_of_itself_is_not_learned_from_it():
    """Each text shows the same two sides again and again: who learned from it would know everything."""
    rng = np.random.default_rng(3)
    pairs = []
    for text in range(100):
        human, system = shares(rng, 5), shares(rng, 5)
        pairs += [DrawnPair(text, 5, 5, human, system)] * 5
    found = learned_leak(pairs)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5 < found.high
    assert found.high - found.low > 0.1  # a hundred texts, not five hundred comparisons


def test_comparisons_without_any_difference_are_half_right():
    pairs = [DrawnPair(number % 50, 5, 5, np.array([40, 60]), np.array([40, 60])) for number in range(400)]
    found = learned_leak(pairs)
    assert (found.right, found.low, found.high) == (0.5, 0.5, 0.5)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 5), st.integers(20, 60))
def test_the_fit_is_that_of_a_general_optimiser(seed, width, rows):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(rows, width)), rng.integers(0, 4, (3, rows)).astype(float)
    found = leaks._fitted(X, weights)
    for place, weight in enumerate(weights):

        def loss(c, weight=weight):
            return weight @ np.logaddexp(0, -(X @ c)) + PENALTY / 2 * c @ c

        best = minimize(loss, np.zeros(width), method="BFGS", options={"gtol": 1e-9})
        assert found[:, place] == pytest.approx(best.x, abs=1e-4)
        assert loss(found[:, place]) <= best.fun + 1e-9


def test_features_do_not_know_which_label_is_which():
    assert features(np.array([20, 80, 40])).tolist() == features(np.array([80, 40, 20])).tolist()
    assert features(np.array([], dtype=int)).tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]


def test_tells_are_what_no_side_of_people_shows():
    tells = Tells.of(np.array([[60, 40, 0, 0], [100, 40, 20, 0]]))
    assert tells == Tells(lowest_sum=100, most_bars=3)
    assert tells.give_away(np.array([[60, 40, 0, 0], [50, 20, 0, 0], [40, 40, 20, 20], [0, 0, 0, 0]])).tolist() == [
        False,
        True,
        True,
        True,
    ]
