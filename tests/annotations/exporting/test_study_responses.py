"""Study-response JSON lines with metadata.csv: the format of other tools, written exactly and losslessly."""

import contextlib
import csv
import io
import json
import re
from typing import get_args

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotations.errors import HLVError
from annotations.exporting.formats import formats
from annotations.exporting.rows import ResponseSource
from annotations.importing.memory.problems import ImportRefused
from annotations.importing.responses.restoring import DoesNotFit, OtherStudy, restore_study
from annotations.importing.responses.study_records import ReportReasonName
from annotations.importing.responses.study_responses import read_study_responses
from annotations.models import Assignment, Event, EventKind, PreferenceResponse, ReportReason, Study, StudyState, User
from tests.worlds.full import LABELS, kinds_of_answers, make_full_dataset, make_full_study

pytestmark = pytest.mark.django_db

FORMAT = "study_responses"


def written(study, format_name=FORMAT):
    """An export's files by name, whole."""
    return {file.name: b"".join(file.chunks()) for file in formats.get(format_name).files(ResponseSource(study))}


def put(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def lines(content):
    return [json.loads(line) for line in content.decode().splitlines()]


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


# -- and back


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
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


@pytest.mark.parametrize(
    ("field", "value"),
    [("inputId", -1), ("inputId", "1"), ("timestamp", "yesterday"), ("annotatorId", None), ("surprise", 1)],
)
def test_a_bad_line_is_named_by_file_line_and_field(study, tmp_path, field, value):
    responses = lines(written(study)["responses.jsonl"])
    responses[1][field] = value
    content = "".join(json.dumps(response) + "\n" for response in responses).encode()
    folder = put(tmp_path, written(study) | {"responses.jsonl": content})
    with pytest.raises(ImportRefused) as refusal:
        read_study_responses(folder)
    problem = refusal.value.data["problems"][0]
    assert (problem["file"], problem["line"], problem["field"]) == ("responses.jsonl", 2, field)


@pytest.mark.parametrize(
    ("step", "field", "value"),
    [
        ("preferredHLVAnnotation", "confidence", float("nan")),
        ("preferredHLVAnnotation", "confidence", 87),
        ("preferredHLVAnnotation", "isOptionAPreferred", 1),
        ("areasOfLawAnnotation", "elapsedTime", -5),
        ("areasOfLawAnnotation", "elapsedTime", 2**31),
        ("areasOfLawAnnotation", "selectedAreas", "Consumer law"),
    ],
)
def test_a_value_that_cannot_be_is_named_by_step_and_field(study, tmp_path, step, field, value):
    responses = lines(written(study)["responses.jsonl"])
    responses[0][step][field] = value
    content = "".join(json.dumps(response) + "\n" for response in responses).encode()
    folder = put(tmp_path, written(study) | {"responses.jsonl": content})
    with pytest.raises(ImportRefused) as refusal:
        read_study_responses(folder)
    problem = refusal.value.data["problems"][0]
    assert (problem["line"], problem["field"]) == (1, f"{step}.{field}")


def test_the_reasons_of_reports_are_those_that_people_can_give():
    assert set(get_args(ReportReasonName)) == set(ReportReason.values)


def test_a_missing_file_is_named(study, tmp_path):
    files = written(study)
    del files["history.jsonl"]
    with pytest.raises(ImportRefused, match=r"history\.jsonl"):
        read_study_responses(put(tmp_path, files))


# -- the bare files of the original format


def bare(study, folder):
    """The two files of the original format, and which text each input was."""
    files = {name: content for name, content in written(study).items() if name in {"responses.jsonl", "metadata.csv"}}
    rows = ["id,instance"]
    for comparison in lines(written(study)["comparisons.jsonl"]):
        rows += [f"{number},{comparison['instance']}" for number in comparison["inputIds"].values()]
    return put(folder, files | {"instances.csv": "\n".join(rows).encode()})


@pytest.mark.parametrize("compares", ["human_vs_system", "system_vs_system"])
def test_bare_files_restore_every_answer(tmp_path, compares):
    study = make_full_study(compares=compares)
    folder = bare(study, tmp_path)
    restored = restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="bare").study

    def answers(of):
        return sorted(
            (row.instance, row.expert, row.option_a.name, row.option_b.name, row.labels, row.choice, row.labels_ms)
            for row in ResponseSource(of).rows()
            if not row.is_pilot
        )

    assert [a[:6] for a in answers(restored)] == [a[:6] for a in answers(study)]


