"""The question put to a metric: on exact or shown values, and on all texts or on those that were judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ValuesOf = Literal["exact", "shown"]
InstancesOf = Literal["all", "judged"]


@dataclass(frozen=True)
class Question:
    """On which values and on which instances metrics are computed."""

    values: ValuesOf = "exact"
    instances: InstancesOf = "all"

    @property
    def is_confounded(self) -> bool:
        """Whether the metric's value depends on which texts a system got, as its preference fraction does."""
        return self.instances == "judged"

    @property
    def key(self) -> str:
        return f"{self.values} x {self.instances}"

    @property
    def in_words(self) -> str:
        """As the end of a sentence.

        >>> Question("shown", "all").in_words
        'on the values that experts were shown, over the whole dataset'
        """
        values = {"exact": "on the exact predictions", "shown": "on the values that experts were shown"}
        instances = {"all": "over the whole dataset", "judged": "over the texts on which each system was judged"}
        return f"{values[self.values]}, {instances[self.instances]}"


PRIMARY = Question("exact", "all")
"""The metric on the system's exact predictions."""

SHOWN = Question("shown", "all")
"""The metric on what experts could see."""

CONFOUNDED = (
    "On the judged texts only, a metric's value and the preference fraction both depend on which texts a "
    "system happened to get. They can correlate for that reason alone: even with no link at all between "
    "systems, correlations of .16 to .30 are usual, and 12 to 33% of tests at 5% reject (simulated). "
    "This says nothing about the metric itself."
)
"""A note for everything on judged instances."""


def asked_for(asked: Question) -> tuple[Question, ...]:
    """The questions that a result answers: the one asked, and the two that are always reported.

    >>> [question.key for question in asked_for(PRIMARY)]
    ['exact x all', 'shown x all']
    >>> [question.key for question in asked_for(Question("exact", "judged"))]
    ['exact x judged', 'exact x all', 'shown x all']
    """
    return tuple(dict.fromkeys([asked, PRIMARY, SHOWN]))
