"""A time as the database writes it becomes the same text whether or not an object is made of it."""

from datetime import UTC

import pytest
from django.db import connection
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotations.exporting.cells import as_text, in_iso, moment, moment_in_iso
from annotations.models import Study
from tests.worlds.studies import make_study

offsets = st.sampled_from(["", "+00", "-05", "+05:30", "+00:00"])


@given(st.datetimes(), offsets, st.integers(0, 6))
def test_the_short_way_gives_the_text_of_the_long_one(time, offset, zeros):
    """PostgreSQL leaves out the zeros in the end, so that a time with an offset may be as long as one without."""
    written = time.replace(microsecond=time.microsecond // 10**zeros * 10**zeros).isoformat(" ")
    text = written.rstrip("0") if zeros and "." in written else written
    assert moment_in_iso(text + offset) == in_iso(moment(text + offset))


def test_no_time_stays_none():
    assert moment_in_iso(None) is None


@pytest.mark.django_db
@pytest.mark.parametrize("microsecond", [0, 120_000, 123_000, 123_456])
def test_what_this_database_writes_is_read(microsecond):
    study = make_study()
    time = timezone.now().replace(microsecond=microsecond)
    Study.objects.filter(pk=study.pk).update(opened_at=time)
    text = Study.objects.annotate(text=as_text("opened_at")).values_list("text", flat=True).get(pk=study.pk)
    assert moment(text) == time, connection.vendor
    assert moment_in_iso(text) == time.astimezone(UTC).isoformat(timespec="microseconds")
