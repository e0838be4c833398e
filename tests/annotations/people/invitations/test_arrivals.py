"""A link works once, in time, for its address; consent, account and membership come together or not at all."""

from datetime import timedelta
from functools import partial

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotations.designing.lifecycle import AlreadyMember, add_member
from annotations.ground.errors import NotFound
from annotations.models import (
    Consent,
    Event,
    EventKind,
    Instance,
    Invitation,
    InvitationState,
    Membership,
    Role,
    Study,
    User,
)
from annotations.people.invitations import arrivals, inviting
from annotations.people.invitations.declarations import ConsentChanged, ConsentMissing
from annotations.people.invitations.inviting import BeyondYou
from annotations.people.invitations.links import Issued, address_of, digest_of, letter
from annotations.people.membership.addresses import BadAddresses, read_addresses
from annotations.shown.consent import consent_text, version_of
from tests.annotations.answering.test_assigning import run_at_once
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_member, make_study

pytestmark = pytest.mark.django_db
PASSWORD = "violets and rain 17"
ERIN = "erin@example.org"


@pytest.fixture
def study() -> Study:
    return make_study()


@pytest.fixture
def admin(study: Study) -> User:
    return make_member(study, Role.ADMIN, "ada@example.org", PASSWORD, name="Ada").user


def invite(study: Study, email: str = ERIN, *, role: Role = Role.EXPERT, **more: object) -> Issued:
    return inviting.invite(study=study, addresses=read_addresses(email), role=role, **more)[0]


def agreed(study: Study) -> str:
    return version_of(consent_text(study))


def accept(issued: Issued, study: Study, **changes: object) -> arrivals.Arrived:
    return arrivals.accept(**{"token": issued.token, "password": PASSWORD, "consent": agreed(study), **changes})


def acts() -> list[str]:
    return list(Event.objects.order_by("pk").values_list("kind", flat=True))


# -- the link


def test_a_link_makes_account_consent_and_membership_at_once(study, admin):
    arrived = accept(invite(study, actor=admin), study)
    assert arrived.user.check_password(PASSWORD)
    assert (arrived.membership.role, arrived.membership.study) == (Role.EXPERT, study)
    consent = Consent.objects.get()
    assert (consent.user, consent.text, consent.version) == (arrived.user, consent_text(study), agreed(study))
    invitation = Invitation.objects.get()
    assert (invitation.state(), invitation.user) == (InvitationState.USED, arrived.user)
    assert acts()[-4:] == ["invited", "consented", "member_added", "invitation_accepted"]


def test_the_database_knows_no_link_but_only_its_digest(study, admin):
    issued = invite(study, actor=admin)
    accept(issued, study)
    stored = str(list(Invitation.objects.values())) + str(list(Event.objects.values()))
    assert issued.token not in stored
    assert Invitation.objects.get().digest == digest_of(issued.token)
    assert len(issued.token) >= 43


def test_the_token_stands_where_browsers_never_send_it(study):
    issued = invite(study)
    assert address_of(issued.token).split("#")[1] == issued.token


def test_a_used_expired_or_revoked_link_says_so_and_does_nothing(study, admin):
    used, late, revoked = (invite(study, f"{name}@example.org") for name in ("used", "late", "revoked"))
    accept(used, study)
    Invitation.objects.filter(pk=late.invitation.pk).update(
        created_at=timezone.now() - timedelta(days=15), expires_at=timezone.now() - timedelta(seconds=1)
    )
    inviting.revoke(invitation=revoked.invitation, actor=admin)
    people = User.objects.count()
    for issued, error in (
        (used, arrivals.LinkUsed),
        (late, arrivals.LinkExpired),
        (revoked, arrivals.LinkRevoked),
        (Issued(used.invitation, "x" * 43), arrivals.UnknownLink),
    ):
        with pytest.raises(error):
            arrivals.find(issued.token)
        with pytest.raises(error):
            accept(issued, study)
    assert User.objects.count() == people


def test_a_link_expires_after_the_days_that_were_said(study, settings):
    settings.INVITATION_DAYS = 14
    for email, days, expected in (("a@example.org", None, 14), ("b@example.org", 3, 3)):
        invitation = invite(study, email, days=days).invitation
        assert invitation.expires_at - invitation.created_at == timedelta(days=expected)


