"""A study restored from its exported responses is the same study; what does not fit is refused in words."""

import contextlib
import io
import json
import re
from typing import get_args

import pytest
from django.core.management import call_command
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotations.ground.errors import HLVError
from annotations.importing.memory.problems import ImportRefused
from annotations.importing.responses.fitting import DoesNotFit
from annotations.importing.responses.restoring import OtherStudy, restore_study
from annotations.importing.responses.study_records import ReportReasonName
from annotations.importing.responses.study_responses import read_study_responses
from annotations.models import Assignment, Event, EventKind, ReportReason, Study, StudyState, User
from tests.worlds.answering import complete_all
from tests.worlds.datasets import make_dataset
from tests.worlds.exported import lines, put, written
from tests.worlds.full import make_full_dataset, make_full_study
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_full_study()


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    seed=st.integers(0, 2**40),
    compares=st.sampled_from(["human_vs_system", "system_vs_system"]),
    places=st.integers(1, 4),
    turned=st.tuples(st.booleans(), st.booleans()),
)
def test_what_is_exported_and_restored_elsewhere_exports_the_same_bytes(
    tmp_path_factory, seed, compares, places, turned
):
    from django.db import transaction

    reverse, closed = turned
    with transaction.atomic():
        study = make_full_study(make_full_dataset("here"), compares=compares, seed=seed, places=places)
        study.state = StudyState.CLOSED if closed else StudyState.OPEN
        study.save()
        files = written(study)
        elsewhere = make_full_dataset("elsewhere", reverse_systems=reverse)
        folder = put(tmp_path_factory.mktemp("export"), files)
        restored = restore_study(responses=read_study_responses(folder), dataset=elsewhere, slug="elsewhere-study")
        again = written(restored.study)
        assert _renamed(files if closed else _without_keys(files)) == _renamed(again)
        assert restored.study.assignments.count() == study.assignments.count()
        transaction.set_rollback(True)


def _renamed(files):
    """The files, but for the slugs, which are another study's and dataset's."""
    told = json.loads(files["study.json"])
    told["study"].pop("slug")
    told["dataset"].pop("slug")
    return files | {"study.json": told}


def _without_keys(files):
    """As they are once restored, where the keys were not told: the sides count as those of another origin."""
    told = json.loads(files["study.json"])
    assert {one["key"] for one in told["sides"]["keys"]} == {None}
    told["sides"]["keys"] = []
    history = files["history.jsonl"].replace(b'"sideRule": 2', b'"sideRule": 1')
    return files | {"study.json": json.dumps(told).encode(), "history.jsonl": history}


def test_restoring_the_same_files_again_changes_nothing(study, tmp_path):
    folder = put(tmp_path, written(study))
    first = restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="again")
    second = restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="again")
    assert (first.changed, second.changed) == (True, False)
    assert first.study == second.study
    assert Event.objects.filter(study=first.study, kind=EventKind.RESPONSES_IMPORTED).count() == 1


def test_a_dry_run_says_what_would_be_restored_and_leaves_no_trace(study, tmp_path):
    folder = put(tmp_path, written(study))
    before = (Study.objects.count(), Assignment.objects.count(), Event.objects.count(), User.objects.count())
    out = io.StringIO()
    call_command(
        "import_responses", folder, dataset=study.dataset.slug, study="again", dry_run=True, stdout=out, stderr=out
    )
    assert re.search(r"study again with [1-9]\d* responses would be restored; nothing was written", out.getvalue())
    after = (Study.objects.count(), Assignment.objects.count(), Event.objects.count(), User.objects.count())
    assert after == before


def test_a_study_that_came_from_elsewhere_is_never_overwritten(study, tmp_path):
    folder = put(tmp_path, written(study))
    before = Assignment.objects.count()
    with pytest.raises(OtherStudy):
        restore_study(responses=read_study_responses(folder), dataset=study.dataset)
    assert Assignment.objects.count() == before


def test_responses_to_other_predictions_are_refused(study, tmp_path):
    told = json.loads(written(study)["study.json"])
    told["systems"][0]["fingerprint"] = "0" * 64
    folder = put(tmp_path, written(study) | {"study.json": json.dumps(told).encode()})
    with pytest.raises(DoesNotFit, match="other predictions"):
        restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="other")


def test_responses_to_systems_that_are_not_here_are_refused_by_name(study, tmp_path):
    content = written(study)["comparisons.jsonl"].replace(b'"ReL"', b'"LeR"')
    folder = put(tmp_path, written(study) | {"comparisons.jsonl": content})
    with pytest.raises(DoesNotFit, match="RoBERTa / LeR / 0"):
        restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="other")
    assert not Study.objects.filter(slug="other").exists()


