"""The measures of agreement of a set of judgements: over all items, by label, by pair of people, by partition."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from metaeval.analyses.inputs.judged_items import Annotated, Judged
from metaeval.stats import IntervalMethod, bootstrap_interval
from metaeval.stats.agreement import (
    Annotations,
    BinaryAlphas,
    FleissKappa,
    KrippendorffAlpha,
    LabelDistance,
    Measure,
    PairwiseAgreement,
    PercentageAgreement,
    RandolphKappa,
    SetAnnotations,
    SetDistance,
    cohen_kappas,
    krippendorff_alpha,
)
from metaeval.stats.uncertainty import Partition, Scale, partitions_by_agreement, partitions_by_labels

Distance = Literal["default", "nominal", "ordinal", "interval", "ratio", "jaccard", "masi"]
Grouping = Literal["agreement", "different_labels", "systems"]
Steps = Callable[[int, int], None]

MANY_LABELS = 5
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
    "mean_cohen_kappa": "Mean of the pairs’ Cohen’s kappas",
}


def distances_of(found: Judged) -> tuple[LabelDistance | SetDistance, ...]:
    """The distances that these labels have; interval and ratio only where the labels are numbers."""
    if isinstance(found.annotations, SetAnnotations):
        return ("nominal", "jaccard", "masi")
    if not found.is_ordered:
        return ("nominal",)
    labels = found.annotations.labels
    if not all(isinstance(label, int | float) for label in labels):
        return ("nominal", "ordinal")
    return ("nominal", "ordinal", "interval", *(("ratio",) if min(map(_number, labels), default=0) >= 0 else ()))


def main_distance(found: Judged, wanted: Distance) -> LabelDistance | SetDistance:
    """The wanted distance where these labels have it; else MASI for sets, ordinal for a scale, nominal otherwise."""
    known = distances_of(found)
    if wanted in known:
        return wanted
    if isinstance(found.annotations, SetAnnotations):
        return "masi"
    return "ordinal" if found.is_ordered else "nominal"


def measures_of(found: Judged, *, constant: float) -> dict[str, Measure]:
    """Every measure of these judgements, by name."""
    data = found.annotations
    measures: dict[str, Measure] = {
        f"alpha_{distance}": KrippendorffAlpha(data, distance, constant=constant) for distance in distances_of(found)
    }
    if isinstance(data, SetAnnotations):
        return measures | {"mean_binary_alpha": BinaryAlphas(data, constant=constant)}
    return measures | {
        "percentage_agreement": PercentageAgreement(data),
        "pairwise_agreement": PairwiseAgreement(data),
        "pairwise_agreement_pooled": PairwiseAgreement(data, "pairs"),
        "fleiss_kappa": FleissKappa(data, constant=constant),
        "randolph_kappa": RandolphKappa(data, labels="observed", constant=constant),
        "randolph_kappa_all": RandolphKappa(data, labels="all", constant=constant),
    }


def label_alphas_of(found: Judged, *, constant: float) -> BinaryAlphas:
    """The alpha of “this label or another”, label by label."""
    data = found.annotations
    return BinaryAlphas(data if isinstance(data, SetAnnotations) else data.one_hot(), constant=constant)


def label_counts(annotations: Annotated) -> npt.NDArray[np.int64]:
    """How many annotations hold each label: (labels,)."""
    if isinstance(annotations, Annotations):
        return np.bincount(annotations.label, minlength=len(annotations.labels))
    times = np.bincount(annotations.chosen, minlength=len(annotations.members))
    counts: npt.NDArray[np.int64] = times @ annotations.members.astype(np.int64)
    return counts


def partitions_of(found: Judged, groupings: Sequence[Grouping], bounds: Sequence[float]) -> dict[str, list[Partition]]:
    """The items in groups: by how far people agree, by how many different labels they gave, by system."""
    data = found.annotations
    labels = data.as_labels() if isinstance(data, SetAnnotations) else data
    made: dict[str, list[Partition]] = {}
    if "agreement" in groupings:
        scale: Scale = "ordinal" if found.is_ordered else "nominal"
        made["agreement"] = list(partitions_by_agreement(labels, scale, bounds=bounds)[1:])
    if "different_labels" in groupings:
        made["different_labels"] = few_labels(partitions_by_labels(labels)[1:])
    if "systems" in groupings and found.systems:
        names = np.array(found.systems, dtype=object)
        made["systems"] = [
            Partition(name, tuple(np.flatnonzero(names == name).tolist()), float((names == name).mean()))
            for name in sorted(set(found.systems))
        ]
    return made


def few_labels(parts: Sequence[Partition]) -> list[Partition]:
    """Of partitions by different labels those that have items; those with many labels (or sets of labels) as one."""
    many = [part for part in parts[MANY_LABELS:] if part.items]
    few = [part for part in parts[:MANY_LABELS] if part.items]
    if not many:
        return few
    items = sorted(item for part in many for item in part.items)
    return [*few, Partition(f"more than {MANY_LABELS} labels", tuple(items), sum(part.share for part in many))]


def pair_rows(
    found: Judged, distance: LabelDistance | SetDistance, *, least_common: int, constant: float, steps: Steps
) -> tuple[list[dict[str, Any]], int]:
    """One row a pair of people with `least_common` items in common, or more; and how many pairs have fewer.

    Single labels: Cohen's kappa. Sets of labels have none: Krippendorff's alpha of the two, by `distance`.
    """
    data = found.annotations
    if data.annotator is None:
        return [], 0
    if isinstance(data, SetAnnotations):
        pairs = _set_pairs(data, data.annotator, distance, constant, steps)
    else:
        pairs = [
            {
                "first": pair.first,
                "second": pair.second,
                "value": pair.kappa.value,
                "agreement": pair.observed_agreement if pair.kappa.n_items else math.nan,
                "n_items": pair.kappa.n_items,
                "reason": pair.kappa.reason,
            }
            for pair in cohen_kappas(data, constant=constant, progress=steps).pairs
        ]
    rows = [
        row | {"first": found.named(row["first"]), "second": found.named(row["second"])}
        for row in pairs
        if row["n_items"] >= least_common
    ]
    return rows, len(pairs) - len(rows)


def _set_pairs(
    data: SetAnnotations,
    annotator: npt.NDArray[np.int64],
    distance: LabelDistance | SetDistance,
    constant: float,
    steps: Steps,
) -> list[dict[str, Any]]:
    names = data.annotators.tolist()
    own = [np.flatnonzero(annotator == person) for person in range(len(names))]
    rows = []
    for number, (one, other) in enumerate(combinations(range(len(names)), 2)):
        if not number % len(names):
            steps(number, len(names) ** 2 // 2)
        common = np.intersect1d(data.item[own[one]], data.item[own[other]])
        if not len(common):
            continue
        both = np.concatenate([own[one], own[other]])
        part = _rows(data, both[np.isin(data.item[both], common)])
        found = krippendorff_alpha(part, distance, constant=constant)
        equal = krippendorff_alpha(part, "nominal")
        rows.append(
            {
                "first": names[one],
                "second": names[other],
                "value": found.value,
                "agreement": math.nan if equal.observed is None else 1 - equal.observed,
                "n_items": len(common),
                "reason": found.reason,
            }
        )
    return rows


def _rows(data: SetAnnotations, rows: npt.NDArray[np.int64]) -> SetAnnotations:
    items, item = np.unique(data.item[rows], return_inverse=True)
    return SetAnnotations(item, None, data.chosen[rows], data.members, items, np.array([]), data.labels)


def described(
    measure: Measure, replicates: npt.NDArray[np.float64], *, level: float, method: IntervalMethod
) -> dict[str, Any]:
    """A measure with its interval, as a row."""
    found = measure.result()
    row: dict[str, Any] = {
        "value": found.value,
        "n_items": found.n_items,
        "n_annotations": found.n_annotations,
        "excluded": found.excluded,
        "reason": found.reason,
        "notes": list(found.notes),
    }
    if found.reason:
        return row | {"low": math.nan, "high": math.nan}
    interval = bootstrap_interval(
        replicates,
        level=level,
        method=method,
        observed=found.value,
        jackknife=measure.without_each() if method == "bca" else (),
    )
    return row | {"low": interval.low, "high": interval.high, "interval_reason": interval.reason}


def label_titles(annotations: Annotated, names: Mapping[Hashable, str]) -> list[str]:
    """What the labels are called."""
    return [names.get(label, str(label)) for label in annotations.labels]


def _number(label: Hashable) -> float:
    return float(label)  # type: ignore[arg-type]  # the caller has checked that it is a number