def test_a_new_link_takes_the_place_of_the_old_one(study, admin):
    old = invite(study)
    new = inviting.replace(invitation=old.invitation, actor=admin)
    with pytest.raises(arrivals.LinkRevoked):
        arrivals.find(old.token)
    assert accept(new, study).user.email == ERIN
    with pytest.raises(inviting.NotWaiting):
        inviting.replace(invitation=new.invitation, actor=admin)
    with pytest.raises(inviting.NotWaiting):
        inviting.revoke(invitation=new.invitation, actor=admin)


def test_the_database_refuses_two_links_for_one_address_and_a_second_use(study):
    invitation = invite(study).invitation
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.create(
            study=study, email=ERIN, role="expert", digest="0", expires_at=timezone.now() + timedelta(days=1)
        )
    invitation.used_at, invitation.user = timezone.now(), User.objects.create_user(ERIN)
    invitation.save()
    for change in ({"used_at": None}, {"used_at": timezone.now()}, {"revoked_at": timezone.now()}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Invitation.objects.filter(pk=invitation.pk).update(**change)


def test_the_database_never_changes_a_consent(study):
    accept(invite(study), study)
    with pytest.raises(IntegrityError), transaction.atomic():
        Consent.objects.update(text="I agree to everything.")


@pytest.mark.django_db(transaction=True)
def test_one_link_used_by_many_at_once_lets_one_in():
    study = make_study()
    issued = invite(study)

    def use(number: int) -> object:
        try:
            return accept(issued, study, password=f"{PASSWORD} {number}")
        except arrivals.LinkUsed:
            return None

    arrived = [one for one in run_at_once([partial(use, number) for number in range(8)]) if one]
    assert len(arrived) == 1
    assert (User.objects.count(), Consent.objects.count(), Membership.objects.count()) == (1, 1, 1)
    assert acts().count("invitation_accepted") == 1


@pytest.mark.django_db(transaction=True)
def test_an_address_invited_many_times_at_once_has_one_link():
    study = make_study()

    def make() -> object:
        try:
            return invite(study)
        except BadAddresses:
            return None

    made = [one for one in run_at_once([make] * 6) if one]
    assert len(made) == 1
    assert Invitation.objects.unsettled().count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_link_is_either_used_or_revoked_when_both_happen_at_once():
    study = make_study()
    for number in range(4):
        issued = invite(study, f"somebody{number}@example.org")

        def either(act, error) -> object:
            try:
                return act()
            except error:
                return None

        done = run_at_once(
            [
                partial(either, partial(accept, issued, study), arrivals.LinkRevoked),
                partial(either, partial(inviting.revoke, invitation=issued.invitation), inviting.NotWaiting),
            ]
        )
        assert sum(one is not None for one in done) == 1
        member = Membership.objects.filter(user__email=issued.invitation.email)
        assert member.exists() == (done[0] is not None)


@pytest.mark.django_db(transaction=True)
def test_two_studies_that_invite_one_new_person_make_one_account():
    first = make_study()
    second = make_study(dataset=first.dataset, slug="other")
    links = [(invite(study), study) for study in (first, second)]

    def use(issued: Issued, study: Study) -> object:
        try:
            return accept(issued, study)
        except arrivals.NeedsSignIn:
            return None

    arrived = run_at_once([partial(use, *link) for link in links])
    assert User.objects.count() == 1
    assert Membership.objects.count() == sum(one is not None for one in arrived) >= 1


# -- whose it is


def test_who_has_an_account_must_prove_it_and_keeps_its_password(study):
    erin = User.objects.create_user(ERIN, "the password of Erin")
    issued = invite(study)
    assert arrivals.account_of(issued.invitation) == erin
    with pytest.raises(arrivals.NeedsSignIn):
        accept(issued, study)
    assert accept(issued, study, signed_in=erin).user == erin
    erin.refresh_from_db()
    assert erin.check_password("the password of Erin")


def test_somebody_else_cannot_use_a_link(study, make_user):
    with pytest.raises(arrivals.WrongPerson):
        accept(invite(study), study, signed_in=make_user("other@example.org"))
    assert not Membership.objects.exists()


def test_a_closed_account_stays_closed(study):
    User.objects.create_user(ERIN, is_active=False)
    with pytest.raises(arrivals.NeedsSignIn):
        accept(invite(study), study)


def test_an_account_without_a_password_gets_one_only_from_who_administers_all_that_it_opens(study, admin):
    erin = User.objects.create_user(ERIN)
    other = make_study(dataset=make_dataset(slug="of-other-texts"), slug="other")
    add_member(study=other, user=erin, role=Role.RESEARCHER)
    issued = invite(study, actor=admin)
    with pytest.raises(BeyondYou):
        accept(issued, study)
    add_member(study=other, user=admin, role=Role.ADMIN)
    assert accept(issued, study).user == erin


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("", "too short. It needs at least 10 characters"),
        (None, "too short"),
        ("short", "too short"),
        ("password123", "Many people use this password"),
        ("erin@example.org", "too much like your e-mail address"),
    ],
)
def test_a_weak_password_is_refused_with_its_reasons_and_leaves_nothing(study, password, reason):
    issued = invite(study)
    with pytest.raises(arrivals.WeakPassword) as refused:
        accept(issued, study, password=password)
    assert reason in " ".join(refused.value.data["password"])
    assert not User.objects.exists()
    assert arrivals.find(issued.token)


