"""What a person may analyse, which runs they may see, and recording that they looked at a result."""

from __future__ import annotations

from collections.abc import Sequence

from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from annotations.api.paging import filters_of
from annotations.api.views import APIView, NotOnlyExpert, person, unblinded_study
from annotations.ground.errors import NotFound
from annotations.history import events
from annotations.history.looks import look
from annotations.models import Dataset, Study, StudyState
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.api.serializers import AnswersAsked
from metaeval.jobs.answers import ToldAnswers
from metaeval.jobs.models import AnalysisRun, AnalysisRunQuerySet, Subjects
from metaeval.jobs.runs import has_votes


class ResearchersView(APIView):  # without a docstring, which would describe operations that have none
    permission_classes = [NotOnlyExpert]


def visible_dataset(request: Request, slug: str) -> Dataset:
    dataset: Dataset = get_object_or_404(Dataset.objects.visible_to(person(request)), slug=slug)
    return dataset


def study_subject(request: Request, slug: str) -> Subject:
    """A study that the person may see unblinded; otherwise 404."""
    return Subject.of_study(unblinded_study(request, slug))


def dataset_subjects(request: Request, slug: str) -> list[Subject]:
    """The subjects of a dataset that the person may see: its annotations and predictions, and its votes."""
    user = person(request)
    dataset = get_object_or_404(Dataset.objects.visible_to(user).unblinded_for(user), slug=slug)
    if has_votes(dataset):
        return [Subject.of_dataset(dataset, kind=SubjectKind.VOTES)]
    return [Subject.of_dataset(dataset)]


def free_subject(request: Request, slugs: Sequence[str]) -> Subject:
    """Several datasets, all of which the person may see, or nothing. One hidden dataset means 404."""
    if not slugs:
        return Subject.nothing()
    user = person(request)
    visible = Dataset.objects.visible_to(user).unblinded_for(user).filter(slug__in=slugs).order_by("slug")
    datasets = list(visible)
    if len(datasets) != len(set(slugs)):
        raise NotFound
    return Subject.of_datasets(datasets)


def visible_run(request: Request, *, whole: bool = False, **key: object) -> AnalysisRun:
    """The run with this key, if the person may see it; otherwise 404. `whole`: with its result."""
    runs = AnalysisRun.objects.visible_to(person(request)).with_subject()
    run: AnalysisRun = get_object_or_404(runs.defer(None) if whole else runs, **key)
    return run


def free_runs(request: Request) -> AnalysisRunQuerySet:
    """Runs on several datasets and simulations that the person may see."""
    runs: AnalysisRunQuerySet = AnalysisRun.objects.visible_to(person(request))
    return runs.filter(subject__in=[Subjects.DATASETS, Subjects.NOTHING])


def told(request: Request, runs: AnalysisRunQuerySet, study: Study | None = None) -> ToldAnswers | None:
    """The answers of runs; for a study that is not closed, only on request, which is recorded as an event."""
    policy = filters_of(request, AnswersAsked)["answers"]
    if study is not None and study.state != StudyState.CLOSED:
        if not policy:
            return None
        events.unblinded_view(actor=person(request), study=study, what="answers of analyses")
    return ToldAnswers(runs)


def result_was_looked_at(request: Request, run: AnalysisRun) -> None:
    """Record a look at unblinded data: at a study's, or at those of datasets."""
    what = f"result of {run.analysis}"
    if run.study is not None:
        events.unblinded_view(actor=person(request), study=run.study, what=what)
    elif keys := [dataset.pk for dataset in ([run.dataset] if run.dataset else run.datasets.all())]:
        look(user=person(request), datasets=keys, what=what)


def may_see_tracebacks(request: Request, run: AnalysisRun) -> bool:
    """Whether the person is an admin of the run's study or, without a study, of the server."""
    user = person(request)
    if run.study_id is None:
        return user.is_superuser
    return Study.objects.administered_by(user).filter(pk=run.study_id).exists()
