"""Where two results differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

NUMBERS = (int, float)
ROUNDING = 1e-14
"""The size of zero's rounding error when sums of numbers around one are rounded differently; relative differences are
meaningless there."""


@dataclass(frozen=True)
class Difference:
    """One place of a result: what is stored there, and what was found."""

    path: str
    stored: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.path}: stored {_short(self.stored)}, found {_short(self.found)}"


def differences(stored: Any, found: Any, *, tolerance: float = 0.0, path: str = "") -> Iterator[Difference]:
    """Every place in which two pieces of plain JSON differ; numbers by more than `tolerance` of the larger one.

    With a tolerance, values less than `ROUNDING` apart also count as the same.

    >>> [str(one) for one in differences({"a": [1, 2.5]}, {"a": [1, 2.75], "b": None})]
    ['a[1]: stored 2.5, found 2.75', 'b: stored nothing, found None']
    """
    if isinstance(stored, dict) and isinstance(found, dict):
        for key in [*stored, *(key for key in found if key not in stored)]:
            here = f"{path}.{key}" if path else key
            if key not in stored or key not in found:
                yield Difference(here, stored.get(key, NOTHING), found.get(key, NOTHING))
            else:
                yield from differences(stored[key], found[key], tolerance=tolerance, path=here)
    elif isinstance(stored, list) and isinstance(found, list):
        for place in range(max(len(stored), len(found))):
            one, other = (side[place] if place < len(side) else NOTHING for side in (stored, found))
            yield from differences(one, other, tolerance=tolerance, path=f"{path}[{place}]")
    elif not _same(stored, found, tolerance):
        yield Difference(path, stored, found)


def numbers_in(value: Any) -> int:
    """How many numbers there are."""
    if isinstance(value, dict):
        return sum(map(numbers_in, value.values()))
    if isinstance(value, list):
        return sum(map(numbers_in, value))
    return int(isinstance(value, NUMBERS) and not isinstance(value, bool))


def _same(stored: Any, found: Any, tolerance: float) -> bool:
    if any(isinstance(side, bool) or not isinstance(side, NUMBERS) for side in (stored, found)):
        return type(stored) is type(found) and bool(stored == found)
    return bool(stored == found) or (tolerance > 0 and math.isclose(stored, found, rel_tol=tolerance, abs_tol=ROUNDING))


class _Nothing:
    """Stands for what one side does not have."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