def test_who_left_is_back_with_what_they_did_and_another_role_is_refused(study):
    erin = User.objects.create_user(ERIN, PASSWORD)
    member = add_member(study=study, user=erin, role=Role.EXPERT)
    Membership.objects.update(is_active=False)
    with pytest.raises(AlreadyMember):
        accept(invite(study, role=Role.ADMIN), study, signed_in=erin)
    inviting.revoke(invitation=Invitation.objects.get())
    assert accept(invite(study), study, signed_in=erin).membership == member
    member.refresh_from_db()
    assert member.is_active


# -- consent


def test_no_expert_without_consent_to_the_text_as_it_stands(study):
    issued = invite(study)
    for consent in (None, ""):
        with pytest.raises(ConsentMissing):
            accept(issued, study, consent=consent)
    before = agreed(study)
    Study.objects.update(consent="You will read **confidential** texts.")
    with pytest.raises(ConsentChanged):
        accept(issued, study, consent=before)
    assert not User.objects.exists()
    study.refresh_from_db()
    accept(issued, study)
    text = Consent.objects.get().text
    assert text == consent_text(study)
    assert text.startswith("You will read **confidential** texts.\n\n")


def test_researchers_and_admins_take_no_part_and_consent_to_nothing(study):
    accept(invite(study, role=Role.RESEARCHER), study, consent=None)
    assert not Consent.objects.exists()


@pytest.mark.parametrize(
    ("language", "word"), [("en", "voluntary"), ("de", "freiwillig"), ("ar", "طوعية"), ("xx", "voluntary")]
)
def test_the_consent_that_comes_with_the_app_is_in_the_studys_language(language, word):
    dataset = make_dataset()
    Instance.objects.update(language=language)
    assert word in consent_text(make_study(dataset=dataset))


# -- lists of addresses


def test_a_pasted_list_is_invited_whole(study):
    pasted = 'Erin Expert <Erin@Example.org>\nbob@example.org; "Carl, von" <carl@example.org>\n\n bob@example.org,'
    emails = [line.email for line in read_addresses(pasted) if not line.reason]
    assert emails == ["Erin@Example.org", "bob@example.org", "carl@example.org"]


def test_one_bad_line_invites_nobody_and_is_named(study):
    add_member(study=study, user=User.objects.create_user("member@example.org"), role=Role.EXPERT)
    invite(study, "waits@example.org")
    pasted = "good@example.org\nno address\nmember@example.org\nWAITS@example.org"
    with pytest.raises(BadAddresses) as refused:
        inviting.invite(study=study, addresses=read_addresses(pasted), role=Role.EXPERT)
    assert [(one["line"], one["value"]) for one in refused.value.data["lines"]] == [
        (2, "no address"),
        (3, "member@example.org"),
        (4, "WAITS@example.org"),
    ]
    assert Invitation.objects.count() == 1


def test_an_expired_invitation_gives_way_to_a_new_one(study):
    old = invite(study)
    Invitation.objects.update(
        created_at=timezone.now() - timedelta(days=20), expires_at=timezone.now() - timedelta(days=6)
    )
    accept(invite(study), study)
    with pytest.raises(arrivals.LinkRevoked):
        arrivals.find(old.token)


