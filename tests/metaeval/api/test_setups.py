"""A set-up is copied, downloaded, and read from a file: completely, and nothing else."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotations import designing
from annotations.designing.presets import PRESETS
from annotations.models import Event, EventKind, Role, Study
from metaeval.jobs.planning import set_plan
from metaeval.setups import shared_plan, shared_settings
from tests.annotations.api.designing.test_setup import JSON, in_study, post, signed_in
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study, make_study, plan_and_open

pytestmark = pytest.mark.django_db


def founder(study: Study):
    """A researcher of the study who may create others."""
    client = in_study(study, Role.RESEARCHER, "founder@example.org")
    return signed_in("founder@example.org", may_create=True) and client


def planned(study: Study) -> Study:
    set_plan(study=study, planned=[{"analysis": "study_quality", "parameters": {}, "note": "Experts agree."}])
    return study


def test_a_copy_has_the_settings_and_the_plan_and_neither_people_nor_places_nor_answers():
    study = planned(
        make_study(experts=3, instructions="Read *slowly*.", display_threshold=0.2, experts_per_comparison=3)
    )
    designing.apply_plan(study=study)
    client = founder(study)
    answer = post(client, "studies/study/copy/", title="Again")
    assert answer.status_code == 201, answer.content
    made = Study.objects.get(slug="again")
    assert shared_settings(made) == shared_settings(study)
    assert shared_plan(made) == shared_plan(study)
    assert (made.state, made.title, made.dataset) == ("draft", "Again", study.dataset)
    assert made.seed != study.seed
    assert (made.comparisons.count(), made.assignments.count()) == (0, 0)
    assert [(one.user.email, one.role) for one in made.memberships.all()] == [("founder@example.org", "admin")]
    event = Event.objects.get(kind=EventKind.STUDY_CREATED, study=made)
    assert event.data == {"copied_from": "study", "keeps_seed": False}


def test_a_copy_draws_the_same_texts_where_that_is_asked_for():
    study = make_open_study(experts=2)
    client = founder(study)
    post(client, "studies/study/copy/", title="Again", slug="repeated", keeps_seed=True)
    made = Study.objects.get(slug="repeated")
    designing.apply_plan(study=made)
    shown = ("instance", "first_system", "second_system", "position")
    assert list(made.comparisons.values_list(*shown)) == list(study.comparisons.values_list(*shown))
    assert not made.side_keys.exists()


def test_who_may_not_begin_studies_or_does_not_see_this_one_copies_nothing():
    study = make_study(experts=1)
    setup = founder(study).get("/api/v1/studies/study/setup/file/").json()
    clients = {
        "researcher": in_study(study, Role.RESEARCHER),
        "expert": in_study(study, Role.EXPERT),
        "stranger": signed_in("stranger@example.org", may_create=True),
    }
    for who, client in clients.items():
        assert post(client, "studies/study/copy/", title="T").status_code == 404, who
    assert post(clients["researcher"], "study-setups/", setup=setup).status_code == 404
    refused = post(clients["stranger"], "study-setups/", setup=setup)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["dataset"])  # which they may not see
    assert clients["expert"].get("/api/v1/studies/study/setup/file/").status_code == 404
    assert Study.objects.count() == 1


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("task", ["multilabel", "ordinal", "multiclass"])
def test_every_preset_comes_back_from_its_file_as_it_was(preset, task):
    root = signed_in("root@example.org", is_superuser=True)
    make_dataset(task=task)
    post(root, "studies/", dataset="some-dataset", title="First", slug="first", preset=preset)
    answer = root.get("/api/v1/studies/first/setup/file/")
    assert answer["Content-Disposition"] == 'attachment; filename="first-setup.json"'
    made = post(root, "study-setups/", setup=json.loads(answer.content), slug="second")
    assert made.status_code == 201, made.content
    again = root.get("/api/v1/studies/second/setup/file/").json()
    assert again == answer.json()
    assert Event.objects.get(kind=EventKind.STUDY_CREATED, subject="second").data == {"from_file": "First"}


SETTINGS = st.fixed_dictionaries(
    {
        "title": st.text("abc ü漢“\\/", min_size=1).filter(str.strip),
        "instructions": st.text("abc\n*_ ü漢").map(str.strip),
        "compares": st.sampled_from(["human_vs_system", "system_vs_system"]),
        "runs": st.sampled_from(["averaged", "single"]),
        "systems": st.sampled_from([[], ["ModelName / Method1 / 0"]]),
        "assigning": st.sampled_from(["named", "open_pool"]),
        "display_threshold": st.sampled_from([0, 0.1, 1 / 3]),
        "display_step": st.sampled_from([None, 0.01, 0.05, 0.2]),
        "give_aways": st.sampled_from(["keep", "redraw"]),
        "instances_per_system": st.integers(1, 10**6),
        "experts_per_comparison": st.integers(1, 30_000),
    }
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chosen=SETTINGS)
def test_any_settings_come_back_from_their_file_as_they_were(chosen, db):
    title = chosen.pop("title").strip()
    study = make_study(dataset=make_dataset(slug=f"d{Study.objects.count()}"), slug=f"s{Study.objects.count()}")
    designing.change_settings(study=study, title=title, **chosen)
    root = signed_in("root@example.org", is_superuser=True)
    document = root.get(f"/api/v1/studies/{study.slug}/setup/file/").json()
    answer = post(root, "study-setups/", setup=document)
    assert answer.status_code == 201, answer.content
    made = Study.objects.get(slug=answer.json()["slug"])
    study.refresh_from_db()
    assert shared_settings(made) == shared_settings(study)
    assert made.title == study.title


def test_the_file_holds_no_people_no_seed_no_key_and_no_text():
    study = plan_and_open(planned(make_study(experts=2, title="Open")))
    text = founder(study).get("/api/v1/studies/study/setup/file/").content.decode()
    document = json.loads(text)
    assert sorted(document) == ["analysis_plan", "dataset", "format", "settings", "title", "version"]
    assert not {"seed", "title", "opens_at"} & set(document["settings"])
    keys = [bytes(key.key).hex() for key in study.side_keys.all()]
    for secret in ("@example.org", "This is text number", *keys):
        assert secret not in text


def test_what_is_wrong_with_a_file_is_told_by_the_field():
    study = planned(make_study())
    client = founder(study)
    good = client.get("/api/v1/studies/study/setup/file/").json()

    def changed(**parts):
        return {**good, **parts}

    def setting(**one):
        return changed(settings={**good["settings"], **one})

    bad = {
        "setup": "no set-up",
        "setup.version": changed(version=2),
        "setup.format": changed(format="another"),
        "setup.settings": {name: value for name, value in good.items() if name != "settings"},
        "setup.settings.colour": setting(colour="red"),
        "setup.settings.compares": setting(compares="apples"),
        "setup.settings.instances_per_system": setting(instances_per_system=0),
        "display_step": setting(display_step=0.3),
        "systems": setting(systems=["Nobody / knows / 0"]),
        "dataset": changed(dataset={"slug": "elsewhere", "fingerprint": "0" * 64}),
        "analysis_plan": changed(analysis_plan=[{"analysis": "astrology"}]),
    }
    for field, document in bad.items():
        answer = client.post("/api/v1/study-setups/", {"setup": document}, JSON)
        assert answer.status_code == 400, (field, answer.content)
        assert any(name.startswith(field) for name in answer.json()["fields"]), (field, answer.json())
    assert Study.objects.count() == 1


def test_a_file_from_elsewhere_is_used_with_another_dataset():
    make_study()
    root = signed_in("root@example.org", is_superuser=True)
    document = root.get("/api/v1/studies/study/setup/file/").json()
    document["dataset"] = {"slug": "elsewhere", "fingerprint": "0" * 64}
    make_dataset(slug="other")
    answer = post(root, "study-setups/", setup=document, dataset="other", title="Here")
    assert (answer.status_code, answer.json()["dataset"]["slug"], answer.json()["title"]) == (201, "other", "Here")
    assert post(root, "study-setups/", setup=document, dataset="none").json()["fields"].keys() == {"dataset"}
