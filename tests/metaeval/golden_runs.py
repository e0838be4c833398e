"""Real files through all that a user's files go through: the import, a run in the database, the job, its stored result.

For the golden tests of every analysis, and for any other test that needs a result as a user gets it:

    dataset = imported(shared_data, ["lewidi2023/ArMIS_dev.json"])
    result = stored_result(about(dataset), "agreement", resamples=100)
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from annotations.background import jobs
from annotations.importing.datasets import import_dataset, import_predictions
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, JobState
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import result_of, start_run

NEVER = 3600.0


def imported(
    folder: Path, files: Iterable[str], *, slug: str = "real", predictions: Iterable[str] = (), **options: Any
) -> Dataset:
    """The dataset of these files, with `predictions` of its systems; the options are those of the reader."""
    import_dataset(files=[SourceFile.at(folder / name) for name in files], slug=slug, options=options)
    dataset: Dataset = Dataset.objects.get(slug=slug)
    if of_systems := [SourceFile.at(folder / name) for name in predictions]:
        import_predictions(dataset=dataset, files=of_systems)
    return dataset


def about(dataset: Dataset) -> Subject:
    """The votes of a dataset that has some, else the dataset."""
    return Subject.of_dataset(dataset, kind=SubjectKind.VOTES if dataset.votes.exists() else SubjectKind.DATASET)


def stored_result(subject: Subject, analysis: str, *, seed: int = 1, **parameters: Any) -> dict[str, Any]:
    """The result that is stored when a worker has done the run: claimed, distributed if it takes long, written.

    It also works inside a test's transaction, which nobody else can see: so no worker is called, and the thread that
    keeps a worker's lease has nothing to do. `tests/metaeval/jobs` has both with real workers.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)
        patch.setattr(jobs, "TICK_SECONDS", NEVER)
        run = start_run(subject=subject, analysis=analysis, parameters=parameters, seed=seed, rerun=True)
        assert jobs.run(AnalysisRun, run.pk)
    found = AnalysisRun.objects.defer(None).get(pk=run.pk)
    assert found.state == JobState.SUCCEEDED, f"{found.error}\n{found.error_detail}"
    assert found.fingerprint == found.result["fingerprint"]
    return result_of(found)
