"""The commands that an admin plans a study with."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotations import designing
from annotations.models import Event, EventKind, Membership, Role, Study, User
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


def run(command: str, *arguments: Any, **options: Any) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out, **options)
    return out.getvalue()


SETTINGS = {"dataset": "some-dataset", "instances_per_system": 3, "experts_per_comparison": 2, "seed": 1}


def test_without_apply_the_plan_is_shown_and_nothing_is_stored():
    make_dataset()
    shown = run("plan_study", "snli", **SETTINGS)
    assert "ModelName / Method0 / 0" in shown
    assert "6 comparisons of 2 systems on 6 texts." in shown
    assert "and needs" in shown
    assert "Nothing was stored" in shown
    assert not Study.objects.exists()


def test_with_apply_study_experts_and_plan_are_stored_together(tmp_path: Path):
    make_dataset()
    addresses = tmp_path / "experts.txt"
    addresses.write_text("# lawyers\na@example.org\n\nb@example.org\n")
    shown = run(
        "plan_study",
        "snli",
        apply=True,
        title="SNLI",
        admin="boss@example.org",
        experts_from=str(addresses),
        **SETTINGS,
    )
    study = Study.objects.get(slug="snli")
    assert (study.title, study.seed, study.comparisons.count()) == ("SNLI", 1, 6)
    assert study.memberships.experts().count() == 2
    assert study.memberships.get(role=Role.ADMIN).user.email == "boss@example.org"
    assert "The plan is stored" in shown
    assert not User.objects.get(email="a@example.org").has_usable_password()


def test_experts_in_the_file_are_counted_before_they_are_added(tmp_path: Path):
    make_dataset()
    addresses = tmp_path / "experts.txt"
    addresses.write_text("".join(f"e{n}@example.org\n" for n in range(9)))
    assert "9 active experts" in run("plan_study", "snli", experts_from=str(addresses), **SETTINGS)
    assert not Membership.objects.exists()


def test_what_was_shown_is_what_is_stored():
    make_dataset()
    shown = run("plan_study", "snli", **SETTINGS)
    stored = run("plan_study", "snli", apply=True, **SETTINGS)
    matrix = [line.split()[-1] for line in shown.splitlines() if line.startswith("ModelName")]
    assert matrix == [line.split()[-1] for line in stored.splitlines() if line.startswith("ModelName")]


def test_a_study_under_way_shows_the_stored_plan():
    make_dataset()
    run("plan_study", "snli", apply=True, **SETTINGS)
    run("move_study", "snli", "open")
    shown = run("plan_study", "snli")
    assert "This is the stored plan" in shown
    assert "6 comparisons with 12 places: 0 answered" in shown
    with pytest.raises(CommandError, match="while the study is a draft"):
        run("plan_study", "snli", apply=True)


def test_a_draft_can_be_planned_again_with_other_settings():
    make_dataset()
    run("plan_study", "snli", apply=True, **SETTINGS)
    run("plan_study", "snli", apply=True, instances_per_system=5)
    study = Study.objects.get()
    assert (study.seed, study.instances_per_system, study.comparisons.count()) == (1, 5, 10)


def test_a_bad_plan_stores_neither_study_nor_experts():
    make_dataset()
    with pytest.raises(CommandError, match="to 6 or fewer"):
        run("plan_study", "snli", apply=True, **{**SETTINGS, "instances_per_system": 7})
    with pytest.raises(CommandError, match="display_step"):
        run("plan_study", "snli", display_step=3.0, **SETTINGS)
    with pytest.raises(CommandError, match="more experts are needed"):
        run("plan_study", "snli", apply=True, assigning="named", **SETTINGS)
    assert not Study.objects.exists()


def test_unknown_names_are_answered_with_the_known_ones(tmp_path: Path):
    make_dataset()
    with pytest.raises(CommandError, match="some-dataset"):
        run("plan_study", "snli", dataset="nothing")
    with pytest.raises(CommandError, match="Specify the --dataset"):
        run("plan_study", "snli")
    addresses = tmp_path / "experts.txt"
    addresses.write_text("a@example.org\nnobody\n")
    with pytest.raises(CommandError, match="line 2"):
        run("plan_study", "snli", experts_from=str(addresses), **SETTINGS)


def test_a_large_dataset_still_fits_a_terminal():
    make_dataset(instances=1500, labels=2)
    shown = run("plan_study", "s", dataset="some-dataset", instances_per_system=700, experts_per_comparison=4)
    assert max(len(line) for line in shown.splitlines() if line.startswith("ModelName")) < 160


def test_people_are_taken_in_and_the_study_is_moved_and_each_leaves_an_event():
    study = make_study(experts=4)
    designing.apply_plan(study=study)
    boss = User.objects.create_superuser("boss@example.org")
    run("add_member", study.slug, "guest@example.org", by="boss@example.org")
    run("move_study", study.slug, "open", by="boss@example.org")
    study.refresh_from_db()
    assert study.state == "open"
    assert Event.objects.get(kind=EventKind.STATE_CHANGED).actor == boss
    with pytest.raises(CommandError, match="Paused"):
        run("move_study", study.slug, "pilot")


def test_an_existing_account_keeps_its_password(monkeypatch):
    study = make_study()
    User.objects.create_user("old@example.org", "the old password")
    monkeypatch.setattr("sys.stdin", StringIO("a new password\n" * 2))
    run("add_member", study.slug, "old@example.org", "new@example.org", password_from_stdin=True)
    assert User.objects.get(email="old@example.org").check_password("the old password")


def test_comparisons_are_given_by_name():
    study = make_study(experts=5)
    designing.apply_plan(study=study)
    run("assign_comparisons", study.slug, expert="expert0@example.org", comparisons=[2])
    run("assign_comparisons", study.slug, expert="expert1@example.org", count=3)
    assert list(study.memberships.get(number=0).assignments.values_list("comparison__position", flat=True)) == [2]
    assert study.memberships.get(number=1).assignments.count() == 3
    run("assign_comparisons", study.slug)
    assert not study.assignments.free().exists()
    with pytest.raises(CommandError, match="no comparison 99"):
        run("assign_comparisons", study.slug, expert="expert0@example.org", comparisons=[99])
    for count in (0, -1):
        with pytest.raises(CommandError, match=r"--count .*1"):
            run("assign_comparisons", study.slug, expert="expert0@example.org", count=count)
    User.objects.create_user("x@example.org")
    with pytest.raises(CommandError, match="not an expert"):
        run("assign_comparisons", study.slug, expert="x@example.org", count=1)
