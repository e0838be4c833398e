"""What a run is about, between its row and the analyses."""

from __future__ import annotations

from annotations.models import Dataset, PairwiseVote
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun


def subject_of(run: AnalysisRun) -> Subject:
    """What the run is about."""
    kind = SubjectKind(run.subject)
    if kind == SubjectKind.DATASETS:
        return Subject.of_datasets(run.datasets.order_by("slug"))
    if run.study is not None:
        return Subject.of_study(run.study)
    return Subject.nothing() if run.dataset is None else Subject.of_dataset(run.dataset, kind=kind)


def input_name(run: AnalysisRun) -> str:
    """What a run is about and which analysis it is, for an error that nobody foresaw."""
    subject = subject_of(run)
    about = subject.name if subject.kind == SubjectKind.NOTHING else f"{subject.kind} {subject.name}"
    return f"{about}, {run.analysis}"


def has_votes(dataset: Dataset) -> bool:
    """Whether the dataset holds pairwise votes (and then no labels)."""
    return bool(PairwiseVote.objects.filter(dataset=dataset).exists())
