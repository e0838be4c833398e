"""The agreement of all people: by every measure that the judgements have, on each label, in groups of items, of
numbers on a scale, and of every pair of people: Cohen's kappa for single labels, Krippendorff's alpha for sets."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Codes, Integers, Matrix, Vector
from metaeval.analyses.agreement.parameters import AgreementParameters, Distance, Grouping
from metaeval.analyses.agreement.result import (
    AgreementByMeasure,
    AgreementInGroup,
    AgreementOfPair,
    AgreementOnLabel,
    IntraclassOfRatings,
)
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, VotesInputs
from metaeval.analyses.inputs.datasets import Annotated
from metaeval.analyses.inputs.judged_items import JudgedItems
from metaeval.sampling import Replicates, Steps
from metaeval.stats import Interval, bootstrap_interval
from metaeval.stats.agreement import (
    INTRACLASS_FORMS,
    Annotations,
    BinaryAlphas,
    FleissKappa,
    IntraclassCorrelation,
    IntraclassForm,
    KappaWeighting,
    KrippendorffAlpha,
    LabelDistance,
    Measure,
    PairwiseAgreement,
    PercentageAgreement,
    RandolphKappa,
    SetAnnotations,
    SetDistance,
    intraclass_correlation,
)
from metaeval.stats.agreement.kappa import steps_apart
from metaeval.stats.agreement.measure import ALL_EQUAL
from metaeval.stats.agreement.pairs import MeasuredPairs, alphas_of_pairs, kappas_of_pairs
from metaeval.stats.uncertainty import Partition, Scale, partitions_by_agreement, partitions_by_labels

TITLES = {
    "alpha_nominal": "Krippendorff’s alpha, nominal",
    "alpha_ordinal": "Krippendorff’s alpha, ordinal",
    "alpha_interval": "Krippendorff’s alpha, interval",
    "alpha_ratio": "Krippendorff’s alpha, ratio",
    "alpha_jaccard": "Krippendorff’s alpha, Jaccard",
    "alpha_masi": "Krippendorff’s alpha, MASI",
    "mean_binary_alpha": "Mean of the labels’ alphas",
    "percentage_agreement": "Percentage agreement",
    "pairwise_agreement": "Pairwise agreement, mean over items",
    "pairwise_agreement_pooled": "Pairwise agreement, all pairs alike",
    "fleiss_kappa": "Fleiss’ kappa",
    "randolph_kappa": "Randolph’s kappa, labels that occur",
    "randolph_kappa_all": "Randolph’s kappa, all labels",
}
GROUPINGS: dict[Grouping, str] = {
    "agreement": "Percentage agreement (PA)",
    "different_labels": "Different labels",
    "systems": "System",
}
MANY_LABELS = 5
ONE_WAY: tuple[IntraclassForm, ...] = ("1,1", "1,k")
"""The forms in which every item may have its own judges."""

NO_PAIRS = "no item has two judgements"
NOBODY = "nobody chose it"
EVERYBODY = "everybody chose it wherever two people judged, or nobody did"
NO_TWO_RATINGS = "no item has two ratings"
ONE_ITEM = "there is one item only"


def distances_of(items: JudgedItems) -> tuple[LabelDistance | SetDistance, ...]:
    """The distances that these labels have; interval and ratio only if the labels are numbers."""
    if isinstance(items.annotations, SetAnnotations):
        return ("nominal", "jaccard", "masi")
    if not items.is_ordered:
        return ("nominal",)
    labels = items.annotations.labels
    if not all(isinstance(label, int | float) for label in labels):
        return ("nominal", "ordinal")
    return ("nominal", "ordinal", "interval", *(("ratio",) if min(map(_number, labels), default=0) >= 0 else ()))


def _number(label: Hashable) -> float:
    return float(label)  # type: ignore[arg-type]  # the caller has checked that it is a number


def main_distance(items: JudgedItems, distance: Distance) -> LabelDistance | SetDistance:
    """The requested distance if these labels have it; else MASI for sets, ordinal for a scale, nominal otherwise."""
    if distance in (distances := distances_of(items)):
        return distance
    if isinstance(items.annotations, SetAnnotations):
        return "masi"
    return "ordinal" if "ordinal" in distances else "nominal"


def main_weighting(items: JudgedItems, weighting: KappaWeighting) -> KappaWeighting:
    """The requested weights of Cohen's kappa if these labels are points of a scale; none otherwise."""
    return weighting if "ordinal" in distances_of(items) else "none"


def measures_of(items: JudgedItems, parameters: AgreementParameters) -> dict[str, Measure]:
    """Every measure of these judgements, by name."""
    data, constant = items.annotations, parameters.constant_value
    measures: dict[str, Measure] = {
        f"alpha_{distance}": KrippendorffAlpha(data, distance, constant=constant) for distance in distances_of(items)
    }
    if isinstance(data, SetAnnotations):
        return measures | {"mean_binary_alpha": BinaryAlphas(data, constant=constant)}
    return measures | {
        "percentage_agreement": PercentageAgreement(data, minimum=parameters.percentage_minimum),
        "pairwise_agreement": PairwiseAgreement(data),
        "pairwise_agreement_pooled": PairwiseAgreement(data, "pairs"),
        "fleiss_kappa": FleissKappa(data, constant=constant),
        "randolph_kappa": RandolphKappa(data, labels="observed", constant=constant),
        "randolph_kappa_all": RandolphKappa(data, labels="all", constant=constant),
    }


