"""Agreement of every pair of people: Cohen's kappa for single labels, Krippendorff's alpha for sets of labels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotations.arrays import Integers
from metaeval.analyses.agreement.measures import TITLES, main_weighting
from metaeval.analyses.agreement.parameters import AgreementParameters
from metaeval.analyses.agreement.result import AgreementByMeasure, AgreementOfPair
from metaeval.analyses.inputs.judged_items import JudgedItems
from metaeval.sampling import Steps
from metaeval.stats.agreement import (
    Annotations,
    KappaWeighting,
    LabelDistance,
    SetAnnotations,
    SetDistance,
    cohen_kappas,
    krippendorff_alpha,
)


@dataclass(frozen=True)
class PairsOfPeople:
    """Every pair of people with enough items in common, and how many pairs have too few."""

    rows: list[AgreementOfPair]
    left_out: int
    are_kappas: bool
    """Whether the values are Cohen's kappas, whose mean is reported."""
    weighting: KappaWeighting = "none"
    """The weighting of these kappas."""

    @classmethod
    def of(
        cls, found: JudgedItems, distance: LabelDistance | SetDistance, parameters: AgreementParameters, steps: Steps
    ) -> PairsOfPeople:
        """None if it is not known who the people are. Sets of labels are compared by `distance`."""
        weighting = main_weighting(found, parameters.weighting)
        data, constant = found.annotations, parameters.constant_value
        if data.annotator is None:
            return cls([], 0, are_kappas=False, weighting=weighting)
        if isinstance(data, SetAnnotations):
            pairs = list(
                _alphas(found, data, annotator=data.annotator, distance=distance, constant=constant, steps=steps)
            )
        else:
            pairs = _kappas(found, data, weighting=weighting, constant=constant, steps=steps)
        rows = [pair for pair in pairs if pair.n_items >= parameters.least_common]
        are_kappas = not isinstance(data, SetAnnotations)
        return cls(rows, len(pairs) - len(rows), are_kappas=are_kappas, weighting=weighting)

    def mean(self) -> list[AgreementByMeasure]:
        """The mean of the kappas, if the pairs have kappas; without an interval, as pairs are not a sample of items."""
        if not self.are_kappas:
            return []
        kappas = [row.value for row in self.rows if row.value is not None]
        name = "mean_cohen_kappa" if self.weighting == "none" else f"mean_cohen_kappa_{self.weighting}"
        return [
            AgreementByMeasure(
                measure=name,
                title=TITLES[name],
                value=float(np.mean(kappas)) if kappas else None,
                low=None,
                high=None,
                n_items=None,
                n_annotations=None,
                excluded=0,
                reason="" if kappas else "no pair of people has a kappa",
                notes=[f"of {len(kappas)} pairs; without an interval"] if kappas else [],
            )
        ]


def _kappas(
    found: JudgedItems, data: Annotations, *, weighting: KappaWeighting, constant: float, steps: Steps
) -> list[AgreementOfPair]:
    weighted = cohen_kappas(data, weighting=weighting, constant=constant, progress=steps).pairs
    # With weights, what is observed is a mean distance; the share of equal answers comes from the plain kappas.
    plain = weighted if weighting == "none" else cohen_kappas(data, constant=constant).pairs
    return [
        AgreementOfPair(
            first=found.named(pair.first),
            second=found.named(pair.second),
            value=pair.kappa.value,
            agreement=same.observed_agreement if pair.kappa.n_items else math.nan,
            n_items=pair.kappa.n_items,
            reason=pair.kappa.reason,
        )
        for pair, same in zip(weighted, plain, strict=True)
    ]


def _alphas(
    found: JudgedItems,
    data: SetAnnotations,
    *,
    annotator: Integers,
    distance: LabelDistance | SetDistance,
    constant: float,
    steps: Steps,
) -> Iterator[AgreementOfPair]:
    people = data.annotators.tolist()
    own = [np.flatnonzero(annotator == person) for person in range(len(people))]
    for number, (one, other) in enumerate(combinations(range(len(people)), 2)):
        if not number % len(people):
            steps(number, len(people) ** 2 // 2)
        common = np.intersect1d(data.item[own[one]], data.item[own[other]])
        if not len(common):
            continue
        both = np.concatenate([own[one], own[other]])
        part = _rows(data, both[np.isin(data.item[both], common)])
        alpha = krippendorff_alpha(part, distance, constant=constant)
        equal = krippendorff_alpha(part, "nominal")
        yield AgreementOfPair(
            first=found.named(people[one]),
            second=found.named(people[other]),
            value=alpha.value,
            agreement=math.nan if equal.observed is None else 1 - equal.observed,
            n_items=len(common),
            reason=alpha.reason,
        )


def _rows(data: SetAnnotations, rows: Integers) -> SetAnnotations:
    items, item = np.unique(data.item[rows], return_inverse=True)
    return SetAnnotations(item, None, data.chosen[rows], data.members, items, np.array([]), data.labels)
