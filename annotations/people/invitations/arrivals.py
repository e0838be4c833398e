"""Let people in who follow a link: consent, a password and membership, all at once and only once."""

from dataclasses import dataclass

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.errors import Conflict, HLVError
from annotations.history import events
from annotations.models import (
    EventKind,
    FurtherLink,
    Invitation,
    InvitationState,
    LinkPurpose,
    Membership,
    Role,
    Study,
    User,
)
from annotations.people.access import tokens
from annotations.people.access.roles import give_invited
from annotations.people.invitations.declarations import store_consent
from annotations.people.invitations.inviting import BeyondYou, beyond
from annotations.people.invitations.links import digest_of
from annotations.people.membership.members import take_in


class UnknownLink(HLVError):
    """No invitation has this token."""

    status = 404


class LinkUsed(Conflict):
    """The link has already been used."""


class LinkExpired(Conflict):
    """The link has expired."""


class LinkRevoked(Conflict):
    """The link was revoked or replaced."""


class WrongPerson(Conflict):
    """Somebody else is signed in."""


class NeedsSignIn(Conflict):
    """The address has an account, whose password is needed to accept."""


class WeakPassword(HLVError):
    """The password is too weak; `data["password"]` says why."""

    code = "invalid"


ENDED: dict[InvitationState, tuple[type[Conflict], str]] = {
    InvitationState.USED: (
        LinkUsed,
        gettext_noop("This link has been used. Please sign in with your e-mail address and password."),
    ),
    InvitationState.EXPIRED: (
        LinkExpired,
        gettext_noop("This link has expired. Please ask the person who sent it for a new one."),
    ),
    InvitationState.REVOKED: (
        LinkRevoked,
        gettext_noop(
            "This link is no longer valid. If you received a newer one, use that; otherwise ask the person who sent it."
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Arrived:
    """The person who has arrived. `user` may be signed in: they have just proved who they are."""

    user: User
    membership: Membership | None
    """None: the link was to the installation, not to a study."""


def find(token: str) -> Invitation:
    """The open invitation with this token.

    Raises:
        UnknownLink, LinkUsed, LinkExpired, LinkRevoked.
    """
    invitation = Invitation.objects.select_related("study", "created_by").filter(_opened_by(token)).first()
    if invitation is None:
        raise UnknownLink(_("This is not a valid link. Please copy the whole link from your message."))
    _refuse_ended(invitation.state())
    return invitation


def account_of(invitation: Invitation) -> User | None:
    """The account with a password that this address already has; its owner signs in instead of choosing one."""
    if invitation.purpose == LinkPurpose.ACCESS:
        return None
    user = User.objects.filter(address=invitation.address).first()
    return user if user is not None and (user.has_usable_password() or not user.is_active) else None


@transaction.atomic
def accept(
    *, token: str, signed_in: User | None = None, password: str | None = None, consent: str | None = None
) -> Arrived:
    """Use an invitation: account, consent, and membership are stored together, and the link is used up.

    Args:
        signed_in: the user, if they have proved who they are by session or password.
        password: the one chosen by people who have none yet or have lost it.
        consent: the version of the consent text that an expert agreed to.

    Raises:
        what `find` raises; WrongPerson, NeedsSignIn, WeakPassword, BeyondYou; what `store_consent` raises;
        AlreadyMember: the person already has another role in the study.
    """
    invitation = _lock(token)
    member: Membership | None
    if signed_in is not None and signed_in.address != invitation.address:
        raise WrongPerson(
            _("You are signed in as {this}, and this link is for {other}.").format(
                this=signed_in.email, other=invitation.email
            )
        )
    if invitation.purpose == LinkPurpose.ACCESS:
        user, member = _renew(invitation, password)
    else:
        user = _account(invitation, signed_in, password)
        member = _join(invitation, user, consent)
        give_invited(invitation=invitation, user=user)
        events.record(EventKind.INVITATION_ACCEPTED, actor=user, study=invitation.study, invitation=str(invitation.pk))
    invitation.user = user
    invitation.used_at = timezone.now()
    invitation.save(update_fields=["user", "used_at"])
    return Arrived(user, member)


def _opened_by(token: str) -> Q:
    """Invitations with this token in their first link, or in one mailed later."""
    digest = digest_of(token)
    return Q(digest=digest) | Q(pk__in=FurtherLink.objects.filter(digest=digest).values("invitation"))


def _lock(token: str) -> Invitation:
    """Lock the study first, then the invitation, as ending one does; then check it again."""
    study_id = find(token).study_id
    if study_id is not None:
        Study.objects.select_for_update().get(pk=study_id)
    invitation = (
        Invitation.objects.select_for_update(of=("self",)).select_related("study", "created_by").get(_opened_by(token))
    )
    _refuse_ended(invitation.state())
    return invitation


def _join(invitation: Invitation, user: User, consent: str | None) -> Membership | None:
    """Make the person a member of the study, if the link is to one; experts with their consent."""
    study = invitation.study
    if study is None:
        return None
    if invitation.role == Role.EXPERT:
        store_consent(study=study, user=user, version=consent)
    return take_in(study=study, user=user, role=Role(invitation.role), actor=invitation.created_by or user)


def _refuse_ended(state: InvitationState) -> None:
    if state in ENDED:
        refusal, sentence = ENDED[state]
        raise refusal(translation.gettext(sentence))


def _account(invitation: Invitation, signed_in: User | None, password: str | None) -> User:
    """The person's account, created if there is none."""
    user = User.objects.select_for_update().filter(address=invitation.address).first()
    if user is None:
        must_do(password, User(email=invitation.email))
        try:
            with transaction.atomic():
                return User.objects.create_user(invitation.email, password, name=invitation.name)
        except IntegrityError as error:  # created at this moment through another invitation to the same address
            raise NeedsSignIn(_("You already have an account. Please sign in with its password.")) from error
    if not user.is_active:
        raise NeedsSignIn(_("The account with this address is closed. Please contact the person who invited you."))
    if user.has_usable_password():
        if signed_in != user:
            raise NeedsSignIn(_("You already have an account. Please sign in with its password."))
        return user
    return _set_password(invitation, user, password)


def _renew(invitation: Invitation, password: str | None) -> tuple[User, Membership]:
    """Set a new password. It ends all the person's other sessions, which depend on a hash of the old one, and all
    tokens.
    """
    member = (
        Membership.objects.select_related("user")
        .filter(study=invitation.study, user=invitation.user, is_active=True, user__is_active=True)
        .first()
    )
    if member is None:
        raise LinkRevoked(translation.gettext(ENDED[InvitationState.REVOKED][1]))
    user = _set_password(invitation, member.user, password)
    tokens.revoke_all(user=user, actor=user)
    others = Invitation.objects.unsettled().filter(purpose=LinkPurpose.ACCESS, user=user).exclude(pk=invitation.pk)
    others.update(revoked_at=timezone.now())
    events.record(EventKind.ACCESS_RENEWED, actor=user, study=invitation.study, invitation=str(invitation.pk))
    return user, member


def _set_password(invitation: Invitation, user: User, password: str | None) -> User:
    # Checked again: since the link was made, the account may have gained more rights than its maker has.
    if beyond(user=user, actor=invitation.created_by):
        raise BeyondYou(_("This link cannot be used for your account. Please ask the operator of this server."))
    must_do(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    return user


def must_do(password: str | None, user: User) -> None:
    """Raises WeakPassword, with the reasons in plain words."""
    try:
        validate_password(password or "", user)
    except ValidationError as error:
        reasons = [_in_plain_words(reason) for reason in error.error_list]
        raise WeakPassword(_("Please choose another password."), password=reasons) from error


def _in_plain_words(error: ValidationError) -> str:
    """Django's own sentences are not available in all of the pages' languages."""
    if error.code == "password_too_short":
        count = (error.params or {}).get("min_length")
        return _("This password is too short. It needs at least {count} characters.").format(count=count)
    if error.code == "password_too_common":
        return _("Many people use this password. Please choose another one.")
    if error.code == "password_too_similar":
        return _("This password is too much like your e-mail address.")
    return " ".join(error.messages)
