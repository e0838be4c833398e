"""Which datasets are only training data for the baselines of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.inputs import DatasetInputs

Training = Mapping[str, Sequence[DatasetInputs]]
"""The training data of every dataset, by its slug."""


def training_of(datasets: Sequence[DatasetInputs], named: Sequence[str]) -> Training:
    """The training data of every dataset, from `EVALUATED=TRAINING` or `TRAINING`."""
    by_slug = {data.slug: data for data in datasets}
    answer: dict[str, list[DatasetInputs]] = {slug: [] for slug in by_slug}

    def known(slug: str) -> DatasetInputs:
        if slug not in by_slug:
            raise AnalysisError(
                f"The training data {slug!r} are not among the datasets of this analysis: "
                f"{', '.join(by_slug)}. Name them too; datasets used only for training are not evaluated."
            )
        return by_slug[slug]

    alone = [known(entry) for entry in named if "=" not in entry]
    for entry in (entry for entry in named if "=" in entry):
        evaluated, _, training = entry.partition("=")
        answer[known(evaluated).slug].append(known(training))
    for slug, data in by_slug.items():
        answer[slug] += [other for other in alone if data not in alone and _is_same_kind(data, other)]
        if data in answer[slug]:
            raise AnalysisError(f"{slug} cannot be its own training data.")
    unused = [data.slug for data in alone if not any(data in training for training in answer.values())]
    if unused:
        raise AnalysisError(f"No other dataset here has the task and labels of the training data {unused[0]}.")
    return answer


def evaluated_of(datasets: Sequence[DatasetInputs], training: Training) -> list[DatasetInputs]:
    """The datasets on which systems are ranked: training data are not evaluated, unless they have training data
    themselves."""
    trains = [data for data in datasets if any(data in others for others in training.values())]
    return [data for data in datasets if training[data.slug] or data not in trains]


def label_order(data: DatasetInputs, other: DatasetInputs) -> list[int]:
    """The positions of the dataset's labels among those of its training data."""
    if not _is_same_kind(data, other):
        raise AnalysisError(f"{other.slug} cannot be training data of {data.slug}: their labels or tasks differ.")
    return [other.labels.index(name) for name in data.labels]


def _is_same_kind(data: DatasetInputs, other: DatasetInputs) -> bool:
    """Whether a dataset could be another's training data."""
    return data.task == other.task and set(data.labels) == set(other.labels)
