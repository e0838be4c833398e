"""A preview shows what experts will get, and nothing of it is stored."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations import designing
from annotations.answering import previewing
from annotations.ground.display_rule import DisplayRule
from annotations.models import Compares, Dataset, Instance, Role, Runs, Study, User
from annotations.shown.displaying import bars
from tests.worlds.answering import Page
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_member, make_study, plan_and_open

pytestmark = pytest.mark.django_db

# PostgreSQL reads what Django iterates over through a cursor.
READS = re.compile(r'SELECT |DECLARE "[^"]+" (NO SCROLL )?CURSOR FOR SELECT ')


def as_(role: Role, study: Study) -> Client:
    client = Client()
    client.force_login(make_member(study, role, f"{role}@example.org").user)
    return client


def look(client: Client) -> Any:
    return client.get("/api/v1/studies/study/preview/")


def step_2(client: Client, number: int = 1, labels: tuple[int, ...] = (0,)) -> Any:
    return client.post(
        f"/api/v1/studies/study/preview/{number}/step-2/", {"labels": labels}, content_type="application/json"
    )


@contextmanager
def nothing_stored() -> Iterator[None]:
    """Nothing is asked of the database but to read, and every table has as many rows as before."""

    def rows() -> dict[str, int]:
        return {model._meta.label: model._base_manager.count() for model in apps.get_models(include_auto_created=True)}

    before = rows()
    with CaptureQueriesContext(connection) as queries:
        yield
    assert [one["sql"] for one in queries if not READS.match(one["sql"])] == []
    assert rows() == before


@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("compares", Compares.values)
@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
def test_both_steps_are_shown_and_nothing_is_stored(planned: bool, compares: str, role: Role) -> None:
    study = make_study(compares=compares, instances_per_system=4)
    if planned:
        designing.apply_plan(study=study)
    client = as_(role, study)
    with nothing_stored():
        first, second = look(client), step_2(client, 2, (1, 0))
    shown = first.json()
    assert (shown["is_planned"], shown["comparisons"]) == (planned, 8 if compares == Compares.HUMAN_VS_SYSTEM else 4)
    texts = [one["assignment"]["segments"][0]["text"] for one in shown["tasks"]]
    assert 1 <= len(texts) == len(set(texts)) <= previewing.MOST
    assert {one["assignment"]["comparison"] for one in shown["tasks"]} == {None}
    compared = second.json()["assignment"]
    assert (compared["step"], compared["selected"], compared["segments"][0]["text"]) == (2, [0, 1], texts[1])
    assert compared["comparison"]["a"] or compared["comparison"]["b"]


def test_the_shape_is_an_experts_own() -> None:
    study = make_study(experts=2, instructions="Read **slowly**.")
    client = as_(Role.RESEARCHER, study)
    previewed = [look(client).json()["tasks"][0], step_2(client).json()]
    page = Page(plan_and_open(study).memberships.get(number=0).user)
    real = [page.next().json()]
    page.labels(real[0]["assignment"]["token"])
    real.append(page.next().json())
    for mine, theirs in zip(previewed, real, strict=True):
        assert list(mine) == list(theirs)
        # A draft's words can still change, so that no version of them is kept yet.
        assert mine["study"] == theirs["study"] | {"instrument_version": None}
        assert list(mine["assignment"]) == list(theirs["assignment"])
        assert mine["assignment"]["step"] == theirs["assignment"]["step"]
    assert list(previewed[1]["assignment"]["comparison"]) == list(real[1]["assignment"]["comparison"])


@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("runs", Runs.values)
def test_the_distributions_are_drawn_as_experts_will_see_them(planned: bool, runs: str) -> None:
    dataset = make_dataset(systems=3)
    dataset.systems.filter(method="Method2").update(method="Method1", run="1")
    study = make_study(dataset=dataset, runs=runs)
    plan = designing.propose(study=study)
    client = as_(Role.ADMIN, study)
    if planned:
        designing.apply_plan(study=study)
    labels, rule = list(dataset.labels.all()), DisplayRule.of(study)
    seen = {}
    for number, task in enumerate(look(client).json()["tasks"], 1):
        instance = next(one for one in Instance.objects.all() if one.segments == task["assignment"]["segments"])
        shown = next(one for one in plan.shown if one[2] == instance.position)
        pairs = designing.pairing.read_pairs(study=study, shown=[shown])
        drawn = [
            [
                {"label": bar.label, "value": bar.value}
                for bar in bars(side, labels, rule=rule, people=instance.parts, task=dataset.task)
            ]
            for side in (pairs.first[0], pairs.second[0])
        ]
        for _ in range(12):
            compared = step_2(client, number).json()["assignment"]["comparison"]
            assert [compared["a"], compared["b"]] in (drawn, drawn[::-1])
            seen[[compared["a"], compared["b"]] == drawn] = True
    assert seen == {True: True, False: True}  # the sides are thrown anew each time


def test_an_open_study_is_previewed_and_its_keys_turns_and_places_stay_as_they_are() -> None:
    study = plan_and_open(make_study(experts=2))
    client = as_(Role.ADMIN, study)
    with nothing_stored():
        assert look(client).status_code == 200
        assert step_2(client).status_code == 200
    assert not study.assignments.exclude(turn=None).exists()
    assert not study.assignments.exclude(comparison_shown_at=None).exists()


def test_experts_and_strangers_find_no_preview() -> None:
    study = plan_and_open(make_study())
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger@example.org"))
    for client in (as_(Role.EXPERT, study), stranger):
        assert look(client).status_code == 404
        assert step_2(client).status_code == 404
    assert look(Client()).status_code == 401


def test_step_2_follows_a_valid_step_1_only() -> None:
    client = as_(Role.RESEARCHER, make_study())
    for labels, code in (((), "nothing_chosen"), ((99,), "unknown_label"), ((0, 3), "exclusive_label")):
        refused = step_2(client, 1, labels)
        assert (refused.status_code, refused.json()["code"]) == (400, code)
        assert "comparison" not in refused.json()
    for number in (0, previewing.MOST + 1):
        assert step_2(client, number).status_code == 404


def test_withdrawn_texts_are_not_shown_and_settings_without_a_plan_say_why() -> None:
    study = make_study()
    # Another dataset has its own texts at the same positions, and none of them is withdrawn.
    make_dataset(slug="other").instances.update(segments=[{"name": "", "text": "Not this study's."}])
    client = as_(Role.RESEARCHER, study)
    first = look(client).json()["tasks"][0]["assignment"]["segments"]
    gone = next(one for one in study.dataset.instances.all() if one.segments == first)
    Instance.objects.filter(pk=gone.pk).update(withdrawn_at=timezone.now())
    assert first not in [one["assignment"]["segments"] for one in look(client).json()["tasks"]]
    Study.objects.update(instances_per_system=100)
    refused = look(client)
    assert (refused.status_code, refused.json()["code"]) == (400, "too_few_instances")


def test_a_draft_says_of_each_text_whether_its_sides_look_the_same_planned_or_not() -> None:
    dataset = make_dataset(systems=1)
    predictions = np.array(Dataset.objects.get(pk=dataset.pk).gold)
    predictions[3:] = 1 - predictions[3:]
    dataset.systems.update(predictions=predictions)
    study = make_study(dataset=dataset, instances_per_system=6)
    client = as_(Role.RESEARCHER, study)
    for _ in range(2):
        shown = [step_2(client, number).json()["assignment"]["comparison"] for number in range(1, 6)]
        assert [one["identical"] for one in shown] == [one["a"] == one["b"] for one in shown]
        assert {one["identical"] for one in shown} == {True, False}
        designing.apply_plan(study=study)


def test_queries_do_not_grow_with_the_study() -> None:
    counts = []
    for slug, instances in (("study", 6), ("larger", 60)):
        study = make_study(
            slug=slug,
            dataset=make_dataset(slug=f"{slug}-data", instances=instances),
            instances_per_system=instances // 2,
        )
        designing.apply_plan(study=study)
        client = as_(Role.RESEARCHER, study)
        with CaptureQueriesContext(connection) as queries:
            shown = client.get(f"/api/v1/studies/{slug}/preview/").json()["tasks"]
            client.post(f"/api/v1/studies/{slug}/preview/1/step-2/", {"labels": [0]}, content_type="application/json")
        counts.append(len(queries))
    assert counts[0] == counts[1] < 40
    assert len(shown) == 5


def test_consent_is_shown_as_experts_read_it() -> None:
    study = make_study(language="de")
    client = as_(Role.RESEARCHER, study)
    assert "Ihre Antworten" in look(client).json()["consent_html"]
    Study.objects.update(consent="I **agree**. <script>x</script>")
    shown = look(client).json()["consent_html"]
    assert shown.startswith("<p>I <strong>agree</strong>. &lt;script&gt;x&lt;/script&gt;</p>\n")
    assert shown.count("<ul>") == 1, "what is saved stands below every text"
