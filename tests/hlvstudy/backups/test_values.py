"""One form for the values of both databases."""

import json

import pytest
from django.apps import apps
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from hlvstudy.backups.values import (
    ColumnKind,
    canonical_of,
    escaped,
    float_text,
    kind_of,
    reader_of,
    unescaped,
    writer_of,
)

KINDS = [ColumnKind.INTEGER, ColumnKind.TEXT, ColumnKind.BYTES, ColumnKind.FLOAT]


@given(st.integers(), st.text(), st.binary(), st.floats(allow_nan=False))
def test_a_row_comes_back_as_it_was(number: int, text: str, content: bytes, share: float) -> None:
    row = (number, text, content, share)
    line = writer_of(KINDS)(row)
    assert "\n" not in line
    assert reader_of(KINDS, json_as_django=False)(line) == row


@given(st.text())
def test_a_text_comes_back_whatever_is_in_it(text: str) -> None:
    assert unescaped(escaped(text)) == text
    assert not {"\n", "\t", "\r"} & set(escaped(text))


def test_nothing_is_told_from_the_text_that_stands_for_it() -> None:
    kinds = [ColumnKind.TEXT, ColumnKind.TEXT]
    assert reader_of(kinds, json_as_django=False)(writer_of(kinds)((None, "\\N"))) == (None, "\\N")


def test_times_flags_and_identifiers_look_as_in_postgresql_and_come_back() -> None:
    kinds = [ColumnKind.TIME, ColumnKind.TIME, ColumnKind.BOOLEAN, ColumnKind.UUID]
    row = ("2026-03-01 10:00:00.120000", "2026-03-01 10:00:00", 1, "0b1f4c1e6f0a4c599c0e5a1f3f6d0f51")
    line = writer_of(kinds)(row)
    assert line == "2026-03-01 10:00:00.12+00\t2026-03-01 10:00:00+00\tt\t0b1f4c1e-6f0a-4c59-9c0e-5a1f3f6d0f51"
    assert reader_of(kinds, json_as_django=False)(line) == row


def test_json_has_one_digest_whatever_the_order_of_its_names() -> None:
    canonical = canonical_of([ColumnKind.INTEGER, ColumnKind.JSON])
    assert canonical is not None
    one, other = (
        f"1\t{escaped(json.dumps(value))}".encode() for value in ({"b": -0.0, "a": "ü"}, {"a": "ü", "b": 0.0})
    )
    assert canonical(one) == canonical(other)
    assert canonical_of([ColumnKind.TEXT]) is None


def test_every_column_of_every_table_can_be_copied() -> None:
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.local_concrete_fields:
            assert kind_of(field) in ColumnKind


@pytest.mark.postgresql
@pytest.mark.django_db
def test_floats_look_as_postgresql_prints_them() -> None:
    values = [
        1.0,
        0.1,
        1e15,
        1e16,
        123456789012345.6,
        1234567890123456.0,
        9999999999999998.0,
        1e-4,
        1e-5,
        1e300,
        -2.5e15,
    ]
    with connection.cursor() as cursor:
        for value in values:
            cursor.execute("SELECT (%s)::float8::text", [value])
            assert cursor.fetchone()[0] == float_text(value)
