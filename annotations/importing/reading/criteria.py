"""Files that judge one thing by several criteria: each import takes one of them, on its declared scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from annotations.importing.memory.options import TextOptions
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import LabelSet
from annotations.importing.reading.item_judgements import canonical_label
from annotations.models import Task
from annotations.shown.plurals import filled


class CriterionOptions(TextOptions):
    """Which of a file's criteria to import."""

    criterion: str = Field(
        "", description=gettext_noop("The criterion to import, if a file has several. A check without it lists them.")
    )


def chosen_criterion(said: str, known: Sequence[str], file: str, problems: Problems) -> str:
    """The given criterion, or the only one there is; otherwise stop and list them."""
    if said in known:
        return said
    if said or len(known) != 1:
        problems.stop(
            file,
            _("the file has no criterion {said}").format(said=repr(said))
            if said
            else _("the file has {known} criteria").format(known=len(known)),
            field="criterion",
            value=listed(known, most=20),
            remedy=_("Choose one with the option 'criterion', and import each as a separate dataset."),
        )
    return known[0]


def others_of_criterion(criterion: str, others: Sequence[str]) -> str:
    """The sentence that says which criterion was imported, if the file has others too."""
    message = _("The criterion {criterion} was used; the file also contains {others}.")
    return filled(message, criterion=repr(criterion), others=listed(others, most=20))


@dataclass(frozen=True, slots=True)
class Scale:
    """How a criterion is judged: its labels, and the label of each score.

    A continuous one has `edges`, the bounds of its bins; a score on an inner bound belongs to the bin above it.
    """

    labels: LabelSet
    edges: tuple[float, ...] = ()

    @classmethod
    def of_points(cls, points: Sequence[str], *, graded: bool) -> "Scale":
        """Labels as named, graded ones in order. Two points are classes, because there are no distances to compare.

        >>> Scale.of_points(["1", "2", "3"], graded=True).labels.values
        (1.0, 2.0, 3.0)
        """
        names = tuple(map(canonical_label, points))
        if not graded or len(names) < 3:
            return cls(LabelSet(names, Task.MULTICLASS))
        try:
            values = tuple(float(name) for name in names)
        except ValueError:
            values = tuple(float(place) for place in range(len(names)))
        return cls(LabelSet(names, Task.ORDINAL, values=values))

    @classmethod
    def binned(cls, low: float, high: float, bins: int) -> "Scale":
        """Equal bins between two bounds, each with its middle as its value.

        >>> scale = Scale.binned(0, 100, 4)
        >>> scale.labels.names[0], scale.labels.names[-1], scale.labels.values[0], scale.label_of(25)
        ('[0, 25)', '[75, 100]', 12.5, '[25, 50)')
        """
        edges = tuple(np.linspace(low, high, bins + 1).tolist())
        pairs = list(pairwise(edges))
        names = [f"[{a:.12g}, {b:.12g}{']' if b == edges[-1] else ')'}" for a, b in pairs]
        return cls(LabelSet(tuple(names), Task.ORDINAL, values=tuple((a + b) / 2 for a, b in pairs)), edges)

    def label_of(self, score: Any) -> str | None:
        """The label of a score; None if it is not on the scale."""
        if isinstance(score, bool) or not isinstance(score, str | int | float):
            return None
        if self.edges:
            if isinstance(score, str) or not self.edges[0] <= score <= self.edges[-1]:
                return None
            place = int(np.searchsorted(self.edges, score, side="right")) - 1
            return self.labels.names[min(place, len(self.labels) - 1)]
        name = canonical_label(score if isinstance(score, str) else str(score))
        return name if name in self.labels.names else None
