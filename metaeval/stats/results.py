"""What statistics answer with: small frozen dataclasses that know how to become plain JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import Field, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np


class Statistic:
    """Mixin of result dataclasses. NaN stands for "undefined" and becomes null; `reason` says why."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON of every field, in order."""
        return {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class SignificanceResult(Statistic):
    """Mixin of the results of tests: `statistic` and `pvalue`, and unpacking in that order, as SciPy's have.

    >>> from metaeval.stats import wilcoxon
    >>> statistic, pvalue = wilcoxon([1, 2, 3, 4])
    >>> statistic, pvalue
    (0.0, 0.125)
    """

    if TYPE_CHECKING:  # a field or a property of each result

        @property
        def statistic(self) -> float: ...

        @property
        def pvalue(self) -> float: ...

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))


def plain(value: Any) -> Any:
    """`value` as JSON can carry it: lists for arrays and tuples, null for NaN and infinities."""
    if isinstance(value, Statistic):
        return value.to_dict()
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value
