"""Simulated experts answer as their model states: closer is preferred, unclear is both, far off is neither."""

import numpy as np
import pytest

from annotations.ground.seeding import RandomChoice, generator
from annotations.simulating.opinions import Temper, opinion

CALM = Temper(strictness=0.0, noise=0.05, care=0.001, close=0.02, far=0.5, pace=1.0)
P = np.array([0.9, 0.3, 0.0, 0.0])
NEAR = np.array([0.9, 0.3, 0.0, 0.0])
OFF = np.array([0.4, 0.9, 0.2, 0.0])
FAR = np.array([0.0, 0.0, 0.9, 0.8])


def say(a, b, *, P=P, temper=CALM, key=0, **options):
    rng = generator(1, RandomChoice.SIMULATING, key)
    return opinion(P=P, shown_a=a, shown_b=b, words=60, temper=temper, rng=rng, **options)


@pytest.mark.parametrize(
    ("a", "b", "chosen"),
    [
        (NEAR, OFF, (True, False)),
        (OFF, NEAR, (False, True)),
        (NEAR, NEAR, (True, True)),
        (FAR, FAR, (False, False)),
    ],
)
def test_the_nearer_is_chosen_both_when_equal_neither_when_far(a, b, chosen):
    said = say(a, b)
    assert (said.a_chosen, said.b_chosen) == chosen


def test_certainty_grows_with_the_margin():
    def certainty(b):
        return np.mean([say(NEAR, b, key=key).certainty for key in range(60)])

    slightly, clearly = NEAR + np.array([0, 0.15, 0, 0]), OFF
    assert certainty(clearly) > certainty(slightly) + 0.1


def test_step_1_follows_the_distribution():
    chosen = np.zeros(4)
    for key in range(400):
        chosen[list(say(NEAR, OFF, key=key).labels)] += 1
    assert chosen / 400 == pytest.approx(P, abs=0.08)


def test_an_exclusive_label_is_never_chosen_with_another():
    outside = np.array([0.5, 0.4, 0.0, 0.6])
    said = [say(NEAR, OFF, P=outside, key=key, exclusive=3).labels for key in range(200)]
    assert (3,) in said
    assert all(labels == (3,) or 3 not in labels for labels in said)


def test_somebody_who_sees_nothing_names_the_likeliest_label():
    faint = np.array([0.0, 0.06, 0.0, 0.0])
    assert all(say(NEAR, OFF, P=faint, key=key).labels for key in range(100))


def test_where_one_label_is_right_exactly_one_is_chosen():
    multiclass = np.array([0.6, 0.3, 0.1, 0.0])
    chosen = [say(NEAR, OFF, P=multiclass, key=key, one_label=True).labels for key in range(400)]
    assert {len(labels) for labels in chosen} == {1}
    assert np.mean([labels == (0,) for labels in chosen]) == pytest.approx(0.6, abs=0.08)


def test_answers_stay_in_range_whatever_is_shown():
    for key in range(300):
        rng = np.random.default_rng(key)
        a, b = rng.random((2, 4)) * (rng.random((2, 4)) < 0.7)
        said = say(a, b, temper=Temper.draw(3, key), key=key)
        assert 0 <= said.certainty <= 1
        assert said.labels_ms > 0
        assert said.preference_ms > 0


def test_two_empty_sides_are_answered_too():
    nothing = np.zeros(4)
    assert say(nothing, nothing).labels


def test_an_expert_has_the_same_temper_every_time_and_experts_differ():
    assert Temper.draw(5, 2) == Temper.draw(5, 2)
    assert len({Temper.draw(5, number) for number in range(30)}) == 30
    assert Temper.draw(6, 2) != Temper.draw(5, 2)
