"""Where figures are computed: real files through the import, a run in the database, the job, and its stored result."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from celery import current_app

from annotations.importing.datasets import import_dataset, import_predictions
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, JobState
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import has_votes, result_of, start_run

SEED = 1


class Bench:
    """The folders of data, of golden files and of generated files, and what has already been imported."""

    def __init__(self, *, data: Path, golden: Path, work: Path) -> None:
        self.data, self.work = data, work
        self._golden = golden
        self._datasets: dict[str, Dataset] = {}

    def golden(self, name: str) -> Any:
        """A golden file: the published figures, and where they were published."""
        return json.loads((self._golden / name).read_text(encoding="utf-8"))

    def dataset(
        self,
        slug: str,
        files: Iterable[str],
        *,
        predictions: Iterable[str] = (),
        folder: Path | None = None,
        **options: Any,
    ) -> Dataset:
        """The dataset of these files, imported once; the options are those of the reader."""
        if slug not in self._datasets:
            at = folder or self.data
            import_dataset(files=[SourceFile.at(at / name) for name in files], slug=slug, options=options)
            dataset: Dataset = Dataset.objects.get(slug=slug)
            if of_systems := [SourceFile.at(at / name) for name in predictions]:
                import_predictions(dataset=dataset, files=of_systems)
            self._datasets[slug] = dataset
        return self._datasets[slug]

    def of_dataset(self, dataset: Dataset, analysis: str, **parameters: Any) -> dict[str, Any]:
        """The stored result of an analysis of a dataset, or of the votes in it."""
        kind = SubjectKind.VOTES if has_votes(dataset) else SubjectKind.DATASET
        return self.result(Subject.of_dataset(dataset, kind=kind), analysis, **parameters)

    def result(self, subject: Subject, analysis: str, **parameters: Any) -> dict[str, Any]:
        """The stored result of a run, which this process executes as its own worker."""
        before, current_app.conf.task_always_eager = current_app.conf.task_always_eager, True
        try:
            run = start_run(subject=subject, analysis=analysis, parameters=parameters, seed=SEED, rerun=True)
        finally:
            current_app.conf.task_always_eager = before
        done: AnalysisRun = AnalysisRun.objects.defer(None).get(pk=run.pk)
        if done.state != JobState.SUCCEEDED:
            raise RuntimeError(f"{analysis} ended as {done.state}: {done.error}")
        return result_of(done)
