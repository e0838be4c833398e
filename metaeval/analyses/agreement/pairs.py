"""Agreement of every pair of people: Cohen's kappa for single labels, Krippendorff's alpha for sets of labels."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from metaeval.analyses.agreement.measures import main_weighting
from metaeval.analyses.agreement.parameters import AgreementParameters
from metaeval.analyses.agreement.result import AgreementByMeasure, AgreementOfPair
from metaeval.analyses.inputs.judged_items import JudgedItems
from metaeval.sampling import Steps
from metaeval.stats.agreement import LabelDistance, SetAnnotations, SetDistance
from metaeval.stats.agreement.kappa import steps_apart
from metaeval.stats.agreement.measure import ALL_EQUAL
from metaeval.stats.agreement.pairs import MeasuredPairs, alphas_of_pairs, kappas_of_pairs

LISTED = 50_000
"""More pairs than these are measured and counted in the mean, but not listed: nobody reads them, and a result of
10,000 people who judged the same items would hold 50 million."""


class PairsOfPeople:
    """Every pair of people with enough items in common; none if it is not known who the people are.

    Attributes
    ----------
    rows : list of AgreementOfPair
        The pairs; at most `LISTED`, in their order: those with the most items in common, of equal ones the first.
    left_out, unlisted, defined : int
        How many pairs have too few items in common; how many have enough, but are no rows; how many have a value.
    """

    def __init__(
        self,
        items: JudgedItems,
        distance: LabelDistance | SetDistance,
        parameters: AgreementParameters,
        steps: Steps,
    ) -> None:
        data = items.annotations
        self.weighting = main_weighting(items, parameters.weighting)
        self._are_kappas = data.annotator is not None and not isinstance(data, SetAnnotations)
        self.left_out = self.defined = total = 0
        pairs, sums = None, []
        for block in self._blocks(items, distance, parameters, steps):
            enough = block.only(block.n_items >= parameters.least_common)
            values = enough.value[np.isfinite(enough.value)]
            total += len(enough)
            self.left_out += block.sharing - len(enough)
            self.defined += len(values)
            sums.append(float(values.sum()))
            pairs = enough if pairs is None else MeasuredPairs.joined([pairs, enough])
            if len(pairs) > LISTED:
                pairs = pairs.only(np.sort(np.argsort(-pairs.n_items, kind="stable")[:LISTED]))
        self.rows = [] if pairs is None else _rows(items, pairs)
        self.unlisted = total - len(self.rows)
        self._mean = math.fsum(sums) / self.defined if self.defined else math.nan

    def _blocks(
        self,
        items: JudgedItems,
        distance: LabelDistance | SetDistance,
        parameters: AgreementParameters,
        steps: Steps,
    ) -> Iterable[MeasuredPairs]:
        data, least, constant = items.annotations, parameters.least_common, parameters.constant_value
        if data.annotator is None:
            return []
        if isinstance(data, SetAnnotations):
            return alphas_of_pairs(
                data, data.annotator, distance, least_common=least, constant=constant, progress=steps
            )
        distances = None if self.weighting == "none" else steps_apart(len(data.labels), self.weighting)
        kappas = kappas_of_pairs(data, data.annotator, distances, least_common=least, constant=constant, progress=steps)
        return (block for block, _, _ in kappas)

    def mean(self) -> list[AgreementByMeasure]:
        """The mean of the kappas, if the pairs have kappas; without an interval, as pairs are not a sample of items."""
        if not self._are_kappas:
            return []
        is_weighted = self.weighting != "none"
        return [
            AgreementByMeasure(
                measure="mean_cohen_kappa" + (f"_{self.weighting}" if is_weighted else ""),
                title="Mean of the pairs’ Cohen’s kappas" + (f", {self.weighting} weights" if is_weighted else ""),
                value=self._mean,
                low=None,
                high=None,
                n_items=None,
                n_annotations=None,
                excluded=0,
                reason="" if self.defined else "no pair of people has a kappa",
                notes=[f"of {self.defined} pairs; without an interval"] if self.defined else [],
            )
        ]


def _rows(items: JudgedItems, pairs: MeasuredPairs) -> list[AgreementOfPair]:
    names = [items.named(person) for person in items.annotations.annotators.tolist()]
    columns = (pairs.first, pairs.second, pairs.value, pairs.equal, pairs.n_items)
    return [
        AgreementOfPair(
            first=names[first],
            second=names[second],
            value=value,
            agreement=equal,
            n_items=n_items,
            reason="" if math.isfinite(value) else ALL_EQUAL,
        )
        for first, second, value, equal, n_items in zip(*(column.tolist() for column in columns), strict=True)
    ]