def measured(
    measures: Mapping[str, Measure], replicates: Mapping[str, Replicates], parameters: AgreementParameters
) -> list[AgreementByMeasure]:
    """Every measure with its interval; the replicates have the measures' names."""
    return [
        AgreementByMeasure.with_interval(
            measure.result(), _interval(measure, replicates[name], parameters), measure=name, title=TITLES[name]
        )
        for name, measure in measures.items()
    ]


def _interval(measure: Measure, replicates: Replicates, parameters: AgreementParameters) -> Interval | None:
    """The interval over items; None if the measure is undefined."""
    agreement = measure.result()
    if agreement.reason:
        return None
    return bootstrap_interval(
        replicates,
        confidence_level=parameters.level,
        method=parameters.interval,
        observed=agreement.value,
        jackknife=measure.without_each() if parameters.interval == "bca" else (),
    )


def label_names(inputs: StudyInputs | DatasetInputs | VotesInputs, items: JudgedItems) -> list[str]:
    """Labels by name, where the annotations hold their points on the scale."""
    if isinstance(inputs, VotesInputs) or items.name == "preferences":
        return [str(label) for label in items.annotations.labels]
    return list(inputs.labels)


def label_counts(annotations: Annotated) -> Integers:
    """How many annotations hold each label: (labels,)."""
    if isinstance(annotations, Annotations):
        return np.bincount(annotations.label, minlength=len(annotations.labels))
    times = np.bincount(annotations.chosen, minlength=len(annotations.members))
    counts: Integers = times @ annotations.members.astype(np.int64)
    return counts


def label_rows(
    annotations: Annotated, names: Sequence[str], alphas: BinaryAlphas, replicates: Replicates, *, level: float
) -> list[AgreementOnLabel]:
    """The alpha of “this label or another”, one row per label; the replicates are (resamples, labels)."""
    counts = label_counts(annotations).tolist()
    observed = alphas.observed_alphas.tolist() if alphas.table.items else [math.nan] * len(names)
    rows = []
    for place, (name, count, alpha) in enumerate(zip(names, counts, observed, strict=True)):
        interval = bootstrap_interval(replicates[:, place], confidence_level=level)
        reason = ""
        if math.isnan(alpha):
            reason = NO_PAIRS if not alphas.table.items else EVERYBODY if count else NOBODY
        rows.append(
            AgreementOnLabel(
                label=name,
                count=count,
                share=count / len(annotations.item),
                alpha=alpha,
                low=None if reason else interval.low,
                high=None if reason else interval.high,
                reason=reason,
                interval_reason=interval.reason,
            )
        )
    return rows


def single_labels(items: JudgedItems) -> Annotations:
    """The judgements; a set of labels counts as one label."""
    data = items.annotations
    return data.as_labels() if isinstance(data, SetAnnotations) else data


class ItemGroups:
    """The items with at least two judgements, in groups, and the alpha of each group under its name in plans."""

    def __init__(
        self, items: JudgedItems, distance: LabelDistance | SetDistance, parameters: AgreementParameters
    ) -> None:
        paired = items.with_at_least(2)  # one judgement says nothing about agreement
        self._labels = single_labels(paired)
        self._partitions: dict[str, tuple[Grouping, Partition]] = {
            f"{grouping}/{number}": (grouping, partition)
            for grouping, partitions in _partitions(paired, parameters)
            for number, partition in enumerate(partitions)
        }
        self.alphas: dict[str, Measure] = {
            name: KrippendorffAlpha(
                paired.annotations.only(partition.items), distance, constant=parameters.constant_value
            )
            for name, (_, partition) in self._partitions.items()
        }

    def rows(self, replicates: Mapping[str, Replicates], parameters: AgreementParameters) -> list[AgreementInGroup]:
        """One row per group; the replicates have the groups' names."""
        return [
            AgreementInGroup.with_interval(
                self.alphas[name].result(),
                _interval(self.alphas[name], replicates[name], parameters),
                grouping=grouping,
                by=GROUPINGS[grouping],
                partition=partition.name,
                items=len(partition.items),
                share=partition.share,
                percentage_agreement=PercentageAgreement(self._labels.only(partition.items)).result().value,
            )
            for name, (grouping, partition) in self._partitions.items()
        ]


