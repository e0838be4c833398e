"""Whether the answer holds if one thing is changed, as the end of a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from metaeval.analyses.base.wording import ALPHA, name, number, p_value, spelled, within
from metaeval.analyses.preference_correlation.result import (
    CorrelationOfMetric,
    Variation,
    VariationKind,
    VariedCorrelation,
)

MOST = 3
"""At most this many rows in which the answer changes are named; the others are counted."""

NAMED: Mapping[VariationKind, str] = {
    "method left out": "without {name}",
    "model left out": "without {name}",
    "system left out": "without {name}",
    "one model": "in {name} alone",
    "exchangeable": "exchanging {name}",
    "both": "with “both” counted as {name}",
    "identical": "with sides that looked the same counted as “{name}”",
    "given away": "without the sides that only a system can have",
    "values": "on {name} values",
}
"""A row of the sensitivity table, in words."""

QUESTIONS = {
    "exact x all": "exact",
    "shown x all": "shown",
    "exact x judged": "the judged texts’ exact",
    "shown x judged": "the judged texts’ shown",
}


class VariedRow(NamedTuple):
    """A row of the sensitivity table about one metric."""

    variation: Variation
    found: VariedCorrelation

    def changes(self, asked: CorrelationOfMetric) -> bool:
        """Whether the sign changes, or p is on the other side of .05 (as in the table `holding`)."""
        if (self.found.value or 0.0) * (asked.value or 0.0) <= 0 and self.found.value != asked.value:
            return True
        both = self.found.p_value, asked.p_value
        return None not in both and len({p < ALPHA for p in both if p is not None}) > 1

    @property
    def said(self) -> str:
        """What was changed, and the result."""
        kind, called = self.variation.kind, self.variation.name
        if kind == "values":
            called = QUESTIONS.get(called, called)
        elif kind == "exchangeable" and called == "within model":
            called = "systems within models"
        p = "" if self.found.p_value is None else p_value(self.found.p_value)
        return NAMED[kind].format(name=name(called)) + within(number(self.found.value or 0.0), p)


def varied_rows(sensitivity: Sequence[Variation], asked: CorrelationOfMetric) -> list[VariedRow]:
    """The rows of the sensitivity table about this metric and coefficient; of exchanges, only those that can reject."""
    return [
        VariedRow(variation, row)
        for variation in sensitivity
        if not (variation.kind == "exchangeable" and variation.cannot_reject)
        for row in variation.rows
        if (row.metric, row.coefficient) == (asked.metric, asked.coefficient) and row.value is not None
    ]


def holding(sensitivity: Sequence[Variation], asked: CorrelationOfMetric, symbol: str) -> str:
    """Where the answer does not hold, and the range of the correlation; empty if nothing was varied."""
    rows = varied_rows(sensitivity, asked)
    values = [row.found.value for row in rows if row.found.value is not None]
    if not values:
        return ""
    count = f"{spelled(len(rows))} variation{'s' if len(rows) > 1 else ''}"
    low, high = number(min(values)), number(max(values))
    spread = f"{symbol} is {low}" if low == high else f"{symbol} lies between {low} and {high}"
    changed = [row.said for row in rows if row.changes(asked)]
    if not changed:
        tested = any(row.found.p_value is not None for row in rows) and asked.p_value is not None
        same = "sign and the same side of p = .05" if tested else "sign"
        every = f"in all {count}" if len(rows) > 1 else "in the one variation"
        return f"the answer holds {every} (the same {same}; {spread})"
    if len(rows) == 1:
        return f"the answer does not hold {changed[0]}"
    kept = "none" if len(changed) == len(rows) else f"all but {spelled(len(changed))}"
    if len(changed) > MOST + 1:
        changed = [*changed[:MOST], f"in {spelled(len(changed) - MOST)} others"]
    where = changed[0] if len(changed) == 1 else f"{', '.join(changed[:-1])} or {changed[-1]}"
    return f"the answer holds in {kept} of {count}: not {where}; {spread}"
