"""When values count as one: equal values that were worked out in different orders differ by rounding.

The compiled loops take the rule from here too, so that this file belongs to their fingerprint (`metaeval.compiled`).
"""

from __future__ import annotations

from typing import Any, overload

from annotations.arrays import Mask, Vector

ROUNDING = 1e-13
"""What rounding may move a value by, as a share of the size of the numbers that it was made of. Sums in another order
move by about 1e-16 of it, those of hundreds of terms by 1e-14."""


@overload
def is_one_value(low: float, high: float, size: float) -> bool: ...
@overload
def is_one_value(low: float, high: Vector, size: float) -> Mask: ...
def is_one_value(low: Any, high: Any, size: Any) -> Any:
    """Whether values from `low` to `high`, made of numbers of that size, differ by rounding only.

    Of arrays: one by one.
    """
    return high - low <= ROUNDING * size
