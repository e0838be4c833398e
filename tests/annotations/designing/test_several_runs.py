"""Several runs of one method are put in words with their numbers, and nothing is said where there are none."""

import re

import pytest

from annotations.designing.averaging import averaging_in_words, runs_in_words


def numbers(sentence: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", sentence)]


@pytest.mark.parametrize(
    ("models", "methods", "counts"),
    [("A", "x", [2]), ("AB", "x", [2, 2]), ("A", "xyz", [2, 3]), ("ABC", "xy", [2, 3, 2])],
)
def test_only_what_there_is_more_than_one_of_is_counted(models: str, methods: str, counts: list[int]) -> None:
    assert numbers(runs_in_words([(a, b, run) for a in models for b in methods for run in "12"])) == counts


def test_without_any_system_there_is_nothing_to_say() -> None:
    assert (runs_in_words([]), averaging_in_words([])) == ("", "")
