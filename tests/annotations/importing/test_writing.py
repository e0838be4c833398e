"""What the writer promises: all or nothing, once, and P from the annotations."""

import dataclasses
import threading

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    AnswersTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    PredictionTable,
    Segment,
    SystemTable,
)
from annotations.importing.writing.datasets import (
    BadDescription,
    EmptyTable,
    NotADistribution,
    OtherContent,
    dataset_fingerprint,
    insert_with_matrix,
    write_dataset,
)
from annotations.importing.writing.predictions import missing_notes, target_of, write_predictions
from annotations.models import Dataset, Event, HumanAnnotation, Instance, PredictedAnnotations, System, Task

LABELS = LabelSet(names=("tax", "family", "none"), task=Task.MULTILABEL, exclusive="none")
FINGERPRINT = "ad80d2ba7adde82bcdcfae1049990eed580f9a2188639373e251791a064a1c6a"  # before splits were stored


def annotated(**changes):
    rows = [
        AnnotationRow(1, (2,), "bob"),
        AnnotationRow(0, (1, 0), "ann"),
        AnnotationRow(0, (0,), "bob"),
        AnnotationRow(1, (2,), "", 3),
    ]
    instances = [InstanceRow("a", (Segment("", "First."),)), InstanceRow("b", (), "ar", "rtl")]
    table = DatasetTable(labels=LABELS, instances=instances, annotations=AnnotationTable.from_rows(rows))
    return dataclasses.replace(table, **changes)


@pytest.fixture
def dataset(db):
    return write_dataset(table=annotated(), slug="small", title="Small").dataset


def test_a_dataset_is_stored_whole_and_its_gold_comes_from_its_annotations(dataset):
    stored = Dataset.objects.get(slug="small")
    np.testing.assert_array_equal(stored.gold, [[1.0, 0.5, 0.0], [0.0, 0.0, 1.0]])
    assert list(stored.labels.values_list("name", "exclusive")) == [("tax", False), ("family", False), ("none", True)]
    first, second = Instance.objects.filter(dataset=stored)
    assert first.segments == [{"name": "", "text": "First."}]
    assert (second.segments, second.language, second.direction) == ([], "ar", "rtl")
    assert list(
        HumanAnnotation.objects.order_by("instance__position", "position").values_list(
            "instance__external_id", "position", "annotator", "labels", "count"
        )
    ) == [("a", 0, "ann", [0, 1], 1), ("a", 1, "bob", [0], 1), ("b", 0, "bob", [2], 1), ("b", 1, "", [2], 3)]
    assert Event.objects.filter(dataset=stored, kind="imported").count() == 1


def test_the_same_dataset_again_changes_nothing(dataset):
    again = write_dataset(table=annotated(), slug="small", title="Another title")
    assert (again.dataset.pk, again.changed) == (dataset.pk, False)
    assert Event.objects.count() == 1


def test_the_split_is_stored_and_does_not_change_what_the_dataset_is(dataset):
    parted = annotated(instances=[row._replace(split="train") for row in annotated().instances])
    assert dataset_fingerprint(parted) == dataset.fingerprint == FINGERPRINT
    assert set(write_dataset(table=parted, slug="parted", title="").dataset.instances.values_list("split")) == {
        ("train",)
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": LabelSet(names=("tax", "family", "none"), task=Task.MULTILABEL)},
        {"instances": [InstanceRow("a", (Segment("", "Other."),)), InstanceRow("b", (), "ar", "rtl")]},
        {"annotations": AnnotationTable.from_rows([AnnotationRow(0, (0,), "ann"), AnnotationRow(1, (1,), "ann")])},
        {"annotations": None, "gold": np.zeros((2, 3))},
    ],
)
def test_other_content_under_the_same_slug_is_refused(dataset, changes):
    with pytest.raises(OtherContent, match="'small'"):
        write_dataset(table=annotated(**changes), slug="small", title="Small")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("gold", "task", "error"),
    [
        ([[0.5, 0.5, 1.5]], Task.MULTILABEL, NotADistribution),
        ([[0.5, 0.5, np.nan]], Task.MULTILABEL, NotADistribution),
        ([[0.5, 0.4, 0.0]], Task.MULTICLASS, NotADistribution),
        (np.zeros((0, 3)), Task.MULTILABEL, EmptyTable),
    ],
)
def test_what_is_no_distribution_is_never_stored(gold, task, error):
    gold = np.array(gold)
    labels = LabelSet(names=("x", "y", "z"), task=task)
    table = DatasetTable(labels=labels, instances=[InstanceRow(str(i)) for i in range(len(gold))], gold=gold)
    with pytest.raises(error):
        write_dataset(table=table, slug="bad", title="Bad")
    assert not Dataset.objects.exists()


def test_an_instance_that_nobody_judged_has_no_distribution(db):
    votes = AnnotationTable.from_rows([AnnotationRow(0, (1,), "ann")])
    with pytest.raises(NotADistribution, match="row 2"):
        write_dataset(table=annotated(annotations=votes), slug="bad", title="Bad")


def test_a_failure_in_the_middle_leaves_nothing(db):
    twice = [InstanceRow("a"), InstanceRow("a")]
    with pytest.raises(Exception, match=r"(?i)unique"):
        write_dataset(table=annotated(instances=twice), slug="bad", title="Bad")
    assert not Dataset.objects.exists()
    assert not Event.objects.exists()


