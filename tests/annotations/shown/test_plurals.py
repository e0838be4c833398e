"""Sentences with numbers are said in every language's own forms, whatever a value looks like."""

import pytest
from django.conf import settings
from django.utils import translation

from annotations.ground.messages import FORMS
from annotations.models import Event, EventKind
from annotations.shown.event_sentences import sentence_of
from annotations.shown.people import ShownPeople
from annotations.shown.plurals import filled, in_percent, one_decimal, with_and, with_commas, written

PLACES = "{number, plural, one {# place} other {# places}}"


def test_every_language_of_the_interface_says_which_form_a_number_takes() -> None:
    assert set(FORMS) == {code for code, _name in settings.LANGUAGES}


@pytest.mark.parametrize(
    ("language", "number", "said"),
    [
        ("en", 1, "1 place"),
        ("en", 1200, "1,200 places"),
        ("de", 1, "1 Platz"),
        ("de", 1200, "1.200 Plätze"),
        ("ar", 0, "لا مواضع"),
        ("ar", 1, "موضع واحد"),
        ("ar", 2, "موضعان"),
        ("ar", 7, "7 مواضع"),
        ("ar", 1211, "1,211 موضعًا"),
        ("ar", 100, "100 موضع"),
    ],
)
def test_a_number_takes_its_form(language: str, number: int, said: str) -> None:
    with translation.override(language):
        assert filled(translation.gettext(PLACES), number=number) == said


@pytest.mark.parametrize(("language", "said"), [("en", "4.3"), ("de", "4,3"), ("ar", "4.3")])
def test_a_decimal_is_written_as_the_pages_write_it(language: str, said: str) -> None:
    with translation.override(language):
        assert one_decimal(4.26) == said


def test_a_value_that_looks_like_a_placeholder_is_left_alone() -> None:
    assert (
        filled("{who}: {n, plural, one {#} other {# of {all, number}}}", who="{n}", n=2, all=3000) == "{n}: 2 of 3,000"
    )


def test_a_missing_value_and_a_count_that_is_no_number_are_errors() -> None:
    with pytest.raises(KeyError):
        filled("{who} left")
    with pytest.raises(TypeError, match="whole number"):
        filled(PLACES, number="3")


@pytest.mark.parametrize(
    ("language", "share", "thousands", "commas", "conjunction"),
    [
        ("en", "35%", "1,234", "a, b", "a and b"),
        ("de", "35 %", "1.234", "a, b", "a und b"),
        ("ar", "35%", "1,234", "a، b", "a وb"),
    ],
)
def test_shares_numbers_and_lists_are_written_as_the_reader_does(
    language: str, share: str, thousands: str, commas: str, conjunction: str
) -> None:
    with translation.override(language):
        assert (in_percent(0.346), written(1234)) == (share, thousands)
        assert (with_commas(["a", "", "b"]), with_and(["a", "b"])) == (commas, conjunction)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "The server assigned 3 places to expert 2."),
        ("de", "Der Server hat 3 Plätze an Fachperson 2 zugewiesen."),
        ("ar", "الخادم: إسناد 3 مواضع إلى الخبير 2."),
    ],
)
def test_an_event_is_told_in_the_language_of_its_reader(language: str, said: str) -> None:
    with translation.override(language):
        assert (
            sentence_of(Event(kind=EventKind.ASSIGNED, data={"assignments": 3, "expert": 2}), ShownPeople(to=None))
            == said
        )


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_no_event_leaves_a_placeholder_open_in_any_language(language: str) -> None:
    data = {"what": "predictions", "systems": ["A"], "places": 3, "people": 2, "votes": 5, "days": 1, "expert": 3}
    events = [Event(kind=kind, subject="areas", data=known) for kind in EventKind for known in ({}, data)]
    with translation.override(language):
        sentences = [(event.kind, sentence_of(event, ShownPeople(to=None))) for event in events]
    assert [(kind, sentence) for kind, sentence in sentences if set("{}#") & set(sentence)] == []
