"""An address has one spelling. No look-alike of it is that address, and guesses under all spellings count together."""

import string
import sys
import unicodedata
from functools import cache

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from annotations.models import Invitation, LinkPurpose, Role, User
from annotations.people.invitations import inviting
from annotations.people.membership.addresses import BadAddresses, read_addresses
from annotations.people.membership.members import add_by_email
from annotations.storing.mail_addresses import is_address, normalised
from tests.annotations.api.people.test_session import sign_in
from tests.conftest import Tried
from tests.worlds.studies import make_study

LETTERS = set(string.ascii_letters)


@cache
def confusables() -> dict[str, str]:
    """Every character beyond ASCII that some folding makes one ASCII letter, and that letter."""
    found = {}
    for code in range(128, sys.maxunicode + 1):
        one = chr(code)
        forms = (one.lower(), one.upper(), one.casefold(), *(unicodedata.normalize(n, one) for n in ("NFKC", "NFC")))
        touched = [form for form in (*forms, unicodedata.normalize("NFKC", one).casefold()) if form in LETTERS]
        if touched:
            found[one] = touched[0].lower()
    return found


def test_the_known_look_alikes_are_among_those_tried() -> None:
    assert {"\u0131": "i", "\u017f": "s", "\u212a": "k", "\uff49": "i"}.items() <= confusables().items()
    assert len(confusables()) > 800


def test_no_look_alike_before_the_at_is_the_letter_or_an_address_to_invite(tried: Tried) -> None:
    tried(len(confusables()), "look-alike characters")
    same = {one for one, letter in confusables().items() if normalised(f"{one}@example.org")[0] == letter}
    # The Kelvin sign is the letter K by Unicode's own definition (they are canonically equivalent).
    assert same == {"\u212a"}
    assert not [one for one in confusables() if is_address(f"a{one}@example.org")]


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_normalised_spelling_is_its_own(local: str, domain: str) -> None:
    once = normalised(f"{local}@{domain}")
    assert normalised(once) == once


def test_a_domain_is_the_one_that_would_be_asked_for() -> None:
    spelled = ("a@Bücher.example", "a@bu\u0308cher.example", "a@xn--bcher-kva.example.", "A@bücher\u3002EXAMPLE")
    assert {normalised(one) for one in spelled} == {"a@xn--bcher-kva.example"}
    # Two domains, for which older libraries (IDNA 2003) ask at one place.
    assert normalised("a@straße.example") != normalised("a@strasse.example")


@pytest.mark.django_db
def test_no_look_alike_finds_signs_in_or_doubles_an_account() -> None:
    """With the four letters that databases and patterns fold, everywhere that takes an address."""
    user = User.objects.create_user("misk@example.org", "a long password")
    for one, letter in confusables().items():
        if letter in "misk" and one != "\u212a":
            assert User.objects.at("misk@example.org".replace(letter, one, 1)) is None
    for near in ("m\u0131sk@example.org", "mi\u017fk@example.org", "M\u0130SK@example.org"):
        assert sign_in(Client(), near).json()["code"] == "bad_login"
        with pytest.raises(User.DoesNotExist):
            User.objects.get_by_natural_key(near)
        with pytest.raises(BadAddresses):
            inviting.invite_here(addresses=read_addresses(near), rights=inviting.Rights(may_import=True))
    assert User.objects.at(" MISK@Example.org ") == User.objects.get_by_natural_key("MIS\u212a@EXAMPLE.org") == user
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("Misk@EXAMPLE.org")


@pytest.mark.django_db
def test_guesses_under_all_spellings_count_against_one_account(tried: Tried) -> None:
    User.objects.create_user("misk@bücher.example", "a long password")
    spelled = ("misk@bücher.example", "MISK@xn--bcher-kva.example", "Mis\u212a@BÜCHER.example.", " misk@Bücher.example")
    codes = [sign_in(Client(), spelled[n % 4], password=f"wrong {n}").json()["code"] for n in range(11)]
    tried(len(codes), "wrong passwords under four spellings")
    assert codes[-1] == "locked_out"
    assert {sign_in(Client(), one).json()["code"] for one in spelled} == {"locked_out"}


@pytest.mark.django_db
def test_a_look_alike_opens_no_way_past_a_lockout() -> None:
    User.objects.create_user("misk@example.org", "a long password")
    for n in range(11):
        sign_in(Client(), "misk@example.org", password=f"wrong {n}")
    for near in ("m\u0131sk@example.org", "mi\u017fk@example.org", "MIS\u212a@example.org"):
        assert sign_in(Client(), near).status_code in {400, 429}


@pytest.mark.django_db
def test_the_spelling_given_is_kept_for_mails_and_found_by_any_other() -> None:
    study = make_study()
    (issued,) = inviting.invite(study=study, addresses=read_addresses("Erin@Example.org"), role=Role.EXPERT)
    assert (issued.invitation.email, issued.invitation.address) == ("Erin@Example.org", "erin@example.org")
    with pytest.raises(BadAddresses):
        inviting.invite(study=study, addresses=read_addresses("ERIN@example.org"), role=Role.EXPERT)
    member = add_by_email(study=study, email="Ann@Example.org", role=Role.RESEARCHER)
    assert (
        add_by_email(
            study=make_study(dataset=study.dataset, slug="next"), email="ann@EXAMPLE.org", role=Role.ADMIN
        ).user
        == member.user
    )
    assert member.user.email == "Ann@Example.org"


@pytest.mark.django_db
def test_a_changed_address_changes_its_spelling_too() -> None:
    user = User.objects.create_user("erin@example.org")
    user.email = "New@Example.org"
    user.save(update_fields=["email"])
    user.refresh_from_db()
    assert user.address == "new@example.org"


@pytest.mark.django_db
def test_of_one_address_one_invitation_is_open() -> None:
    (issued,) = inviting.invite_here(
        addresses=read_addresses("Erin@Example.org"), rights=inviting.Rights(may_create=True)
    )
    row = issued.invitation
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.create(
            purpose=LinkPurpose.ARRIVE, email="erin@EXAMPLE.org", digest="0" * 64, expires_at=row.expires_at
        )
