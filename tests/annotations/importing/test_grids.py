"""How many people a matrix of shares may come from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.importing.checking import parts_of_shares
from annotations.importing.memory.tables import AnnotationRow, AnnotationTable, DatasetTable, InstanceRow, LabelSet
from annotations.importing.writing.datasets import write_dataset
from annotations.models import Task


def shares_of(people: np.ndarray, labels: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    latent = rng.dirichlet(np.full(labels, 0.7), len(people))
    return np.array([rng.multinomial(n, p) / n for n, p in zip(people, latent, strict=True)])


@given(st.integers(3, 100), st.integers(2, 6), st.integers(0, 99))
def test_one_number_of_people_is_found_from_their_shares(people, labels, seed):
    P = shares_of(np.full(200, people), labels, seed)
    assert (parts_of_shares(P) == people).all()


@given(st.integers(0, 99))
def test_with_mixed_numbers_of_people_every_row_lies_on_its_grid(seed):
    people = np.random.default_rng(seed).choice([4, 5, 6, 7], 200)
    P = shares_of(people, 3, seed)
    parts = parts_of_shares(P)
    assert np.allclose(P * parts[:, None], np.round(P * parts[:, None]))
    assert parts.max() <= 7  # never the 420ths that all of them share
    assert parts.min() >= 4 or (parts < 4).mean() < 0.1  # nor less than the row's own, where others tell more


@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_shares_that_were_rounded_to_a_few_decimals_are_recognised(decimals):
    P = np.round(shares_of(np.full(100, 7), 4, 1), decimals)
    assert (parts_of_shares(P) == 7).all()


def test_smoothed_shares_come_from_no_grid():
    P = 0.97 * shares_of(np.full(50, 5), 3, 2) + 0.01
    assert (parts_of_shares(P + np.random.default_rng(1).uniform(0, 1e-3, P.shape)) == 100).all()


@pytest.mark.django_db
def test_importing_stores_the_people_of_every_instance():
    labels = LabelSet(names=("no", "yes"), task=Task.MULTICLASS)
    instances = [InstanceRow(str(i)) for i in range(3)]
    votes = [(0, 0, 2), (0, 1, 1), (1, 1, 5), (2, 0, 120), (2, 1, 3)]
    annotated = write_dataset(
        table=DatasetTable(
            labels=labels,
            instances=instances,
            annotations=AnnotationTable.from_rows(AnnotationRow(i, (k,), count=n) for i, k, n in votes),
        ),
        slug="annotated",
        title="",
    ).dataset
    assert list(annotated.instances.order_by("position").values_list("parts", flat=True)) == [3, 5, 123]
    P = np.array([[0.2, 0.8], [0.4, 0.6], [0.0, 1.0]])
    told = write_dataset(
        table=DatasetTable(labels=labels, instances=instances, gold=P), slug="shares-only", title=""
    ).dataset
    assert list(told.instances.order_by("position").values_list("parts", flat=True)) == [5, 5, 5]
