"""When values count as equal: equal values that were computed in different orders differ by rounding.

The compiled loops use this rule, too, so this file is part of their fingerprint (`metaeval.compiled`).
"""

from __future__ import annotations

from typing import Any, overload

from annotations.ground.arrays import Mask, Vector

ROUNDING = 1e-13
"""How much rounding may change a value, relative to the numbers that it was computed from. Reordering a sum changes it
by about 1e-16, with hundreds of terms by 1e-14."""


@overload
def is_one_value(low: float, high: float, size: float) -> bool: ...
@overload
def is_one_value(low: float, high: Vector, size: float) -> Mask: ...
def is_one_value(low: Any, high: Any, size: Any) -> Any:
    """Whether values from `low` to `high`, computed from numbers of this size, differ only by rounding.

    Arrays are compared element by element.
    """
    return high - low <= ROUNDING * size
