"""Matrices: NumPy's own files beside instances and labels, and never a pickle."""

import io
import pickle
import zipfile

import numpy as np
import pytest

from annotations.importing.datasets import import_predictions
from annotations.models import Dataset, System

P = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]])
Q = np.array([[0.5, 0.5], [0.125, 0.875], [1.0, 0.0]])
INSTANCES = (
    '{"instance": "a", "text": "One."}\n{"instance": "b", "text": "Two."}\n{"instance": "c", "text": "Three."}\n'
)


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


@pytest.fixture
def beside(write):
    return [write("instances.jsonl", INSTANCES), write("labels.txt", "tax\nfamily\n")]


@pytest.fixture
def dataset(bring, write, beside):
    return bring(write("gold.npy", npy(P)), *beside)


def test_a_matrix_beside_instances_and_labels(dataset):
    np.testing.assert_array_equal(dataset.gold, P)
    assert (dataset.task, list(dataset.labels.values_list("name", flat=True))) == ("multiclass", ["tax", "family"])
    assert [row.segments[0]["text"] for row in dataset.instances.all()] == ["One.", "Two.", "Three."]


@pytest.mark.parametrize(
    "array", [np.stack([P, Q]), np.asfortranarray(P), P.astype(np.float32), P.astype(">f8"), P[:, ::-1][:, ::-1]]
)
def test_every_way_to_store_the_same_matrix(bring, write, beside, array):
    np.testing.assert_array_equal(bring(write("gold.npy", npy(array)), *beside).gold, P)


def test_the_predicted_half_of_a_pair(dataset, write):
    import_predictions(files=[write("BERT.npy", npy(np.stack([P, Q])))], dataset=dataset, options={"run": "1"})
    assert System.objects.get().name == "BERT / 1"
    np.testing.assert_array_equal(System.objects.get().predictions, Q)


def test_an_archive_holds_one_array_a_system(dataset, write):
    content = npz(**{"M / T / 0": Q, "N": P})
    report = import_predictions(files=[write("all.npz", content)], dataset=dataset)
    assert report.systems == ["M / T / 0", "N"]
    np.testing.assert_array_equal(System.objects.get(method="T").predictions, Q)


def test_another_order_is_put_right_by_the_lists_beside(dataset, write):
    order, columns = [2, 0, 1], [1, 0]
    lines = INSTANCES.splitlines()
    files = [
        write("m.npy", npy(np.stack([P, Q])[:, order][:, :, columns])),
        write("rows.jsonl", "\n".join(lines[i] for i in order)),
        write("columns.txt", "family\ntax"),
    ]
    import_predictions(files=files, dataset=dataset)
    np.testing.assert_array_equal(System.objects.get().predictions, Q)


def test_another_order_without_them_is_noticed_by_the_human_half(dataset, refused_predictions, write):
    problems = refused_predictions(dataset, write("m.npy", npy(np.stack([P, Q])[:, [1, 0, 2]])))
    assert (problems[0]["line"], problems[0]["value"]) == (1, "instance 'a'")


def test_a_matrix_needs_its_lists(refused, write, beside):
    gold = write("gold.npy", npy(P))
    assert refused(gold, beside[0])[0]["reason"] == "there is no label list with the matrix"
    assert refused(gold, beside[1])[0]["reason"] == "there is no table of instances with the matrix"


class Harmful:
    """Leaves a trace when it is unpickled."""

    touched = False

    def __reduce__(self):
        return (setattr, (Harmful, "touched", True))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("gold.npy", pickle.dumps(Harmful())),
        ("gold.pkl", pickle.dumps(Harmful(), protocol=0)),
        ("gold.npy", npy(np.array([[Harmful()]], dtype=object), allow_pickle=True)),
        ("gold.pt", b"PK\x03\x04"),
    ],
)
def test_a_pickle_is_never_read(refused, write, beside, name, content):
    problems = refused(write(name, content), *beside)
    assert "pickle" in problems[0]["reason"]
    assert "numpy.save" in problems[0]["remedy"]
    assert not Harmful.touched


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (npy(P)[:-1], "the array is incomplete"),
        (npy(P)[:20], "this is not a NumPy array, or its header is incomplete"),
        (npy(P) + b"x", "there is extra data after the array"),
        (npy(P.T), "the array has the wrong shape; expected (3, 2) or (2, 3, 2)"),
        (npy(np.zeros((3, 3))), "the array has the wrong shape; expected (3, 2) or (2, 3, 2)"),
        (npy(P.astype(complex)), "the array does not contain real numbers"),
        (npy(P.astype("U5")), "the array does not contain real numbers"),
        (npy(P * 2), "the value is not in [0, 1]"),
        (npy(np.where(P == 1, np.nan, P)), "the value is not a finite number"),
    ],
)
def test_a_bad_array_is_refused(refused, write, beside, content, reason):
    assert reason in [problem["reason"] for problem in refused(write("gold.npy", content), *beside)]


def test_rows_that_do_not_sum_to_one_are_refused_where_they_must(refused, write, beside, dataset, refused_predictions):
    bad = write("m.npy", npy(Q * [[1, 1], [1, 0.5], [1, 1]]))
    problems = refused(bad, *beside, task="ordinal", labels="1;2")
    assert [problem["reason"] for problem in problems][-1:] == ["the row does not sum to 1 (ordinal)"]
    problems = refused_predictions(dataset, bad)
    assert (problems[0]["line"], problems[0]["reason"]) == (2, "the row does not sum to 1 (multiclass)")


def test_an_archive_that_claims_little_and_unpacks_to_much_is_not_unpacked(dataset, refused_predictions, write):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.npy", npy(np.zeros((3000, 2000))))
    assert (
        refused_predictions(dataset, write("m.npz", buffer.getvalue()))[0]["reason"]
        == "the array is larger than the dataset"
    )
    lying = bytearray(buffer.getvalue())
    place = lying.index(b"PK\x01\x02") + 24
    lying[place : place + 4] = (200).to_bytes(4, "little")
    problems = refused_predictions(dataset, write("m.npz", bytes(lying)))
    assert problems[0]["reason"] in (
        "the array is larger than the dataset",
        "the archive is damaged or incomplete",
        "the array is incomplete",
        "the array has the wrong shape; expected (3, 2) or (2, 3, 2)",
    )


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_an_archive_that_is_cut_off_is_refused(dataset, refused_predictions, write, cut):
    content = npz(a=Q, b=P)
    problems = refused_predictions(dataset, write("m.npz", content[: int(len(content) * cut)]))
    assert problems[0]["reason"] == "the archive is damaged or incomplete"


def test_names_that_cannot_be_are_refused(dataset, refused_predictions, write):
    itself = refused_predictions(dataset, write("m.npz", npz(a=Q)), model="M")[0]
    assert (itself["file"], itself["field"]) == ("m.npz", "model, method, run")
    twice = [write("a.npy", npy(Q)), write("b.npy", npy(P))]
    again = refused_predictions(dataset, *twice, model="M")[0]
    assert (again["file"], again["field"], again["value"]) == ("b.npy", "b", "M")
    lists = write("columns.txt", "family\nhealth")
    reasons = [problem["reason"] for problem in refused_predictions(dataset, write("m.npy", npy(Q)), lists)]
    assert reasons == ["some of the dataset's labels are absent", "some labels are not the dataset's"]
    assert Dataset.objects.count() == 1
