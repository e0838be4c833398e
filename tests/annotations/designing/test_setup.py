"""A study begins with questions and settings that fit it, and two people who set it up do not undo each other."""

import re

import pytest

from annotations import designing
from annotations.designing.averaging import compared_names
from annotations.designing.presets import LANGUAGES, wordings
from annotations.designing.starting import EditedMeanwhile, InvalidSettings, begin_study, settings_of_preset, slug_for
from annotations.models import Event, EventKind, Role, Study, System, Task, User
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db


def add_runs(dataset, model="Runner", method="Twice", count=2):
    first = System.objects.filter(dataset=dataset).defer(None).first()
    for run in range(count):
        named = {"model": model, "method": method, "run": str(run)}
        System.objects.create(dataset=dataset, predictions=first.predictions, fingerprint="0" * 64, **named)


@pytest.mark.parametrize("task", Task.values)
@pytest.mark.parametrize("language", [*LANGUAGES, "he"])
def test_no_default_question_names_a_domain_in_any_language(task, language):
    study = designing.draft(dataset=make_dataset(task=task), slug="s", language=language)
    asked = f"{study.question_labels} {study.question_preference}".lower()
    assert not any(word in asked for word in ("law", "recht", "قانون"))


def test_default_questions_are_in_the_language_of_the_experts_pages_and_follow_it():
    dataset = make_dataset()
    dataset.instances.update(language="ar", direction="rtl")
    study = designing.create_study(dataset=dataset, slug="s")
    assert study.question_labels == wordings("multilabel", "ar")[0].question_labels
    study = designing.change_settings(study=study, language="de", question_preference="Welche?")
    assert study.question_labels == wordings("multilabel", "de")[0].question_labels
    study = designing.change_settings(study=study, language="en")
    assert study.question_labels == "Which labels, if any, apply to this text?"
    assert study.question_preference == "Welche?"


def test_a_new_study_draws_one_chart_and_the_originals_words_say_what_a_bar_is():
    dataset = make_dataset()
    study = designing.create_study(dataset=dataset, slug="s")
    assert study.layout == "aligned"
    assert study.share_meaning == ""
    original = designing.draft(dataset=dataset, slug="o", **settings_of_preset("original", dataset=dataset))
    assert original.share_meaning == "share of lawyers who would choose this area"
    assert designing.change_settings(study=study, layout="separate").layout == "separate"
    with pytest.raises(InvalidSettings, match="layout"):
        designing.change_settings(study=study, layout="sideways")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_originals_words_ask_how_certain_one_is_that_the_text_fits_and_follow_the_language(language):
    dataset = make_dataset()
    asked = settings_of_preset("original", dataset=dataset)
    study = designing.create_study(dataset=dataset, slug="o", **asked)
    assert study.question_certainty.endswith("that the sample fits within the results you have selected?")
    study = designing.change_settings(study=study, language=language)
    (original,) = [one for one in wordings("multilabel", language) if one.is_original]
    assert study.question_certainty == original.question_certainty != ""
    assert len(original.question_certainty) <= Study._meta.get_field("question_certainty").max_length
    assert designing.create_study(dataset=dataset, slug="own").question_certainty == ""


def test_only_the_chosen_systems_are_compared():
    dataset = make_dataset(systems=4)
    chosen = [system.name for system in System.objects.filter(dataset=dataset)][1:3]
    study = make_study(dataset=dataset, systems=chosen)
    plan = designing.apply_plan(study=study)
    assert [system.name for system in plan.systems] == sorted(chosen) == compared_names(study)
    assert study.comparisons.count() == 2 * 3


def test_a_mean_of_runs_is_chosen_by_its_name_and_the_choice_follows_when_runs_become_single():
    dataset = make_dataset()
    add_runs(dataset)
    study = make_study(dataset=dataset, systems=["Runner / Twice"])
    assert [len(runs) for runs in designing.propose(study=study).candidates.means.values()] == [2]
    study = designing.change_settings(study=study, runs="single")
    assert study.systems == ["Runner / Twice / 0", "Runner / Twice / 1"] == compared_names(study)
    assert designing.change_settings(study=study, runs="averaged").systems == ["Runner / Twice"]


@pytest.mark.parametrize("systems", [["Nobody"], ["A", "A"], "A", [1]])
def test_systems_that_are_none_are_refused_by_the_field(systems):
    with pytest.raises(InvalidSettings) as refusal:
        make_study(systems=systems)
    assert list(refusal.value.data["fields"]) == ["systems"]


def test_a_change_of_settings_that_others_made_meanwhile_is_told_with_who_and_when():
    study, ann = make_study(), User.objects.create_user("ann@example.org")
    first = designing.change_settings(study=study, actor=ann, version=1, title="Ann's title")
    assert first.version == 2
    with pytest.raises(EditedMeanwhile) as refusal:
        designing.change_settings(study=study, version=1, title="Bob's title")
    assert refusal.value.data["who"] == "ann@example.org"
    assert refusal.value.data["version"] == 2
    study.refresh_from_db()
    assert study.title == "Ann's title"


def test_saving_what_is_there_already_is_no_change():
    study = make_study()
    assert designing.change_settings(study=study, title=study.title).version == 1
    assert not Event.objects.filter(kind=EventKind.SETTINGS_CHANGED).exists()


def test_the_maker_becomes_the_admin_and_slugs_are_made_of_titles():
    ann = User.objects.create_user("ann@example.org")
    dataset = make_dataset()
    slugs = [begin_study(dataset=dataset, actor=ann, title=title).slug for title in ("My study!", "My study!", "دراسة")]
    assert [slugs[0], slugs[2]] == ["my-study", "study"]
    assert re.fullmatch("my-study-[0-9a-f]{6}", slugs[1])
    assert set(ann.memberships.values_list("role", flat=True)) == {Role.ADMIN}
    assert re.fullmatch("new-[0-9a-f]{6}", slug_for("New"))


def test_the_original_studys_preset_asks_about_areas_of_law_where_labels_are_any():
    ann = User.objects.create_user("ann@example.org")
    study = begin_study(dataset=make_dataset(), actor=ann, title="T", preset="original", language="de")
    assert "Rechtsgebiete" in study.question_labels
    assert (study.instances_per_system, study.experts_per_comparison) == (6, 4)
    other = begin_study(dataset=make_dataset(slug="o", task="ordinal"), actor=ann, title="T", preset="original")
    assert "law" not in other.question_labels