def test_bare_files_without_the_instances_say_what_is_missing(study, tmp_path):
    files = written(study)
    folder = put(tmp_path, {name: files[name] for name in ("responses.jsonl", "metadata.csv")})
    with pytest.raises(ImportRefused, match=r"instances\.csv.*which text an inputId is"):
        read_study_responses(folder)


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("metadata.csv", ("trueHLV", "true"), "neither a method with trueHLV A or B"),
        ("metadata.csv", ("method", "name"), "neither a method with trueHLV A or B"),
        ("metadata.csv", ("\n0,", "\n" + "9" * 5000 + ","), "not an inputId"),
        ("instances.csv", ("\n0,", "\n1,"), "the input is there twice"),
        ("instances.csv", ("\n0,", "\n\u0663,"), "not an inputId"),
        ("instances.csv", ("instance", "text"), "columns are missing"),
        ("responses.jsonl", ('"timestamp": "2', '"timestamp": "0'), "the time is before 1970"),
    ],
)
def test_bare_files_that_contradict_themselves_are_refused_in_words(study, tmp_path, name, change, reason):
    path = bare(study, tmp_path) / name
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change, 1))
    with pytest.raises(ImportRefused) as refused:
        read_study_responses(tmp_path)
    assert reason in [problem["reason"][: len(reason)] for problem in refused.value.data["problems"]]


def test_a_label_is_named_once_in_bare_files(study, tmp_path):
    path = bare(study, tmp_path) / "responses.jsonl"
    rows = lines(path.read_bytes())
    rows[1]["areasOfLawAnnotation"]["selectedAreas"] *= 2
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ImportRefused, match=r"responses\.jsonl, line 2, .*selectedAreas: a label is named twice"):
        read_study_responses(tmp_path)


def test_one_system_is_never_compared_with_itself_in_bare_files(tmp_path):
    path = bare(make_full_study(compares="system_vs_system"), tmp_path) / "metadata.csv"
    rows = list(csv.reader(path.read_text().splitlines()))
    rows[1][2] = rows[1][1]
    path.write_text("\n".join(",".join(row) for row in rows))
    with pytest.raises(ImportRefused, match="both options are one system"):
        read_study_responses(tmp_path)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    name=st.sampled_from(["responses.jsonl", "metadata.csv", "instances.csv"]),
    place=st.floats(0, 1),
    junk=st.binary(max_size=6),
    cut=st.integers(0, 12),
)
def test_damaged_bare_files_are_refused_in_words_or_restored_but_never_half(tmp_path_factory, name, place, junk, cut):
    from django.db import transaction

    with transaction.atomic():
        study = make_full_study(make_full_dataset(instances=6))
        folder = bare(study, tmp_path_factory.mktemp("damaged"))
        content = (folder / name).read_bytes()
        at = int(place * len(content))
        (folder / name).write_bytes(content[:at] + junk + content[at + cut :])
        restored = None
        with contextlib.suppress(HLVError):  # refused, in words; anything else is a mistake of ours
            restored = restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="damaged")
        assert Study.objects.filter(slug="damaged").exists() == (restored is not None)
        transaction.set_rollback(True)


# -- files that nobody exported


def _break_a_line(draw_from, name, files):
    """One value of one line, replaced by something that it should not be."""
    rows = lines(files[name])
    row = draw_from(st.sampled_from(rows))
    field = draw_from(st.sampled_from(sorted(row)))
    other = st.sampled_from([draw_from(st.sampled_from(rows))[field]])
    row[field] = draw_from(st.one_of(other, st.integers(-1, 30), st.none(), st.just([]), st.text(max_size=3)))
    return files | {name: "".join(json.dumps(row) + "\n" for row in rows).encode()}


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data(), name=st.sampled_from(["responses.jsonl", "comparisons.jsonl", "history.jsonl"]))
def test_broken_files_are_refused_in_words_or_restored_but_never_half(tmp_path_factory, data, name):
    from django.db import transaction

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


def test_settings_that_no_study_can_have_are_refused_in_words(study, tmp_path):
    for setting in ({"seed": "?"}, {"display_step": 7}, {"state": "sleeping"}):
        told = json.loads(written(study)["study.json"])
        told["study"] |= setting
        folder = put(tmp_path, written(study) | {"study.json": json.dumps(told).encode()})
        with pytest.raises(DoesNotFit, match="no study can have"):
            restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="odd")
