"""Each answer says which version of the words and drawing its expert had before them, and no version ever changes."""

import json
import re
import uuid

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from annotations.answering.assigning import next_assignment
from annotations.answering.experts import NOT_SAID, PageSeen
from annotations.answering.past_answers import store_correction
from annotations.api.answering import task_of
from annotations.designing import instrument
from annotations.designing.lifecycle import change_state
from annotations.exporting.formats import formats
from annotations.exporting.rows import ResponseSource
from annotations.importing.responses.restoring import restore_study
from annotations.importing.responses.study_responses import read_study_responses
from annotations.models import Dataset, InstrumentVersion, LabelResponse, PreferenceResponse, StudyState
from tests.worlds import storing
from tests.worlds.datasets import make_dataset
from tests.worlds.exported import lines, put, written
from tests.worlds.studies import make_expert, make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    study = make_study(dataset=make_dataset(instances=8), instructions="Read **slowly**.", language="de")
    make_expert(study, "expert@example.org")
    return plan_and_open(study)


@pytest.fixture
def user(study):
    return study.memberships.experts().get().user


def given(user, seen=NOT_SAID, certainty=0.5):
    """Both steps of the next text, with what the page says that the expert saw."""
    assignment = next_assignment(user=user, slug="study").assignment
    who = {"user": user, "token": assignment.token, "seen": seen}
    first = storing.store_labels(**who, key=uuid.uuid4(), labels=[0])
    second = storing.store_preference(**who, key=uuid.uuid4(), a_chosen=True, b_chosen=True, certainty=certainty)
    return first, second


def test_opening_keeps_the_first_version_of_all_that_experts_read(study, user):
    version = study.instrument_versions.get()
    assert (version.number, version.app) == (1, instrument.APP_WORDS)
    assert version.content["instructions"] == "Read **slowly**."
    assert version.content["question_preference"] == study.question_preference
    assert (version.content["layout"], version.content["language"]) == (study.layout, "de")
    assert version.content["labels"] == [one.name for one in study.dataset.labels.order_by("position")]
    assert version.sha256 == instrument.digest_of(version.content, version.app)
    assert task_of(next_assignment(user=user, slug="study"))["study"]["instrument_version"] == 1


def test_both_steps_and_a_correction_say_which_version_and_language(study, user):
    first, second = given(user, PageSeen(1, "de"))
    assert {one.instrument.number for one in (first, second)} == {1}
    assert {one.page_language for one in (first, second)} == {"de"}
    corrected = store_correction(
        user=user,
        token=second.assignment.token,
        key=uuid.uuid4(),
        a_chosen=False,
        b_chosen=False,
        certainty=1.0,
        seen=PageSeen(1, "ar"),
    )
    assert (corrected.revision, corrected.instrument.number, corrected.page_language) == (1, 1, "ar")


def test_new_words_of_the_app_are_a_new_version_and_an_open_page_keeps_its_own(study, user, monkeypatch):
    given(user)
    monkeypatch.setattr("annotations.answering.experts.APP_WORDS", instrument.APP_WORDS + 1)
    monkeypatch.setattr(instrument, "APP_WORDS", instrument.APP_WORDS + 1)
    task = task_of(next_assignment(user=user, slug="study"))
    assert task["study"]["instrument_version"] == 2
    assert [one.app for one in study.instrument_versions.all()] == [instrument.APP_WORDS - 1, instrument.APP_WORDS]
    opened_before, _ = given(user, PageSeen(1))
    opened_after, _ = given(user, PageSeen(2))
    not_said, _ = given(user)
    unknown, _ = given(user, PageSeen(77))
    assert [one.instrument.number for one in (opened_before, opened_after, not_said, unknown)] == [1, 2, 2, 2]


def test_pausing_and_opening_again_is_no_new_version(study):
    change_state(study=study, to=StudyState.PAUSED)
    change_state(study=study, to=StudyState.OPEN)
    assert study.instrument_versions.count() == 1


def test_it_costs_an_answer_no_query_of_its_own(study, user):
    given(user)
    with CaptureQueriesContext(connection) as found:
        given(user, PageSeen(1, "de"))
    read = [one["sql"] for one in found.captured_queries if "annotations_instrumentversion" in one["sql"]]
    # Only inside queries that are asked anyway: of the membership, and of the assignment.
    assert read
    assert not [sql for sql in read if re.match(r'SELECT [^()]*FROM "annotations_instrumentversion"', sql)]


def test_a_version_never_changes_and_is_of_the_answers_own_study(study, user):
    first, _ = given(user)
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        InstrumentVersion.objects.update(app=9)
    other = make_open_study(dataset=make_dataset(slug="others"), slug="other", experts=2)
    foreign = other.instrument_versions.get()
    assignment = next_assignment(user=user, slug="study").assignment
    with pytest.raises(IntegrityError, match="belongs to another"), transaction.atomic():
        LabelResponse.objects.create(
            assignment=assignment, key=uuid.uuid4(), labels=[0], created_at=first.created_at, instrument=foreign
        )


def test_versions_and_what_each_answer_saw_are_exported_and_restored(study, user, tmp_path):
    given(user, PageSeen(1, "de"))
    source = ResponseSource(study)
    table = {file.name: b"".join(file.chunks()) for file in formats.get("jsonl").files(source)}
    (row,) = lines(table["responses.jsonl"])
    assert (row["labels_instrument"], row["instrument"], row["page_language"]) == (1, 1, "de")
    assert [one["number"] for one in json.loads(table["instrument_versions.json"])] == [1]


def test_a_restored_study_has_the_same_versions_and_answers_that_name_them(study, user, tmp_path):
    given(user, PageSeen(1, "de"))
    files = written(study)
    elsewhere = make_dataset(instances=8, slug="elsewhere")
    Dataset.objects.filter(pk=elsewhere.pk).update(fingerprint=study.dataset.fingerprint)
    restored = restore_study(
        responses=read_study_responses(put(tmp_path / "export", files)),
        dataset=elsewhere,
        slug="elsewhere-study",
    ).study
    again = written(restored)
    told = [json.loads(one["study.json"])["instrument_versions"] for one in (files, again)]
    assert told[0] == told[1] != []
    for model in (LabelResponse, PreferenceResponse):
        stored = model.objects.get(assignment__study=restored)
        assert (stored.instrument.study, stored.instrument.number, stored.page_language) == (restored, 1, "de")
