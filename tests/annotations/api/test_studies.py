"""Studies as researchers, admins and experts see them."""

import csv
import io

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.dateparse import parse_datetime

from annotations import designing
from annotations.designing.lifecycle import add_member, change_state
from annotations.ground.sides import commitment
from annotations.models import Event, EventKind, Phase, Role, Study, StudyState, User
from tests.worlds.answering import complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import known_key, make_open_study, make_study

pytestmark = pytest.mark.django_db

RESEARCH = [
    "studies/study/",
    "studies/study/plan/",
    "studies/study/events/",
    "studies/study/events/?format=csv",
    "studies/study/events/file/",
]


def browser(study: Study | None, role: Role | None, email: str = "somebody@example.org") -> Client:
    user = User.objects.filter(email=email).first() or User.objects.create_user(email, name="Some Body")
    if study is not None and role is not None:
        add_member(study=study, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def get(client: Client, address: str):
    return client.get(f"/api/{address}")


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as context:
        assert get(client, address).status_code == 200
    return len(context)


def answer_one(study: Study, number: int = 0) -> None:
    complete(taken(study.memberships.get(number=number).user))


def test_everybody_lists_their_own_studies_with_their_progress():
    study = make_open_study(experts=2)
    make_study(dataset=study.dataset, slug="hidden")
    answer_one(study)
    expert = Client()
    expert.force_login(study.memberships.get(number=0).user)
    card = {"slug": "study", "title": "A study", "state": "open", "is_simulated": False}
    assert get(expert, "studies/").json() == [{**card, "role": "expert", "progress": {"done": 1, "total": 6}}]
    researcher = browser(study, Role.RESEARCHER)
    assert get(researcher, "studies/").json() == [{**card, "role": "researcher", "progress": {"done": 1, "total": 12}}]
    assert get(browser(None, None, "stranger@example.org"), "studies/").json() == []


def test_a_superuser_lists_every_study_once():
    study = make_open_study(experts=2)
    make_study(dataset=study.dataset, slug="other")
    boss = User.objects.create_superuser("boss@example.org")
    add_member(study=study, user=boss, role=Role.RESEARCHER)
    client = Client()
    client.force_login(boss)
    assert {(card["slug"], card["role"]) for card in get(client, "studies/").json()} == {
        ("study", "researcher"),
        ("other", "admin"),
    }
    assert get(client, "studies/other/").json()["role"] == "admin"


def test_the_whole_study_says_who_what_and_how_far():
    study = make_open_study(experts=2)
    answer_one(study)
    shown = get(browser(study, Role.ADMIN), "studies/study/").json()
    assert shown["role"] == "admin"
    assert shown["counts"] == {
        "comparisons": 6,
        "places": 12,
        "claimed": 1,
        "completed": 1,
        "pilot": 0,
        "experts": 2,
        "open_reports": 0,
    }
    assert shown["systems"] == ["ModelName / Method0 / 0", "ModelName / Method1 / 0"]
    assert shown["dataset"]["labels"] == ["Label z", "Label y", "Label x", "Label w"]
    assert shown["members"][0] == {
        "number": 0,
        "name": "expert0@example.org",
        "role": "expert",
        "is_simulated": False,
        "claimed": 1,
        "completed": 1,
    }
    assert (shown["seed"], shown["assigning"], shown["display_step"]) == (5, "open_pool", None)


def test_the_plan_shows_the_matrix_and_counts_the_missing_experts():
    study = make_open_study(dataset=make_dataset(instances=3), experts=3, instances_per_system=3)
    answer_one(study)
    plan = get(browser(study, Role.RESEARCHER), "studies/study/plan/").json()
    assert plan["is_applied"]
    assert [(row["name"], row["instances"], row["places"]) for row in plan["systems"]] == [
        ("ModelName / Method0 / 0", 3, 6),
        ("ModelName / Method1 / 0", 3, 6),
    ]
    assert sum(row["completed"] for row in plan["systems"]) == 1
    assert [cell["instance"] for cell in plan["matrix"]["rows"][0]["cells"]] == [0, 1, 2]
    assert plan["experts"][0] == {"number": 0, "assigned": 1, "completed": 1}
    assert plan["missing_experts"] == 1  # every instance twice, two experts each: four are needed
    assert "1 more" in plan["statement"]


def test_the_plan_states_the_hash_of_the_key_of_each_phase_that_has_begun():
    study = make_study(experts=2)
    designing.apply_plan(study=study)
    client = browser(study, Role.RESEARCHER)
    assert get(client, "studies/study/plan/").json()["side_keys"] == []
    change_state(study=study, to=StudyState.OPEN)
    plan = get(client, "studies/study/plan/").json()
    stated = {one["phase"]: one["sha256"] for one in plan["side_keys"]}
    assert stated["main"] == commitment(known_key("study", "main"))
    assert all(sha256 in plan["statement"] for sha256 in stated.values())
    key = study.side_keys.get(phase=Phase.MAIN)
    (made_at,) = [parse_datetime(one["made_at"]) for one in plan["side_keys"] if one["phase"] == "main"]
    assert made_at == key.made_at


def test_a_draft_shows_the_plan_that_its_settings_would_give():
    study = make_study(experts=2)
    client = browser(study, Role.ADMIN)
    plan = get(client, "studies/study/plan/").json()
    assert not plan["is_applied"]
    assert plan["statement"].startswith("Not applied yet.")
    designing.change_settings(study=study, instances_per_system=100)
    plan = get(client, "studies/study/plan/").json()
    assert "to 6 or fewer" in plan["statement"]


def test_a_skip_that_leaves_too_few_experts_is_counted():
    study = make_open_study(dataset=make_dataset(instances=3), experts=4, instances_per_system=3)
    client = browser(study, Role.RESEARCHER)
    assert get(client, "studies/study/plan/").json()["missing_experts"] == 0
    user = study.memberships.get(number=0).user
    given = taken(user)
    page = Client()
    page.force_login(user)
    body = {"key": "0" * 32, "reason": "other", "text": "", "skip": True}
    page.post(f"/api/assignments/{given.token}/report/", body, content_type="application/json")
    assert get(client, "studies/study/plan/").json()["missing_experts"] == 1


@pytest.mark.parametrize("address", RESEARCH)
def test_experts_and_strangers_do_not_even_learn_that_a_study_exists(address):
    study = make_open_study(experts=1)
    nothing = get(browser(None, None, "stranger@example.org"), address.replace("study/", "nothing/", 1))
    for client in (browser(study, Role.EXPERT), browser(None, None, "stranger@example.org")):
        refused = get(client, address)
        assert refused.status_code == 404
        assert refused.content == nothing.content
    assert get(browser(study, Role.RESEARCHER, "r@example.org"), address).status_code == 200


def test_only_an_admin_moves_a_study():
    study = make_study(experts=1)
    designing.apply_plan(study=study)

    def move(client: Client, to: str):
        return client.post("/api/studies/study/transition/", {"to": to}, content_type="application/json")

    assert move(browser(study, Role.EXPERT, "e@example.org"), "open").status_code == 404
    assert move(browser(study, Role.RESEARCHER, "r@example.org"), "open").status_code == 403
    admin = browser(study, Role.ADMIN, "a@example.org")
    assert move(admin, "draft").status_code == 400
    refused = move(admin, "paused")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_transition")
    assert move(admin, "open").json()["state"] == "open"
    event = Event.objects.get(kind=EventKind.STATE_CHANGED)
    assert event.actor_email == "a@example.org"


def test_the_log_is_read_page_by_page_or_whole_as_csv():
    study = make_open_study(experts=60)
    client = browser(study, Role.RESEARCHER)
    page = get(client, "studies/study/events/").json()
    assert len(page["results"]) == 50
    assert page["count"] == Event.objects.count()
    newest = page["results"][0]
    assert sorted(newest) == ["action", "actor", "at", "details", "id", "person", "sentence"]
    answer = get(client, "studies/study/events/file/")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert len(rows) == page["count"]
    assert answer["Cache-Control"] == "no-store"


def test_looking_at_the_plan_before_the_study_closed_leaves_one_event():
    study = make_open_study(experts=1)
    client = browser(study, Role.RESEARCHER)
    for _ in range(3):
        get(client, "studies/study/plan/")
    event = Event.objects.get(kind=EventKind.UNBLINDED_VIEW)
    assert (event.actor_email, event.data) == ("somebody@example.org", {"what": "plan"})
    Study.objects.update(state="closed")
    other = browser(study, Role.RESEARCHER, "later@example.org")
    get(other, "studies/study/plan/")
    assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).count() == 1


def test_every_page_costs_the_same_in_a_small_and_a_large_study():
    dataset = make_dataset(instances=40, systems=5)
    small = make_open_study(dataset=dataset, experts=1, slug="small")
    large = make_study(dataset=dataset, experts=20, slug="large", instances_per_system=30)
    designing.apply_plan(study=large)
    designing.share_places(study=large, experts=None)
    for study in (small, large):
        browser(study, Role.ADMIN)
    client = browser(None, None)
    for study in (small, large):
        queries(client, f"studies/{study.slug}/plan/")  # the first looks are recorded
    for page in ("", "plan/", "events/"):
        assert queries(client, f"studies/small/{page}") == queries(client, f"studies/large/{page}")
    one = browser(small, Role.RESEARCHER, "one@example.org")
    assert queries(one, "studies/") == queries(client, "studies/")
