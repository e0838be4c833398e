"""A bundle returns what went in, whatever the task, the names and the people: arrays, names and fingerprint."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from frictionless import Package

from annotations.background.kept_files import write
from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    Segment,
    SystemTable,
)
from annotations.models import Compares, Comparison, Label, Study
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.bundles.archive import Archive
from metaeval.bundles.rebuilding import rebuilt
from metaeval.documents.making import document_chunks
from metaeval.documents.models import DocumentKind
from metaeval.stats.agreement import SetAnnotations
from tests.worlds.datasets import written_dataset

pytestmark = pytest.mark.django_db

LABELS = ("=1+1, or so", 'a "quoted" one', "-0.5")
IDS = ("@home", "'=quoted", "a,b;c", "ümlaut", "5")


def study_of(task, *, known, compares=Compares.HUMAN_VS_SYSTEM):
    """A study on a dataset whose names a spreadsheet would run, with annotations of people who are known or not."""
    rng = np.random.default_rng(4)
    rows = []
    for item in range(len(IDS)):
        for person in range(3):
            labels = {int(rng.integers(3))} | ({int(rng.integers(3))} if task == "multilabel" else set())
            rows.append(AnnotationRow(item, tuple(sorted(labels)), f"=p{person}" if known else ""))
    table = DatasetTable(
        labels=LabelSet(LABELS, task),
        instances=[InstanceRow(name, (Segment("", f"text {name}"),)) for name in IDS],
        annotations=AnnotationTable.from_rows(rows),
    )
    made = [
        SystemTable(model, rng.dirichlet(np.ones(3), len(IDS)) / 1.0, "=M", "1") for model in ("One", "Two", "Else")
    ]
    dataset = written_dataset(table, made, slug=f"data-{task}", title="Data")
    if task == "ordinal":
        for position, value in enumerate((-1.5, 0.0, 1e-17)):
            Label.objects.filter(dataset=dataset, position=position).update(value=value)
    dataset.refresh_from_db()
    study = Study.objects.create(dataset=dataset, slug=f"study-{task}", title="=Study", compares=compares)
    one, two = dataset.systems.exclude(model="Else").order_by("pk")
    first = one if compares == Compares.SYSTEM_VS_SYSTEM else None
    for position, instance in enumerate(dataset.instances.order_by("position")):
        Comparison.objects.create(
            study=study, instance=instance, first_system=first, second_system=two, position=position
        )
    return study


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize("task", ["multiclass", "multilabel", "ordinal"])
def test_the_inputs_come_back_to_the_last_bit(task, known, tmp_path):
    compares = Compares.SYSTEM_VS_SYSTEM if known else Compares.HUMAN_VS_SYSTEM
    study = study_of(task, known=known, compares=compares)
    path = Path(tmp_path / "x.zip")
    write(path, document_chunks(study, DocumentKind.BUNDLE))
    given = gather_study(study)
    with Archive(path) as archive:
        found = rebuilt(archive)
        assert found.fingerprint == given.fingerprint
        assert (found.data.labels, found.data.values) == (given.data.labels, given.data.values)
        assert found.data.instances == given.data.instances == IDS
        assert found.origins == given.origins
        assert "Else / =M / 1" not in found.systems  # compared with nothing
        np.testing.assert_array_equal(found.P, given.P)
        for name in given.systems:
            np.testing.assert_array_equal(found.Q[name], given.Q[name])
        one, other = given.data.annotations, found.data.annotations
        assert type(one) is type(other)
        assert isinstance(other, SetAnnotations) == (task == "multilabel")
        for name, value in vars(one).items():
            if isinstance(value, np.ndarray):
                np.testing.assert_array_equal(value, getattr(other, name), err_msg=name)
        assert one.labels == other.labels
        assert (other.annotator is not None) == known
    with zipfile.ZipFile(path) as plain:
        everything = b"".join(map(plain.read, plain.namelist()))
        plain.extractall(tmp_path)  # our own archive
    assert b"text @home" not in everything
    report = Package(str(tmp_path / "datapackage.json")).validate()
    assert report.valid, report.to_summary()
