"""What a command is told to analyse, as rows of the database; errors list what exists."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.management.base import CommandError

from annotations.models import Dataset, Study
from metaeval.analyses.base.registry import Analysis
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.subjects import has_votes

SHOWN = 20


def chosen_subject(entry: Analysis, *, study: str | None, datasets: Sequence[str]) -> Subject:
    """The study, the dataset (or its votes), the datasets, or nothing, by what was given and what the analysis
    supports.

    A single dataset is taken as one, unless the analysis is only about several.
    """
    if study is not None and datasets:
        raise CommandError("Give a study or --dataset, not both.")
    if study is not None:
        return Subject.of_study(_study(study))
    found = [dataset_of(slug) for slug in datasets]
    if not found:
        if SubjectKind.NOTHING in entry.subjects:
            return Subject.nothing()
        raise CommandError(f"{entry.name} needs something to be about: {', '.join(entry.subjects)}.")
    if len(found) > 1 or not {SubjectKind.DATASET, SubjectKind.VOTES} & set(entry.subjects):
        return Subject.of_datasets(found)
    return Subject.of_dataset(found[0], kind=SubjectKind.VOTES if has_votes(found[0]) else SubjectKind.DATASET)


def _study(slug: str) -> Study:
    try:
        return Study.objects.select_related("dataset").get(slug=slug)
    except Study.DoesNotExist:
        known = ", ".join(Study.objects.values_list("slug", flat=True)[:SHOWN]) or "none yet"
        raise CommandError(f"There is no study {slug!r}. Studies: {known}.") from None


def dataset_of(slug: str) -> Dataset:
    """The dataset of that name."""
    try:
        found: Dataset = Dataset.objects.get(slug=slug)
    except Dataset.DoesNotExist:
        known = ", ".join(Dataset.objects.values_list("slug", flat=True)[:SHOWN]) or "none yet"
        raise CommandError(f"There is no dataset {slug!r}. Datasets: {known}.") from None
    return found
