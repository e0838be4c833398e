"""How much people agree on each single label: the alpha of “this label or another”."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from annotations.ground.arrays import Integers
from metaeval.analyses.agreement.result import AgreementOnLabel
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, VotesInputs
from metaeval.analyses.inputs.datasets import Annotated
from metaeval.analyses.inputs.judged_items import JudgedItems
from metaeval.sampling import Replicates
from metaeval.stats import bootstrap_interval
from metaeval.stats.agreement import Annotations, BinaryAlphas, SetAnnotations

NO_PAIRS = "no item has two judgements"
NOBODY = "nobody chose it"
EVERYBODY = "everybody chose it wherever two people judged, or nobody did"


def label_alphas_of(found: JudgedItems, *, constant: float) -> BinaryAlphas:
    """The alphas of all labels, which are resampled together."""
    data = found.annotations
    return BinaryAlphas(data if isinstance(data, SetAnnotations) else data.one_hot(), constant=constant)


def label_names(inputs: StudyInputs | DatasetInputs | VotesInputs, found: JudgedItems) -> list[str]:
    """Labels by name, where the annotations hold their points on the scale."""
    if isinstance(inputs, VotesInputs) or found.name == "preferences":
        return [str(label) for label in found.annotations.labels]
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
    """One row per label; the replicates are (resamples, labels)."""
    counts = label_counts(annotations).tolist()
    observed = alphas.observed_alphas.tolist() if alphas.table.items else [math.nan] * len(names)
    rows = []
    for place, (name, count, alpha) in enumerate(zip(names, counts, observed, strict=True)):
        interval = bootstrap_interval(replicates[:, place], confidence_level=level)
        undefined = math.isnan(alpha)
        rows.append(
            AgreementOnLabel(
                label=name,
                count=count,
                share=count / len(annotations.item),
                alpha=alpha,
                low=math.nan if undefined else interval.low,
                high=math.nan if undefined else interval.high,
                reason=_undefined(count, with_pairs=bool(alphas.table.items)) if undefined else "",
                interval_reason=interval.reason,
            )
        )
    return rows


def _undefined(count: int, *, with_pairs: bool) -> str:
    if not with_pairs:
        return NO_PAIRS
    return EVERYBODY if count else NOBODY
