"""Pieces of one computation in threads: in order, each once, and none left behind."""

import threading

import pytest

from metaeval.threads import in_threads


@pytest.mark.parametrize("threads", [1, 2, 5, None])
@pytest.mark.parametrize("count", [0, 1, 7, 100])
def test_answers_come_in_order_whatever_the_number_of_threads(threads, count):
    assert list(in_threads(lambda part: part * part, range(count), threads)) == [part * part for part in range(count)]


def test_an_error_in_one_part_is_raised_and_no_thread_stays():
    def work(part: int) -> int:
        if part == 3:
            raise ValueError("the third")
        return part

    before = set(threading.enumerate())
    with pytest.raises(ValueError, match="the third"):
        list(in_threads(work, range(50), 4))
    assert set(threading.enumerate()) <= before
