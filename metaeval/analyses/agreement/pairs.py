"""Agreement of every pair of people: Cohen's kappa for single labels, Krippendorff's alpha for sets of labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.agreement.measures import TITLES, main_weighting
from metaeval.analyses.agreement.parameters import AgreementParameters
from metaeval.analyses.agreement.result import AgreementByMeasure, AgreementOfPair
from metaeval.analyses.inputs.judged_items import JudgedItems
from metaeval.sampling import Steps
from metaeval.stats.agreement import KappaWeighting, LabelDistance, SetAnnotations, SetDistance
from metaeval.stats.agreement.kappa import steps_apart
from metaeval.stats.agreement.measure import ALL_EQUAL
from metaeval.stats.agreement.pairs import MeasuredPairs, alphas_of_pairs, kappas_of_pairs

LISTED = 50_000
"""More pairs than these are measured and counted in the mean, but not listed: nobody reads them, and a result of
10,000 people who judged the same items would hold 50 million."""


@dataclass(frozen=True)
class PairsOfPeople:
    """Every pair of people with enough items in common, and how many pairs have too few."""

    rows: list[AgreementOfPair]
    left_out: int
    are_kappas: bool
    """Whether the values are Cohen's kappas, whose mean is reported."""
    weighting: KappaWeighting = "none"
    """The weighting of these kappas."""
    unlisted: int = 0
    """How many pairs have enough items in common, but fewer than the `LISTED` that are rows."""
    defined: int = 0
    """How many pairs have a value."""
    mean_value: float = math.nan

    @classmethod
    def of(
        cls, found: JudgedItems, distance: LabelDistance | SetDistance, parameters: AgreementParameters, steps: Steps
    ) -> PairsOfPeople:
        """None if it is not known who the people are. Sets of labels are compared by `distance`."""
        weighting = main_weighting(found, parameters.weighting)
        kept, total, sharing, defined, sums = None, 0, 0, 0, []
        for block in _measured(found, distance, weighting, parameters, steps):
            sharing += block.sharing
            enough = block.only(block.n_items >= parameters.least_common)
            values = enough.value[np.isfinite(enough.value)]
            total, defined = total + len(enough), defined + len(values)
            sums.append(float(values.sum()))
            kept = _most_common(enough if kept is None else MeasuredPairs.joined([kept, enough]))
        rows = [] if kept is None else list(_rows(found, kept))
        return cls(
            rows,
            sharing - total,
            are_kappas=found.annotations.annotator is not None and not isinstance(found.annotations, SetAnnotations),
            weighting=weighting,
            unlisted=total - len(rows),
            defined=defined,
            mean_value=math.fsum(sums) / defined if defined else math.nan,
        )

    def mean(self) -> list[AgreementByMeasure]:
        """The mean of the kappas, if the pairs have kappas; without an interval, as pairs are not a sample of items."""
        if not self.are_kappas:
            return []
        name = "mean_cohen_kappa" if self.weighting == "none" else f"mean_cohen_kappa_{self.weighting}"
        return [
            AgreementByMeasure(
                measure=name,
                title=TITLES[name],
                value=self.mean_value,
                low=None,
                high=None,
                n_items=None,
                n_annotations=None,
                excluded=0,
                reason="" if self.defined else "no pair of people has a kappa",
                notes=[f"of {self.defined} pairs; without an interval"] if self.defined else [],
            )
        ]


def _measured(
    found: JudgedItems,
    distance: LabelDistance | SetDistance,
    weighting: KappaWeighting,
    parameters: AgreementParameters,
    steps: Steps,
) -> Iterable[MeasuredPairs]:
    """Nothing if it is not known who the people are."""
    data, least, constant = found.annotations, parameters.least_common, parameters.constant_value
    annotator = data.annotator
    if annotator is None:
        return []
    if isinstance(data, SetAnnotations):
        return alphas_of_pairs(data, annotator, distance, least_common=least, constant=constant, progress=steps)
    distances = None if weighting == "none" else steps_apart(len(data.labels), weighting)
    kappas = kappas_of_pairs(data, annotator, distances, least_common=least, constant=constant, progress=steps)
    return (block for block, _, _ in kappas)


def _most_common(pairs: MeasuredPairs) -> MeasuredPairs:
    """At most `LISTED` pairs, in their order: those with the most items in common, of equal ones the first."""
    if len(pairs) <= LISTED:
        return pairs
    return pairs.only(np.sort(np.argsort(-pairs.n_items, kind="stable")[:LISTED]))


def _rows(found: JudgedItems, pairs: MeasuredPairs) -> Iterator[AgreementOfPair]:
    names = [found.named(person) for person in found.annotations.annotators.tolist()]
    columns = (pairs.first, pairs.second, pairs.value, pairs.equal, pairs.n_items)
    for first, second, value, equal, items in zip(*(column.tolist() for column in columns), strict=True):
        yield AgreementOfPair(
            first=names[first],
            second=names[second],
            value=value,
            agreement=equal,
            n_items=items,
            reason="" if math.isfinite(value) else ALL_EQUAL,
        )