def test_responses_and_history_that_contradict_each_other_are_refused(study, tmp_path):
    responses = lines(written(study)["responses.jsonl"])
    preference = responses[2]["preferredHLVAnnotation"]
    preference["isOptionAPreferred"] = not preference["isOptionAPreferred"]
    content = "".join(json.dumps(response) + "\n" for response in responses).encode()
    folder = put(tmp_path, written(study) | {"responses.jsonl": content})
    with pytest.raises(ImportRefused) as refusal:
        read_study_responses(folder)
    assert refusal.value.data["problems"][0]["line"] == 3


def first_problem(files, responses, folder):
    """Of an export whose responses were changed."""
    content = "".join(json.dumps(response) + "\n" for response in responses).encode()
    with pytest.raises(ImportRefused) as refusal:
        read_study_responses(put(folder, files | {"responses.jsonl": content}))
    return refusal.value.data["problems"][0]


def test_a_bad_line_is_named_by_file_line_and_field(study, tmp_path):
    files = written(study)
    bad = [("inputId", -1), ("inputId", "1"), ("timestamp", "yesterday"), ("annotatorId", None), ("surprise", 1)]
    for field, value in bad:
        responses = lines(files["responses.jsonl"])
        responses[1][field] = value
        problem = first_problem(files, responses, tmp_path)
        assert (problem["file"], problem["line"], problem["field"]) == ("responses.jsonl", 2, field)


def test_a_value_that_cannot_be_is_named_by_step_and_field(study, tmp_path):
    files = written(study)
    for step, field, value in (
        ("preferredHLVAnnotation", "confidence", float("nan")),
        ("preferredHLVAnnotation", "confidence", 87),
        ("preferredHLVAnnotation", "isOptionAPreferred", 1),
        ("areasOfLawAnnotation", "elapsedTime", -5),
        ("areasOfLawAnnotation", "elapsedTime", 2**31),
        ("areasOfLawAnnotation", "selectedAreas", "Consumer law"),
    ):
        responses = lines(files["responses.jsonl"])
        responses[0][step][field] = value
        problem = first_problem(files, responses, tmp_path)
        assert (problem["line"], problem["field"]) == (1, f"{step}.{field}")


def test_the_reasons_of_reports_are_those_that_people_can_give():
    assert set(get_args(ReportReasonName)) == set(ReportReason.values)


def test_a_missing_file_is_named(study, tmp_path):
    files = written(study)
    del files["history.jsonl"]
    with pytest.raises(ImportRefused, match=r"history\.jsonl"):
        read_study_responses(put(tmp_path, files))


def test_settings_that_no_study_can_have_are_refused_in_words(study, tmp_path):
    for setting in ({"seed": "?"}, {"display_step": 7}, {"state": "sleeping"}):
        told = json.loads(written(study)["study.json"])
        told["study"] |= setting
        folder = put(tmp_path, written(study) | {"study.json": json.dumps(told).encode()})
        with pytest.raises(DoesNotFit, match="no study can have"):
            restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="odd")


def _break_a_line(draw_from, name, files):
    """One value of one line, replaced by something that it should not be."""
    rows = lines(files[name])
    row = draw_from(st.sampled_from(rows))
    field = draw_from(st.sampled_from(sorted(row)))
    other = st.sampled_from([draw_from(st.sampled_from(rows))[field]])
    row[field] = draw_from(st.one_of(other, st.integers(-1, 30), st.none(), st.just([]), st.text(max_size=3)))
    return files | {name: "".join(json.dumps(row) + "\n" for row in rows).encode()}


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data(), name=st.sampled_from(["responses.jsonl", "comparisons.jsonl", "history.jsonl"]))
def test_broken_files_are_refused_in_words_or_restored_but_never_half(tmp_path_factory, data, name):
    with transaction.atomic():
        study = make_full_study(make_full_dataset(instances=6))
        broken = _break_a_line(data.draw, name, written(study))
        folder = put(tmp_path_factory.mktemp("broken"), broken)
        restored = None
        with contextlib.suppress(HLVError):  # refused, in words; anything else is a mistake of ours
            restored = restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="broken")
        assert Study.objects.filter(slug="broken").exists() == (restored is not None)
        if restored:
            assert written(restored.study)["responses.jsonl"] == broken["responses.jsonl"]
        transaction.set_rollback(True)


def test_repeats_that_were_planned_come_back_as_repeats_of_the_same_texts(tmp_path):
    study = make_open_study(dataset=make_dataset(instances=6), experts=3, repeats_per_expert=2)
    for member in study.memberships.experts():
        complete_all(member.user)
    folder = put(tmp_path, written(study))
    restored = restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="again").study
    again = [
        one.assignments.exclude(repeat_of=None).order_by("expert__number", "position") for one in (study, restored)
    ]
    told = [list(rows.values_list("expert__number", "position", "repeat_of__position", "place")) for rows in again]
    assert told[0] == told[1]
    assert len(told[0]) == 4  # two experts took all there was
