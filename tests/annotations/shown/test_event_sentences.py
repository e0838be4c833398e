"""The event log reads as sentences, whatever the act, and tells no text, no answer and no secret."""

import re

import pytest

from annotations.designing.lifecycle import change_state
from annotations.exporting.exports import export_responses
from annotations.history import events
from annotations.models import Event, EventKind, StudyState, User
from annotations.people.access import tokens
from annotations.people.invitations import inviting
from annotations.people.membership.addresses import read_addresses
from annotations.shown.event_sentences import COUNTED, PLAIN, SENTENCES, sentence_of
from annotations.shown.people import ShownPeople
from tests.worlds.full import make_full_study

ADA = User(name="Ada", email="ada@example.org")


def told(kind, **data):
    return sentence_of(Event(kind=kind, actor=ADA, subject="areas", data=data), ShownPeople(to=None))


def test_every_act_has_a_sentence():
    assert {*PLAIN, *COUNTED, *SENTENCES} == set(EventKind)


@pytest.mark.parametrize("data", [{}, {"what": "predictions", "systems": ["A"], "expert": 3, "experts": [1, 2]}])
def test_every_sentence_is_plain_whatever_an_earlier_version_wrote(data):
    sentences = {kind: told(kind, **data) for kind in EventKind}
    plain = re.compile(r"(?!.*(_|None|  ))[A-Z“].+[^.\s]\.")
    assert {kind: sentence for kind, sentence in sentences.items() if not plain.fullmatch(sentence)} == {}


@pytest.mark.parametrize(
    ("kind", "data", "sentence"),
    [
        (
            EventKind.INVITED,
            {"email": "erin@example.org", "role": "expert"},
            "Ada invited erin@example.org as an expert.",
        ),
        (
            EventKind.PLANNED,
            {"comparisons": 120, "experts_per_comparison": 4},
            "Ada planned the study: 120 comparisons, 4 experts each.",
        ),
        (EventKind.STATE_CHANGED, {"before": "draft", "after": "open"}, "Ada opened the study."),
        (EventKind.STATE_CHANGED, {"before": "paused", "after": "open"}, "Ada reopened the study."),
        (
            EventKind.MEMBER_LEFT,
            {"number": 3, "themselves": True, "answers_left_out": False},
            "Ada left the study: their answers stay in the study.",
        ),
        (
            EventKind.MEMBER_LEFT,
            {"number": 3, "answers_left_out": True},
            "Ada removed person 3 from the study: their answers are excluded from results.",
        ),
        (EventKind.REMINDED, {"who": "waiting", "people": 1}, "Ada sent a reminder to 1 person."),
        (
            EventKind.TOLD,
            {"what": "completed", "failed": "", "people": 3, "webhook": True},
            "Ada notified 3 people and the webhook: all answers have been collected.",
        ),
        (
            EventKind.TOLD,
            {"what": "failed", "failed": "analysis", "people": 0, "webhook": True},
            "Ada notified the webhook: an analysis failed.",
        ),
        (EventKind.ASSIGNED, {"expert": 3, "assignments": 1}, "Ada assigned 1 place to expert 3."),
        (EventKind.ASSIGNED, {"act": "take_back", "assignments": 12}, "Ada unassigned 12 places."),
        (
            EventKind.EXPORTED,
            {"format": "jsonl", "filters": {"identified": True}},
            "Ada exported answers: JSON lines, with names and e-mail addresses.",
        ),
        (
            EventKind.UNBLINDED_VIEW,
            {"what": "export as csv"},
            "Ada viewed unblinded data before the study closed: export as CSV.",
        ),
        (
            EventKind.SETTINGS_CHANGED,
            {"settings": ["title", "question_labels", "c", "d", "e", "f", "g"]},
            "Ada changed settings of the study: title, question of step 1, c, d, e and 2 more.",
        ),
    ],
)
def test_it_says_who_did_what(kind, data, sentence):
    assert told(kind, **data) == sentence


def test_what_nobody_did_was_done_by_the_server():
    event = Event(kind=EventKind.SIMULATED, data={"responses": 2})
    assert sentence_of(event, ShownPeople(to=None)) == "The server simulated 2 answers."


@pytest.mark.django_db
def test_somebody_whose_account_is_gone_is_not_named():
    event = Event(kind=EventKind.STUDY_CREATED, actor_id=987654)
    assert (sentence_of(event, ShownPeople(to=None)), event.actor_email) == ("A former account created the study.", "")


@pytest.mark.django_db
def test_no_text_and_no_secret_is_in_what_was_done_for_real():
    study = make_full_study()
    ada = User.objects.create_superuser("ada@example.org", "a long password")
    issued = inviting.invite(study=study, addresses=read_addresses("new@example.org"), role="expert", actor=ada)
    secret = tokens.make(user=ada, name="my notebook").secret
    export_responses(study=study, format_name="csv", actor=ada)
    change_state(study=study, to=StudyState.CLOSED, actor=ada)
    events.record(EventKind.REPORTED, actor=ada, study=study, reason="other", skipped=True)
    log = events.with_invited(list(Event.objects.select_related("actor")))
    everything = " ".join(sentence_of(event, ShownPeople(to=None)) for event in log)
    assert "new@example.org" in everything
    for forbidden in (issued[0].token, secret, "A text of law", "my notebook"):
        assert forbidden not in everything