def _partitions(items: JudgedItems, parameters: AgreementParameters) -> Iterator[tuple[Grouping, Sequence[Partition]]]:
    """The groups of each of the requested kinds, if the items have them."""
    labels = single_labels(items)
    if "agreement" in parameters.partitions:
        scale: Scale = "ordinal" if items.is_ordered else "nominal"
        yield "agreement", partitions_by_agreement(labels, scale, bounds=parameters.bounds)[1:]
    if "different_labels" in parameters.partitions:
        yield "different_labels", few_labels(partitions_by_labels(labels)[1:])
    if "systems" in parameters.partitions and items.systems:
        names = np.array(items.systems, dtype=object)
        yield (
            "systems",
            [
                Partition(name, tuple(np.flatnonzero(names == name).tolist()), float((names == name).mean()))
                for name in sorted(set(items.systems))
            ],
        )


def few_labels(partitions: Sequence[Partition]) -> list[Partition]:
    """The non-empty partitions by number of labels; those with many labels (or sets of labels) are merged."""
    many = [partition for partition in partitions[MANY_LABELS:] if partition.items]
    few = [partition for partition in partitions[:MANY_LABELS] if partition.items]
    if not many:
        return few
    items = sorted(item for partition in many for item in partition.items)
    share = sum(partition.share for partition in many)
    return [*few, Partition(f"more than {MANY_LABELS} labels", tuple(items), share)]


class Ratings(NamedTuple):
    """Ratings (items, judges) without gaps, and the forms that suit them; a reason if there are none."""

    matrix: Matrix
    forms: tuple[IntraclassForm, ...]
    excluded: int = 0
    note: str = ""
    reason: str = ""


def intraclass_rows(items: JudgedItems, *, level: float) -> list[IntraclassOfRatings]:
    """One row per form; none if the labels are not numbers on a scale.

    All six forms for the items that every annotator rated, if there are at least two. Else the one-way forms, which
    ignore who gave a rating, if all items have equally many ratings. If a person rated an item twice, they count once
    if both ratings are the same, and not at all if they differ.
    """
    data = items.annotations
    if isinstance(data, SetAnnotations) or "interval" not in distances_of(items):
        return []
    ratings = _ratings(data, items.people)
    rows = []
    for form in ratings.forms:
        if ratings.reason:
            (n, k), nan = ratings.matrix.shape, math.nan
            icc = IntraclassCorrelation(form, nan, nan, nan, level, nan, (0, 0), nan, n, k, reason=ratings.reason)
        else:
            icc = intraclass_correlation(ratings.matrix, form, confidence_level=level)
        # JSON has no infinities: they are said in words.
        infinite = {"F is infinite": icc.f, "the lower limit is minus infinity": icc.low}
        rows.append(
            IntraclassOfRatings(
                form=form,
                value=icc.value,
                low=icc.low,
                high=icc.high,
                f=icc.f,
                degrees_targets=icc.degrees[0],
                degrees_rest=icc.degrees[1],
                p_value=icc.pvalue,
                n_targets=icc.n_targets,
                n_judges=icc.n_judges,
                excluded=ratings.excluded,
                reason=icc.reason,
                notes=[
                    *filter(None, [ratings.note]),
                    *(note for note, value in infinite.items() if math.isinf(value)),
                ],
            )
        )
    return rows


def _ratings(data: Annotations, people: str) -> Ratings:
    item, value, judges = _ratings_by_item(data)
    counts = np.bincount(item, minlength=len(data.items))
    items, least, most = len(counts), int(counts.min()), int(counts.max())
    of_all = counts == judges
    if judges > 1 and of_all.sum() > 1:
        matrix = value[of_all[item]].reshape(-1, judges)
        return Ratings(matrix, INTRACLASS_FORMS, excluded=items - len(matrix))
    if items > 1 and least == most > 1:
        whose = f"but not of the same {people}" if judges else "and whose they are is not known"
        note = f"every item has {most} ratings, {whose}: only the one-way forms hold"
        return Ratings(value.reshape(items, most), ONE_WAY, note=note)
    if items < 2:
        reason = ONE_ITEM
    elif most < 2:
        reason = NO_TWO_RATINGS
    else:
        reason = (
            f"fewer than two items were rated by all {judges} {people}" if judges else f"the {people} are not known"
        )
        reason += f", and items have between {least} and {most} ratings"
    excluded = int((~of_all).sum()) if judges else 0
    return Ratings(np.empty((0, judges)), INTRACLASS_FORMS, excluded, reason=reason)


def _ratings_by_item(data: Annotations) -> tuple[Codes, Vector, int]:
    """Item and value of every rating, ordered by item and then by person, and how many people there are (0: unknown). A
    person has one rating per item, or none if theirs differ."""
    points = np.array(data.labels, dtype=np.float64)
    if data.annotator is None:
        order = np.argsort(data.item, kind="stable")
        return data.item[order], points[data.label[order]], 0
    people, person = np.unique(data.annotator, return_inverse=True)  # all items of the others may have been left out
    cell = data.item * len(people) + person
    order = np.lexsort((data.label, cell))
    cells, first = np.unique(cell[order], return_index=True)
    lowest = data.label[order][first]
    highest = data.label[order][np.append(first[1:], len(cell)) - 1]
    agrees = lowest == highest
    return cells[agrees] // len(people), points[lowest[agrees]], len(people)


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