@pytest.mark.parametrize("names", [{"slug": "no slug!"}, {"slug": "x" * 81}, {"slug": "x", "title": "t" * 201}])
def test_a_slug_or_title_that_cannot_be_stored_is_refused_in_words(db, names):
    with pytest.raises(BadDescription):
        write_dataset(table=annotated(), **{"title": "Small"} | names)
    assert not Dataset.objects.exists()


def systems(*Qs):
    return PredictionTable(tuple(SystemTable("m", Q, run=str(run)) for run, Q in enumerate(Qs)))


def test_predictions_are_stored_once_and_exactly(dataset):
    Q = np.random.default_rng(0).random((2, 3))
    written = write_predictions(dataset=dataset, table=systems(Q, Q / 2))
    assert (written.added, written.unchanged) == (("m / 0", "m / 1"), ())
    np.testing.assert_array_equal(System.objects.get(run="1").predictions, Q / 2)
    again = write_predictions(dataset=dataset, table=systems(Q, Q / 2, Q / 3))
    assert (again.added, again.unchanged) == (("m / 2",), ("m / 0", "m / 1"))


def test_other_predictions_of_a_known_system_are_refused_with_all_that_came_along(dataset):
    Q = np.full((2, 3), 0.5)
    write_predictions(dataset=dataset, table=systems(Q))
    with pytest.raises(OtherContent, match="m / 0"):
        write_predictions(dataset=dataset, table=systems(Q / 2, Q / 3))
    assert System.objects.count() == 1


def test_predictions_of_a_wrong_shape_or_range_are_refused(dataset):
    for Q in (np.zeros((3, 3)), np.full((2, 3), 1.1)):
        with pytest.raises(NotADistribution, match="m / 0"):
            write_predictions(dataset=dataset, table=systems(Q))
    with pytest.raises(EmptyTable):
        write_predictions(dataset=dataset, table=PredictionTable(()))


def test_a_system_may_lack_single_annotations_and_it_is_said_how_many(dataset):
    HumanAnnotation.objects.filter(count=3).update(count=1)
    rows = np.array([[1, 0, 0], [np.nan] * 3, [0, 0, 0], [np.nan] * 3])
    table = PredictionTable((), answers=(AnswersTable("m", rows, options={"how": "heads"}),))
    assert write_predictions(dataset=dataset, table=table).added == ("m (single annotations)",)
    stored = PredictedAnnotations.objects.get()
    np.testing.assert_array_equal(stored.answers, rows)
    assert stored.options == {"how": "heads", "missing": 2}
    assert write_predictions(dataset=dataset, table=table).unchanged == ("m (single annotations)",)
    assert [(note[:2], "2 of 4" in note) for note in missing_notes(table)] == [("m ", True)]
    for bad, why in ((rows * np.nan, "predicts nothing for any annotation"), (rows / 2, "labels by 0 and 1")):
        with pytest.raises(NotADistribution, match=why):
            write_predictions(dataset=dataset, table=PredictionTable((), answers=(AnswersTable("n", bad),)))


def test_the_target_of_predictions_is_the_dataset_as_imported(dataset):
    target = target_of(dataset)
    assert (target.labels, target.external_ids, target.shape) == (LABELS, ("a", "b"), (2, 3))


@pytest.mark.django_db(transaction=True)
def test_two_imports_of_the_same_at_once_make_one_dataset():
    results = []

    def work():
        try:
            results.append(write_dataset(table=annotated(), slug="small", title="Small").changed)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False, False, False, True]
    assert Event.objects.count() == 1


@pytest.mark.postgresql
@pytest.mark.django_db
def test_matrices_are_stored_as_they_are_so_that_one_row_can_be_read_alone():
    """Compressing one of 100,000 x 33 shares takes seconds and gains little."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attrelid::regclass::text, attname FROM pg_attribute WHERE attstorage = 'e' AND atttypid = "
            "'bytea'::regtype AND attrelid IN (SELECT oid FROM pg_class WHERE relname LIKE 'annotations\\_%')"
        )
        assert sorted(cursor.fetchall()) == [
            ("annotations_dataset", "gold"),
            ("annotations_predictedannotations", "answers"),
            ("annotations_system", "predictions"),
        ]


@pytest.mark.postgresql
def test_a_matrix_goes_to_the_database_as_bytes_and_every_other_statement_as_before(dataset):
    """As hexadecimal text in the statement it would be in memory five times."""
    before = connection.connection.cursor_factory
    seen = []

    def look(execute, sql, params, many, context):
        seen.append((sql.split()[0], type(connection.connection.cursor()).__name__))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        write_predictions(dataset=dataset, table=PredictionTable((SystemTable("m", np.full((2, 3), 0.5)),)))
    assert ("INSERT", "ServerBindingCursor") in seen
    assert connection.connection.cursor_factory is before
    np.testing.assert_array_equal(System.objects.get().predictions, np.full((2, 3), 0.5))


@pytest.mark.postgresql
def test_a_matrix_that_cannot_be_stored_leaves_the_connection_as_it_was(dataset):
    before = connection.connection.cursor_factory
    with pytest.raises(ValidationError):
        insert_with_matrix(System(dataset=dataset, model="m", predictions=np.full((2, 3), np.inf)))
    assert connection.connection.cursor_factory is before
