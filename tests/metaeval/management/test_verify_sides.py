"""`verify_sides` on a study, its export and its bundle: what was drawn can be drawn again, and what was changed is
listed."""

import json
import shutil
import uuid
import zipfile

import pytest
from django.core.management import CommandError, call_command

from annotations.designing.lifecycle import change_state
from annotations.exporting.exports import export_responses
from annotations.ground.sides import commitment
from annotations.importing.responses.restoring import restore_study
from annotations.importing.responses.study_responses import read_study_responses
from annotations.models import ReportReason, StudyState
from metaeval.documents.bundle import bundle_files
from metaeval.management.commands.verify_sides import AS_DRAWN
from tests.worlds import storing
from tests.worlds.answering import answer, complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import known_key, make_study, plan_and_open

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["human_vs_system", "system_vs_system"])
def study(request):
    """Two experts, of whom one skips every third text after step 2."""
    study = make_study(
        dataset=make_dataset(instances=24, systems=2),
        experts=2,
        compares=request.param,
        instances_per_system=12,
        experts_per_comparison=2,
    )
    study = plan_and_open(study)
    for expert in study.memberships.experts().select_related("user"):
        for turn in range(12):
            assignment = taken(expert.user)
            answer(assignment)
            if turn % 3 == expert.number:
                skip = {"reason": ReportReason.OTHER, "text": "", "skip": True}
                storing.store_report(user=expert.user, token=assignment.token, key=uuid.uuid4(), **skip)
            else:
                assignment.refresh_from_db()
                complete(assignment) if not assignment.comparison.identical else None
    return study


def closed(study):
    return change_state(study=study, to=StudyState.CLOSED)


def exported(study, folder):
    folder.mkdir()
    for file in export_responses(study=study, format_name="study_responses"):
        (folder / file.name).write_bytes(b"".join(file.chunks()))
    return folder


def bundled(study, path):
    with zipfile.ZipFile(path, "w") as archive:
        for file in bundle_files(study):
            archive.writestr(file.name, b"".join(file.chunks()))
    return path


def verified(capsys, what, **options):
    call_command("verify_sides", str(what), **options)
    return capsys.readouterr().out


def test_the_study_its_export_its_archive_and_its_bundle_hold(study, tmp_path, capsys):
    study = closed(study)
    folder = exported(study, tmp_path / "export")
    archive = shutil.make_archive(str(tmp_path / "export"), "zip", folder)
    drawn = study.assignments.exclude(turn=None).count()
    assert drawn > 20
    sha256 = commitment(known_key("study", "main"))
    for what in (study.slug, folder, archive, bundled(study, tmp_path / "bundle.zip")):
        out = verified(capsys, what, sha256=[sha256])
        assert f"key of main   SHA-256 {sha256}\n" in out
        assert f"{drawn} sides drawn again; 0 that no key" in out
        assert AS_DRAWN in out


def test_what_was_restored_elsewhere_holds_too(study, tmp_path, capsys):
    """There the systems have different ids, so pairs are stored in another order."""
    folder = exported(closed(study), tmp_path / "export")
    restored = restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="elsewhere").study
    for what in ("elsewhere", exported(restored, tmp_path / "again"), bundled(restored, tmp_path / "bundle.zip")):
        assert AS_DRAWN in verified(capsys, what)


def test_before_closing_the_files_hold_no_key_and_cannot_be_verified(study, tmp_path, capsys):
    assert AS_DRAWN in verified(capsys, study.slug)  # by the operator, who has the database anyway
    for what in (exported(study, tmp_path / "export"), bundled(study, tmp_path / "bundle.zip")):
        with pytest.raises(CommandError):
            verified(capsys, what)
        out = capsys.readouterr().out
        assert "(not told yet)" in out
        assert "the key of this phase is not told" in out


def changed_history(folder, change):
    lines = [json.loads(line) for line in (folder / "history.jsonl").read_text().splitlines()]
    change(lines)
    (folder / "history.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_side_that_was_turned_round_and_a_skipped_turn_that_was_left_out_are_named(study, tmp_path, capsys):
    study = closed(study)
    folder = exported(study, tmp_path / "export")
    skipped = study.assignments.filter(released_at__isnull=False, turn__isnull=False).first()
    number, turn = skipped.expert.number, skipped.turn

    def turned(lines):
        (one,) = [line for line in lines if (line["annotatorId"], line["turn"]) == (number, turn)]
        one["sideOrder"] = "second_is_a" if one["sideOrder"] == "first_is_a" else "first_is_a"

    changed_history(folder, turned)
    with pytest.raises(CommandError):
        verified(capsys, folder)
    assert f"differs: expert {number}, main, turn {turn}: the " in capsys.readouterr().out
    changed_history(folder, lambda lines: lines.pop(next(i for i, one in enumerate(lines) if one["releasedAt"])))
    with pytest.raises(CommandError):
        verified(capsys, folder)
    assert "turns are told before it" in capsys.readouterr().out


def test_another_key_is_named(study, tmp_path, capsys):
    folder = exported(closed(study), tmp_path / "export")
    record = json.loads((folder / "study.json").read_text())
    record["sides"]["keys"][-1]["key"] = "00" * 32
    (folder / "study.json").write_text(json.dumps(record))
    with pytest.raises(CommandError):
        verified(capsys, folder)
    assert "differs: key of main: its SHA-256 is 66687aadf862bd77" in capsys.readouterr().out
    with pytest.raises(CommandError):
        verified(capsys, study.slug, sha256=["ab" * 32])


def test_what_is_nothing_of_this_is_refused_in_words(db, tmp_path):
    (tmp_path / "text.txt").write_text("nothing")
    with pytest.raises(CommandError, match="not a file, a folder or a study"):
        call_command("verify_sides", "nowhere")
    with pytest.raises(CommandError, match="neither a folder nor a readable zip archive"):
        call_command("verify_sides", str(tmp_path / "text.txt"))
