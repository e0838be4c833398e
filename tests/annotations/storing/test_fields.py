"""Matrices in the database: whole, or one row of them."""

from typing import Any

import numpy as np
import pytest
from django.core import serializers
from django.core.exceptions import ValidationError
from django.db.models import F, Value
from hypothesis import given
from hypothesis import strategies as st

from annotations.models import Dataset
from annotations.storing.fields import HEADER, RowOf, pack, unpack
from tests.worlds.datasets import make_dataset


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 99))
def test_a_matrix_comes_back_as_it_was(rows, columns, seed):
    matrix = np.random.default_rng(seed).normal(size=(rows, columns))
    assert (unpack(pack(matrix)) == matrix).all()


@given(st.integers(0, 2000), st.integers(0, 300))
def test_the_numbers_begin_at_the_same_place_whatever_the_size(rows, columns):
    assert len(pack(np.zeros((rows, columns)))) == HEADER + 8 * rows * columns


def test_what_is_no_number_is_refused():
    with pytest.raises(ValidationError):
        pack(np.array([[np.nan]]))


@pytest.mark.django_db
def test_a_row_may_lack_whole_where_the_field_says_so_but_never_half():
    matrix = np.array([[0.5, 0.5], [np.nan, np.nan]])
    np.testing.assert_array_equal(unpack(pack(matrix, rows_may_lack=True)), matrix)
    for half in ([np.nan, 0.5], [np.inf, np.inf]):
        with pytest.raises(ValidationError):
            pack(np.array([[0.5, 0.5], half]), rows_may_lack=True)
    with pytest.raises(ValidationError):
        Dataset(gold=matrix, slug="d", title="D", task="multiclass").save()


@pytest.mark.django_db
@pytest.mark.parametrize(("instances", "labels"), [(1, 1), (6, 4), (500, 3), (40, 26)])
def test_the_database_cuts_out_one_row(instances, labels):
    dataset = make_dataset(instances=instances, labels=labels, task="multiclass")
    P = Dataset.objects.get(pk=dataset.pk).gold
    for place in {0, instances // 2, instances - 1}:
        rows = Dataset.objects.annotate(row=RowOf(F("gold"), row=Value(place), columns=Value(labels)))
        assert (rows.get(pk=dataset.pk).row == np.asarray(P)[place]).all()  # type: ignore[attr-defined]  # annotated


@pytest.mark.django_db
def test_dumpdata_writes_a_matrix_and_loaddata_reads_it():
    made = make_dataset()
    (again,) = serializers.deserialize("json", serializers.serialize("json", [made]))
    restored: Any = again.object
    assert (restored.gold == made.gold).all()