# -- a new password


@pytest.fixture
def erin(study: Study) -> Membership:
    return add_member(study=study, user=User.objects.create_user(ERIN, "forgotten and gone"), role=Role.EXPERT)


def test_a_new_access_link_sets_a_new_password_and_asks_for_nothing_else(study, admin, erin):
    issued = inviting.renew_access(member=erin, actor=admin)
    assert erin.user.check_password("forgotten and gone")  # nothing changes until it is used
    arrived = arrivals.accept(token=issued.token, password=PASSWORD)
    assert (arrived.user, arrived.membership) == (erin.user, erin)
    assert arrived.user.check_password(PASSWORD)
    assert EventKind.ACCESS_RENEWED in acts()
    with pytest.raises(arrivals.LinkUsed):
        arrivals.accept(token=issued.token, password=PASSWORD)


def test_a_second_access_link_ends_the_first_and_using_one_ends_those_of_other_studies(study, admin, erin):
    other = make_study(dataset=study.dataset, slug="other")
    add_member(study=other, user=admin, role=Role.ADMIN)
    there = inviting.renew_access(member=add_member(study=other, user=erin.user, role=Role.EXPERT), actor=admin)
    first, second = (inviting.renew_access(member=erin, actor=admin) for _ in range(2))
    arrivals.accept(token=second.token, password=PASSWORD)
    for link in (first, there):
        with pytest.raises(arrivals.LinkRevoked):
            arrivals.accept(token=link.token, password=PASSWORD)


def test_an_access_link_is_no_way_to_become_somebody_with_more_rights(study, admin, erin):
    def refused(member: Membership) -> None:
        with pytest.raises(BeyondYou):
            inviting.renew_access(member=member, actor=admin)

    boss = add_member(study=study, user=User.objects.create_superuser("boss@example.org"), role=Role.RESEARCHER)
    refused(boss)
    peer = add_member(study=study, user=User.objects.create_user("peer@example.org"), role=Role.ADMIN)
    refused(peer)
    foreign = make_study(dataset=study.dataset, slug="foreign")
    in_time = inviting.renew_access(member=erin, actor=admin)
    add_member(study=foreign, user=erin.user, role=Role.EXPERT)
    refused(erin)
    with pytest.raises(BeyondYou):  # also where the rights came after the link
        arrivals.accept(token=in_time.token, password=PASSWORD)
    assert inviting.renew_access(member=peer)  # the operator may


def test_simulated_and_former_members_get_no_access(study, admin, erin):
    Membership.objects.filter(pk=erin.pk).update(is_active=False)
    erin.refresh_from_db()
    with pytest.raises(NotFound):
        inviting.renew_access(member=erin, actor=admin)


# -- what the admin sends


@pytest.mark.parametrize(("language", "subject"), [("en", "Invitation: A study"), ("de", "Einladung: A study")])
def test_the_message_is_in_the_studys_language_and_holds_the_link(language, subject):
    dataset = make_dataset()
    Instance.objects.update(language=language)
    issued = invite(make_study(dataset=dataset))
    found, text = letter(issued.invitation, issued.token)
    assert found == subject
    assert address_of(issued.token) in text
    assert ERIN in text


def test_a_title_with_braces_breaks_no_message(study):
    Study.objects.update(title="{link} {0} {nothing}")
    study.refresh_from_db()
    issued = invite(study)
    assert "“{link} {0} {nothing}”" in letter(issued.invitation, issued.token)[1]


def test_the_commands_print_messages_to_send(study, erin, capsys, tmp_path):
    (tmp_path / "list.txt").write_text("a@example.org\nb@example.org\n")
    call_command("invite", "study", "c@example.org", "--from", str(tmp_path / "list.txt"), "--days", "5")
    printed = capsys.readouterr().out
    assert printed.count("/invitation#") == 3
    assert "To: b@example.org\nSubject: Invitation: A study" in printed
    with pytest.raises(CommandError, match=r"\bnobody "):
        call_command("invite", "study", "nobody")
    call_command("renew_access", "study", ERIN)
    link = capsys.readouterr().out.split("/invitation#")[1].split()[0]
    assert arrivals.accept(token=link, password=PASSWORD).user == erin.user
