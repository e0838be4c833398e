"""What a study asks its experts about themselves: set up, asked once before the first text, exported."""

import json

import pytest
from django.test import Client

from annotations.api.answering.shapes import moment
from annotations.models import Consent, Event, EventKind, Role, Study, User
from annotations.people.invitations.declarations import store_consent
from annotations.shown.consent import consent_text, version_of
from annotations.shown.profiles import PRESETS
from tests.worlds.answering import answer, complete, taken
from tests.worlds.exported import lines, written
from tests.worlds.studies import make_member, make_study, plan_and_open

pytestmark = pytest.mark.django_db
STUDY = "/api/v1/studies/study/"
QUESTIONS = [one.stored for one in PRESETS]


@pytest.fixture
def study():
    study = make_study(experts=3)
    make_member(study, Role.ADMIN, "admin@example.org")
    return study


def signed_in(email: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(email=email))
    return client


def set_questions(questions):
    body = {"profile_questions": questions}
    return signed_in("admin@example.org").patch(STUDY, body, content_type="application/json")


def say(answers, email="expert0@example.org"):
    return signed_in(email).put(f"{STUDY}profile/", {"answers": answers}, content_type="application/json")


ANSWERS = {"specialism": "Criminal law", "years_of_experience": "7"}


def test_questions_are_set_up_and_read_back(study):
    assert set_questions(QUESTIONS).json()["profile_questions"] == QUESTIONS
    assert signed_in("expert0@example.org").get(f"{STUDY}profile/").json() == {
        "consent": None,
        "questions": QUESTIONS,
        "answers": {},
    }


def test_the_set_up_offers_questions_that_it_takes_as_they_are(study):
    offered = signed_in("admin@example.org").get(f"{STUDY}setup/").json()["profile_presets"]
    assert [one["name"] for one in offered] == ["specialism", "years_of_experience"]
    assert set_questions(offered).json()["profile_questions"] == offered


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "Years of work"}, "name"),
        ({"kind": "essay"}, "kind"),
        ({"kind": "choice", "options": ["one"]}, "must have 2 to 50"),
        ({"kind": "number", "options": ["a", "b"]}, "only a choice"),
        ({"kind": "choice", "options": ["a", "a"]}, "twice"),
        ({"label": ""}, "label"),
    ],
)
def test_what_is_no_question_is_refused_with_the_reason(study, change, said):
    refused = set_questions([QUESTIONS[0] | change])
    assert refused.status_code == 400
    assert said in json.dumps(refused.json()).lower()
    assert set_questions([QUESTIONS[0], QUESTIONS[0]]).status_code == 400


def test_they_are_asked_before_the_first_text_and_once(study):
    set_questions(QUESTIONS)
    browser = signed_in("expert0@example.org")
    plan_and_open(study)
    waiting = browser.post(f"{STUDY}next/").json()
    assert (waiting["assignment"], waiting["finished"]) == (None, "asked_first")
    assert say(ANSWERS).json()["answers"] == ANSWERS
    assert browser.post(f"{STUDY}next/").json()["assignment"] is not None
    member = study.memberships.get(user__email="expert0@example.org")
    assert member.profile == {"specialism": "Criminal law", "years_of_experience": 7}
    event = Event.objects.get(kind=EventKind.PROFILE_CHANGED)
    assert "Criminal" not in json.dumps(event.data)


def test_answers_are_checked_and_each_flaw_is_named(study):
    set_questions(QUESTIONS)
    refused = say({"specialism": "Cooking", "years_of_experience": "-1", "shoe_size": "42"})
    assert refused.status_code == 400
    assert refused.json()["code"] == "invalid_profile"
    assert set(refused.json()["fields"]) == {"specialism", "years_of_experience", "shoe_size"}
    assert set(say({}).json()["fields"]) == {"specialism", "years_of_experience"}
    assert say({"specialism": "Other", "years_of_experience": "nan"}).status_code == 400
    assert study.memberships.get(user__email="expert0@example.org").profile == {}
    assert signed_in("admin@example.org").get(f"{STUDY}profile/").status_code == 404


