"""Responses of the original study, whose experts saw a text with two systems: every answer counts as what it is."""

import io
import json

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from annotations.importing.memory.problems import ImportRefused
from annotations.importing.responses.restoring import restore_study
from annotations.importing.responses.study_responses import read_study_responses
from annotations.models import Assignment
from tests.worlds.exported import put, written
from tests.worlds.original import EXPERTS, RESPONSES, SEEN_AGAIN, make_original_files

pytestmark = pytest.mark.django_db


def restored(original, slug="restored"):
    return restore_study(responses=read_study_responses(original.folder), dataset=original.dataset, slug=slug)


def test_an_answer_about_another_system_is_no_repeat(tmp_path):
    history = read_study_responses(make_original_files(tmp_path).folder).history
    assert len(history) == RESPONSES == 396
    assert [record for record in history if record.repeatOf is not None] == []
    assert sum(record.seenBefore for record in history) == EXPERTS * SEEN_AGAIN == 80


def test_the_same_comparison_again_is_a_repeat(tmp_path):
    history = read_study_responses(make_original_files(tmp_path, repeats=3).folder).history
    again = [record for record in history if record.repeatOf is not None]
    assert len(again) == 3
    place = {(record.annotatorId, record.position): record.comparison for record in history}
    for record in again:
        assert place[record.annotatorId, record.repeatOf] == record.comparison
        assert not record.seenBefore
    assert sum(record.seenBefore for record in history) == 80


def test_what_an_analysis_leaves_out_is_said_when_restoring(tmp_path):
    original = make_original_files(tmp_path, repeats=3)
    out = io.StringIO()
    call_command("import_responses", original.folder, dataset="original", study="restored", stdout=out)
    told = out.getvalue()
    assert "399 responses restored" in told
    assert "exclude 3 that repeat a comparison that the same expert had judged, of 399 responses" in told
    assert "80 responses are about a text that the expert had judged before, beside another system. They count" in told


def test_where_nothing_is_left_out_nothing_is_said(tmp_path):
    assert [note for note in restored(make_original_files(tmp_path)).notes if "leaves out" in note] == []


def test_a_restored_study_goes_out_and_comes_back_with_its_texts_seen_before(tmp_path):
    original = make_original_files(tmp_path / "original", repeats=2)
    first = restored(original).study
    folder = put(tmp_path / "first", written(first))
    second = restore_study(responses=read_study_responses(folder), dataset=original.dataset, slug="second").study
    again = put(tmp_path / "second", written(second))
    for name in ("responses.jsonl", "metadata.csv", "comparisons.jsonl", "history.jsonl"):
        assert (folder / name).read_bytes() == (again / name).read_bytes()
    assert Assignment.objects.filter(study=second, seen_before=True).count() == 80


def test_a_history_that_marks_a_text_as_seen_which_was_not_is_refused(tmp_path):
    folder = put(tmp_path / "export", written(restored(make_original_files(tmp_path / "original")).study))
    rows = [json.loads(line) for line in (folder / "history.jsonl").read_text().splitlines()]
    assert "seenBefore" not in rows[-30]
    rows[-30]["seenBefore"] = True
    (folder / "history.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ImportRefused, match="had not seen this text"):
        read_study_responses(folder)


def test_nothing_collected_here_is_marked_as_seen_before(tmp_path):
    """Not even in a study that was restored: rows are born so while it is written, or never."""
    study = restored(make_original_files(tmp_path)).study
    place = Assignment.objects.filter(study=study, seen_before=False).exclude(expert=None)[:1].get()
    for query, change in (
        (Assignment.objects.filter(pk=place.pk), {"seen_before": True}),
        (Assignment.objects.filter(study=study, seen_before=True), {"seen_before": False}),
    ):
        with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
            query.update(**change)


def test_a_study_that_was_collected_here_can_hold_no_text_seen_before(tmp_path):
    original = make_original_files(tmp_path)
    study = restored(original).study
    given = Assignment.objects.filter(study=study, seen_before=True)[:1].get()
    assert given.expert
    system, instance, user = given.comparison.second_system, given.instance, given.expert.user
    other = _twin_without_files(study)
    taken = {
        "study": other,
        "comparison": other.comparisons.create(instance=instance, second_system=system, position=0),
        "instance": instance,
        "place": 0,
        "places": 1,
        "expert": other.memberships.create(user=user, role="expert", number=1),
        "position": 0,
    }
    with pytest.raises(IntegrityError, match="only restored answers"), transaction.atomic():
        Assignment.objects.create(**taken, seen_before=True)
    Assignment.objects.create(**taken)


def _twin_without_files(study):
    study.pk, study.slug = None, "collected-here"
    study.save(force_insert=True)
    return study


def test_an_expert_of_a_restored_study_gets_no_text_a_second_time(tmp_path):
    study = restored(make_original_files(tmp_path)).study
    seen = Assignment.objects.filter(study=study, seen_before=True)[:1].get()
    shown = study.comparisons.filter(instance=seen.instance).values("second_system")
    third = study.comparisons.create(
        instance=seen.instance,
        second_system=study.dataset.systems.exclude(pk__in=shown)[0],
        position=study.comparisons.count(),
    )
    free = Assignment.objects.create(study=study, comparison=third, instance=seen.instance, place=0, places=1)
    once = r"assignment_instance_once|expert_id, annotations_assignment\.instance_id"
    with pytest.raises(IntegrityError, match=once), transaction.atomic():
        Assignment.objects.filter(pk=free.pk).update(expert=seen.expert, position=1000)
