"""A few lines to break, with faults that tests see, faults that none could see, and a function that none calls."""

SMALLEST = 3


def larger(a: float, b: float) -> float:
    """Of two equal numbers either will do."""
    return a if a > b else b


def steps(n: int) -> int:
    """How often one can be taken away from n."""
    count = 0
    while n:
        n -= 1
        count += 1
    return count


def is_large(n: int) -> bool:
    return n >= SMALLEST


def not_called(is_new: bool) -> bool:
    return not is_new