def test_an_optional_question_can_be_passed_over(study):
    set_questions([QUESTIONS[1] | {"required": False}])
    assert say({}).json()["answers"] == {"years_of_experience": None}
    plan_and_open(study)
    assert signed_in("expert0@example.org").post(f"{STUDY}next/").json()["assignment"] is not None


def test_once_somebody_has_answered_the_questions_stay(study):
    set_questions(QUESTIONS)
    say(ANSWERS)
    refused = set_questions(QUESTIONS[:1])
    assert refused.status_code == 400
    assert "answered" in refused.json()["detail"]
    assert set_questions(QUESTIONS).status_code == 200, "what they are already"


@pytest.mark.parametrize("own_text", ["", "I take part."])
def test_what_is_asked_of_them_and_exported_is_in_what_they_agree_to(study, own_text):
    """Whoever wrote the text: nobody answers a required question, to be published, that the consent did not name."""
    set_questions(QUESTIONS)
    Study.objects.update(consent=own_text)
    study.memberships.experts().update(owes_consent=True)
    shown = signed_in("expert0@example.org").get(f"{STUDY}profile/").json()
    assert len(shown["questions"]) == 2
    for question in shown["questions"]:
        assert f"<li>{question['label']}</li>" in shown["consent"]["html"]


def test_who_agreed_to_an_earlier_text_is_asked_again_before_the_next_text_and_loses_nothing(study):
    """As after a change of a draft, or where a later version of the app saves or says something else."""
    email = "expert0@example.org"
    user, browser = User.objects.get(email=email), signed_in(email)
    store_consent(study=study, user=user, version=version_of(consent_text(study)))
    before = Consent.objects.get()
    plan_and_open(study)
    assignment = taken(user)
    Study.objects.update(consent="Something else is saved, too.")
    assert answer(assignment), "what was begun is stored"
    waiting = browser.post(f"{STUDY}next/").json()
    assert (waiting["assignment"], waiting["finished"]) == (None, "asked_first")
    shown = browser.get(f"{STUDY}profile/").json()["consent"]
    assert shown["agreed_at"] == moment(before.at)
    refused = say({})
    assert (refused.status_code, refused.json()["code"]) == (400, "consent_missing")
    assert Consent.objects.get() == before, "nobody counts as having agreed to what they did not read"

    agreed = browser.put(
        f"{STUDY}profile/", {"answers": {}, "consent": shown["version"]}, content_type="application/json"
    )
    assert agreed.json()["consent"] is None
    assert Consent.objects.count() == 2
    assert browser.post(f"{STUDY}next/").json()["assignment"]["token"] == str(assignment.token)


def test_who_never_had_to_agree_is_not_asked_when_the_text_changes(study):
    """Experts whom the operator or a simulation put there."""
    plan_and_open(study)
    Study.objects.update(consent="Something else is saved, too.")
    assert signed_in("expert0@example.org").post(f"{STUDY}next/").json()["assignment"] is not None


@pytest.mark.parametrize("format_name", ["csv", "jsonl", "parquet"])
def test_a_table_has_a_column_for_each_question(study, format_name):
    set_questions(QUESTIONS)
    say(ANSWERS)
    plan_and_open(study)
    complete(taken(User.objects.get(email="expert0@example.org")))
    files = written(Study.objects.get(), format_name)
    schema = json.loads(files["responses.schema.json"])
    assert schema["properties"]["profile_years_of_experience"]["type"] == ["number", "null"]
    assert b"`profile_specialism`" in files["dictionary.md"]
    if format_name == "jsonl":
        (row,) = lines(files["responses.jsonl"])
        assert (row["profile_specialism"], row["profile_years_of_experience"]) == ("Criminal law", 7.0)
    if format_name == "csv":
        header, row = files["responses.csv"].decode().splitlines()
        assert header.endswith("profile_specialism,profile_years_of_experience")
        assert row.endswith("Criminal law,7.0")
