"""Docstrings are completed by what is described elsewhere, and never contradicted."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from annotations.ground.arrays import Matrix
from metaeval.describing import described, described_as
from metaeval.stats import Statistic


@described
@dataclass(frozen=True)
class Described(Statistic):
    """A result."""

    low: float
    high: float
    """The limits."""
    reason: str = ""
    cells: Matrix | None = None
    """(S, K): What there is."""


@described
def counted(first: int, *, alternative: str = "less", seed: int = 0) -> int:
    """Count.

    Parameters
    ----------
    first : int
        What is counted.
    alternative : str
        This function's own.

    Returns
    -------
    int
        How many.

    Raises
    ------
    ValueError
        If there are none.
    """
    return first + seed + len(alternative)


@described_as(counted)
def recounted(first: int, *, seed: int = 0) -> int:
    """Count again.

    Notes
    -----
    Slowly.
    """
    return first + seed


RESULT = """A result.

Attributes
----------
low, high : float
    The limits.
cells : ndarray of float64, shape (S, K), or None
    What there is."""
OWN = "alternative : str\n    This function's own.\nseed, rng : int"
OF_THE_OTHER = ("first : int\n    What is counted.\nseed, rng", "int\n    How many.", "If there are none.")


def test_the_string_below_fields_describes_all_that_have_none() -> None:
    assert inspect.getdoc(Described) == RESULT


def test_what_a_docstring_says_itself_goes_before_what_is_shared() -> None:
    assert OWN in (inspect.getdoc(counted) or "")


def test_what_a_function_does_not_say_is_as_for_the_other_one() -> None:
    titles = ["Parameters", "Returns", "Raises", "Notes"]
    text = inspect.getdoc(recounted) or ""
    assert [line for line in text.splitlines() if line in titles] == titles
    assert all(entry in text for entry in OF_THE_OTHER)
    assert "alternative" not in text
