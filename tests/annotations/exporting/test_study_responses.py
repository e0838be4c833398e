"""Study-response JSON lines with metadata.csv: the format of other tools, written exactly."""

import csv
import json

import pytest

from annotations.models import PreferenceResponse, Study
from tests.worlds.exported import lines, written
from tests.worlds.full import LABELS, kinds_of_answers, make_full_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_full_study()


def test_the_study_has_every_kind_of_answer(study):
    assert set(+kinds_of_answers(study)) == {"completed", "unfinished", "skipped", "pilot", "revised", "free"}


def test_a_response_has_exactly_the_fields_and_kinds_of_the_format(study):
    responses = lines(written(study)["responses.jsonl"])
    assert responses
    for response in responses:
        assert list(response) == [
            "inputId",
            "timestamp",
            "annotatorId",
            "areasOfLawAnnotation",
            "preferredHLVAnnotation",
        ]
        assert isinstance(response["inputId"], int)
        assert isinstance(response["annotatorId"], int)
        assert len(response["timestamp"]) == len("2024-11-13T20:20:39+00:00")
        assert response["timestamp"].endswith("+00:00")
        step_1, step_2 = response["areasOfLawAnnotation"], response["preferredHLVAnnotation"]
        assert list(step_1) == ["elapsedTime", "selectedAreas"]
        assert len(set(step_1["selectedAreas"])) == len(step_1["selectedAreas"])
        assert set(step_1["selectedAreas"]) <= set(LABELS)
        assert list(step_2) == ["elapsedTime", "isOptionAPreferred", "isOptionBPreferred", "confidence"]
        assert step_2["confidence"] is None or 0 <= step_2["confidence"] <= 1


def test_only_whole_answers_outside_the_pilot_are_responses(study):
    responses = lines(written(study)["responses.jsonl"])
    completed = study.assignments.completed().filter(is_pilot=False)
    assert len(responses) == completed.count()
    assert study.assignments.completed().filter(is_pilot=True).exists()


def test_the_newest_revision_counts(study):
    by_key = {(r["inputId"], r["annotatorId"]): r for r in lines(written(study)["responses.jsonl"])}
    revised = PreferenceResponse.objects.filter(
        assignment__study=study, revision=1, assignment__is_pilot=False, assignment__released_at=None
    ).select_related("assignment__comparison", "assignment__expert")
    assert revised
    for newest in revised:
        assignment = newest.assignment
        assert assignment.expert
        input_id = 2 * assignment.comparison.position + (assignment.side_order == "second_is_a")
        told = by_key[input_id, assignment.expert.number]["preferredHLVAnnotation"]
        assert (told["isOptionAPreferred"], told["isOptionBPreferred"], told["confidence"]) == (
            newest.a_chosen,
            newest.b_chosen,
            newest.certainty,
        )


def test_each_comparison_and_side_order_is_its_own_input_and_metadata_says_where_the_human_side_was(study):
    files = written(study)
    metadata = list(csv.DictReader(files["metadata.csv"].decode().splitlines()))
    assert list(metadata[0]) == ["id", "method", "trueHLV"]
    ids = [int(row["id"]) for row in metadata]
    assert ids == sorted(set(ids))
    assert set(ids) == {response["inputId"] for response in lines(files["responses.jsonl"])}
    told = {int(row["id"]): (row["method"].lstrip("'"), row["trueHLV"]) for row in metadata}
    for assignment in study.assignments.completed().filter(is_pilot=False).select_related("comparison"):
        first_is_a = assignment.side_order == "first_is_a"
        expected = (assignment.comparison.second_system.name, "A" if first_is_a else "B")
        assert told[2 * assignment.comparison.position + (not first_is_a)] == expected


def test_metadata_of_a_system_vs_system_study_names_both_options():
    study = make_full_study(compares="system_vs_system")
    rows = list(csv.DictReader(written(study)["metadata.csv"].decode().splitlines()))
    assert list(rows[0]) == ["id", "optionA", "optionB"]
    told = {int(row["id"]): {row["optionA"].lstrip("'"), row["optionB"].lstrip("'")} for row in rows}
    for comparison in study.comparisons.all():
        assert comparison.first_system
        for number in (2 * comparison.position, 2 * comparison.position + 1):
            assert told.get(number, {comparison.first_system.name, comparison.second_system.name}) == {
                comparison.first_system.name,
                comparison.second_system.name,
            }


def test_a_method_that_a_spreadsheet_would_run_is_neutralised_in_the_csv_only(study):
    files = written(study)
    assert ",'@model / +method / -1," in files["metadata.csv"].decode()
    assert '"model": "@model"' in files["comparisons.jsonl"].decode()


def test_simulated_data_say_so(study):
    Study.objects.filter(pk=study.pk).update(is_simulated=True)
    study.refresh_from_db()
    assert json.loads(written(study)["study.json"])["simulated"] is True
