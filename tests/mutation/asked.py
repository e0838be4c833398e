"""What is asked about `sample`. Only the tests of the tool run it."""

from tests.mutation.sample import is_large, larger, steps


def test_larger():
    assert (larger(1, 2), larger(2, 1), larger(2, 2)) == (2, 2, 2)


def test_steps():
    assert steps(4) == 4


def test_is_large():
    assert [is_large(n) for n in (2, 3, 4)] == [False, True, True]
