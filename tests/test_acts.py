"""What an act executes: how many of the product's files and functions one meets on the way."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from annotations.erasing.executing import carry_out
from annotations.exporting.exports import export_responses
from annotations.importing.datasets import import_dataset
from annotations.importing.reading.files import SourceFile
from annotations.models import Erased, Erasure, Role, Study, User
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute
from metaeval.training_jobs.lifecycle import prepare_training
from metaeval.training_jobs.models import TrainingJob
from tests.house import ACTS, Executed, Profile
from tests.metaeval.studies import answered_study
from tests.metaeval.training_jobs.test_advancing import fitted
from tests.metaeval.training_jobs.world import FORECAST, TINY, ended, judged_dataset
from tests.worlds.answering import Page
from tests.worlds.full import make_full_study
from tests.worlds.studies import make_open_study

FALLEN = Executed(3, 30)
"""By how much an act may stay below the table: what another test has had cached is not called again."""

pytestmark = pytest.mark.django_db


def check(name: str, act: Callable[[], object]) -> None:
    with Profile() as profile:
        act()
    for what, count, most, fallen in zip(Executed._fields, profile.executed, ACTS[name].most, FALLEN, strict=True):
        assert count <= most, f"{name} executes {count} {what}: say in tests/house.py what for, or take another way"
        assert count >= most - fallen, f"{name} executes only {count} {what} now: lower the count in tests/house.py"


@pytest.mark.parametrize("name", ["preference_correlation", "study_quality", "agreement", "method_ranking"])
def test_an_analysis(name: str) -> None:
    subject = Subject.of_study(answered_study().study)
    act = partial(compute, subject=subject, analysis=name, parameters=analyses.get(name).example, seed=1)
    check(f"analysis: {name.replace('_', ' ')}", lambda: act(progress=lambda *_: None))


def test_answers() -> None:
    page = Page(make_open_study(experts=1).memberships.get(role=Role.EXPERT).user)
    token = page.next().json()["assignment"]["token"]
    check("labels", lambda: page.labels(token))
    check("preference", lambda: page.preference(token))


def test_an_erasure(admin_user: User) -> None:
    study = make_full_study()
    person = study.memberships.get(number=2).user
    erasure = Erasure.objects.create(owner=admin_user, what=Erased.PERSON, target=person.pk)
    check("erasure of a person", lambda: carry_out(erasure))


def test_a_csv_export(admin_user: User) -> None:
    study = make_full_study()
    check("CSV export", lambda: written_by(admin_user, study))


def written_by(actor: User, study: Study) -> list[bytes]:
    files = export_responses(study=study, format_name="csv", actor=actor)
    return [chunk for file in files for chunk in file.chunks()]


def test_an_import(tmp_path: Path) -> None:
    path = tmp_path / "annotations.csv"
    path.write_text("instance,text,annotator,label\na,One,ann,tax\na,One,bob,family\nb,Two,ann,tax\n")
    check("import", lambda: import_dataset(files=[SourceFile.at(path)], slug="small"))


def test_a_training() -> None:
    """Its fits, which torch computes, are left out."""
    dataset = judged_dataset()

    def train() -> None:
        training = prepare_training(dataset=dataset, parameters=TINY, starts_itself=True)
        ended(training.jobs.get(), result=FORECAST)
        for job in training.jobs.filter(kind=TrainingJob.Piece.FIT):
            fitted(job)

    check("training, without its fits", train)
    assert dataset.systems.exists()
