"""Invite people: an admin makes a link for an address and sends it by their own mail."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.errors import Conflict, NotAllowed, NotFound
from annotations.history import events
from annotations.models import EventKind, Invitation, InvitationState, LinkPurpose, Membership, Role, Study, User
from annotations.people.invitations.links import Issued, Mint, digest_of, random_token
from annotations.people.membership.addresses import BadAddresses, Line, refuse_flawed
from annotations.people.membership.members import not_for_role

MAX_DAYS = 90
ACCESS_DAYS = 3
SETTLED = {
    InvitationState.USED: gettext_noop("This invitation has already been used."),
    InvitationState.REVOKED: gettext_noop("This invitation has already been revoked."),
}


class NotWaiting(Conflict):
    """The invitation has already been used or revoked."""


class RightsNotYours(NotAllowed):
    """This person may not grant these rights on the installation."""


class BeyondYou(NotAllowed):
    """The link would give access to more than its maker administers."""


@dataclass(frozen=True, slots=True)
class Rights:
    """What the person who accepts an invitation may do on the installation."""

    may_import: bool = False
    may_create: bool = False
    may_administer: bool = False

    @property
    def any(self) -> bool:
        return self.may_import or self.may_create or self.may_administer


NO_RIGHTS = Rights()


@transaction.atomic
def invite(
    *,
    study: Study,
    addresses: Sequence[Line],
    role: Role,
    rights: Rights = NO_RIGHTS,
    days: int | None = None,
    actor: User | None = None,
    mint: Mint = random_token,
) -> list[Issued]:
    """Make a link for each address, all or none. Expired invitations to these addresses are replaced.

    Args:
        role: for everyone whose line gives no other.
        rights: what researchers or admins of the study may also do on the installation.

    Raises:
        BadAddresses: an address is invalid, takes part already, has an open invitation, or must not have this role.
        RightsNotYours: the actor may not grant these rights, or they would unblind an expert.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    roles = {line.address: line.role or role for line in addresses}
    if rights.any and (Role.EXPERT in roles.values() or not _administers(actor)):
        raise RightsNotYours(
            _(
                "Only an admin of this server can invite people who may import data or create studies, "
                "and these people cannot be experts."
            )
        )
    emails = [line.address for line in addresses]
    taking_part = dict(
        study.memberships.filter(user__address__in=emails, is_active=True)
        .values_list("user__address", "role")
        .order_by()
    )
    here = {
        **not_for_role(study, [address for address in emails if roles[address] == Role.EXPERT], Role.EXPERT),
        **not_for_role(study, [address for address in emails if roles[address] != Role.EXPERT], Role.RESEARCHER),
        **{
            address: _("already has the role {known} in this study").format(known=present_role)
            for address, present_role in taking_part.items()
        },
    }
    giving_way = _free_to_invite(addresses, here, study.invitations.unsettled().filter(address__in=emails))
    _end(giving_way)
    return [
        _issue(study, line=line, role=roles[line.address], rights=rights, days=days, actor=actor, mint=mint)
        for line in addresses
    ]


@transaction.atomic
def invite_here(
    *,
    addresses: Sequence[Line],
    rights: Rights,
    days: int | None = None,
    actor: User | None = None,
    mint: Mint = random_token,
) -> list[Issued]:
    """Make links to an account on this installation, with rights and without a study; all or none.

    Raises:
        BadAddresses: an address is invalid, or has an account, an open invitation, or a role in a study.
        RightsNotYours: the actor does not administer the installation.
    """
    if not _administers(actor):
        raise RightsNotYours(_("Only an admin of this server can invite people to it."))
    emails = [line.address for line in addresses]
    accounts = User.objects.filter(address__in=emails).values_list("address", flat=True)
    here = {line.address: _("has a role, but this invitation is not for a study") for line in addresses if line.role}
    here |= dict.fromkeys(accounts, _("already has an account; change its permissions instead"))
    waiting = Invitation.objects.select_for_update().unsettled().filter(study=None, address__in=emails)
    _end(_free_to_invite(addresses, here, waiting))
    try:
        with transaction.atomic():
            return [
                _issue(None, line=line, role="", rights=rights, days=days, actor=actor, mint=mint) for line in addresses
            ]
    except (
        IntegrityError
    ) as error:  # there is no study to lock, so another admin may be inviting one of them at this moment
        raise BadAddresses(
            _("Somebody else is inviting one of these people right now. Check the list and try again."), lines=[]
        ) from error


def _free_to_invite(
    addresses: Sequence[Line], here: dict[str, str], unsettled: Iterable[Invitation]
) -> list[Invitation]:
    """The expired invitations to replace, if every address can be invited. Raises BadAddresses."""
    before = {invitation.address: invitation for invitation in unsettled}
    waits = _("already has an open invitation; revoke it, or create a new link for it")
    waiting = {address: waits for address, invitation in before.items() if invitation.expires_at > timezone.now()}
    refuse_flawed(
        addresses,
        lambda line: here.get(line.address) or waiting.get(line.address),
        sentence=_(
            "Nobody was invited, because {bad} of {addresses} addresses have problems. Fix or remove these addresses."
        ),
    )
    return list(before.values())


def _administers(actor: User | None) -> bool:
    """Whether the actor administers the installation; operators at the shell have no account and may do everything."""
    return actor is None or actor.is_superuser


@transaction.atomic
def revoke(*, invitation: Invitation, actor: User | None = None) -> Invitation:
    """End an invitation, so that its link no longer works. Raises NotWaiting if it was used or revoked."""
    invitation = _lock(invitation)
    _end([invitation])
    events.record(EventKind.INVITATION_REVOKED, actor=actor, study=invitation.study, **_about(invitation))
    return invitation


def end_several(invitations: Sequence[Invitation], *, actor: User) -> None:
    """Revoke open invitations, whose studies and rows the caller holds, in three queries however many they are."""
    Invitation.objects.filter(pk__in=[invitation.pk for invitation in invitations]).update(revoked_at=timezone.now())
    events.record_each(
        EventKind.INVITATION_REVOKED,
        [(invitation.study, _about(invitation)) for invitation in invitations],
        actor=actor,
    )


@transaction.atomic
def replace(
    *, invitation: Invitation, days: int | None = None, actor: User | None = None, mint: Mint = random_token
) -> Issued:
    """Replace a lost or expired link with a new one; the old one no longer works.

    Raises:
        NotWaiting, and for a new password what `renew_access` raises.
        RightsNotYours: the new link would grant rights that the actor may not grant.
    """
    invitation = _lock(invitation)
    study = invitation.study
    if study is not None and invitation.purpose == LinkPurpose.ACCESS:
        member = Membership.objects.filter(study=study, user=invitation.user).first()
        if member is None:
            raise NotFound
        return renew_access(member=member, days=days, actor=actor, mint=mint)
    _end([invitation])
    rights = Rights(invitation.may_import, invitation.may_create, invitation.may_administer)
    if rights.any and not _administers(actor):
        raise RightsNotYours(
            _("This link grants permissions on the server. Only an admin of the server can create a new one.")
        )
    line = Line(0, invitation.email, invitation.email, name=invitation.name)
    return _issue(study, line=line, role=invitation.role, rights=rights, days=days, actor=actor, mint=mint)


@transaction.atomic
def renew_access(
    *, member: Membership, days: int | None = None, actor: User | None = None, mint: Mint = random_token
) -> Issued:
    """Make a link for a member who lost their password to choose a new one. Nothing changes until it is used.

    Raises:
        BeyondYou: see `beyond`.
        NotFound: nobody can sign in as this member.
    """
    study = Study.objects.select_for_update().get(pk=member.study_id)
    user = member.user
    if member.is_simulated or not member.is_active or not user.is_active:
        raise NotFound
    if beyond(user=user, actor=actor):
        raise BeyondYou(
            _(
                "This person has permissions on this server beyond your studies. Only the operator "
                "can give them a new password (manage.py renew_access)."
            )
        )
    _end(list(study.invitations.unsettled().filter(address=user.address)))
    line, days = Line(0, user.email, user.email, name=user.name), days or ACCESS_DAYS
    return _issue(study, line=line, role=Role(member.role), days=days, actor=actor, mint=mint, user=user)


def beyond(*, user: User, actor: User | None) -> bool:
    """Whether a link into this account would give its maker access to more than they administer.

    The maker sees the link, so it must not be a way to become somebody who may do more than they may: an operator, an
    importer, another admin, or a member of other people's studies. Operators (no actor, superusers) may do everything.
    """
    if actor is None or actor.is_superuser or actor == user:
        return False
    if user.is_superuser or user.is_staff or user.groups.exists() or user.user_permissions.exists():
        return True
    mine = Study.objects.administered_by(actor)
    return user.memberships.exclude(study__in=mine, role__in=[Role.EXPERT, Role.RESEARCHER]).exists()


def _lock(invitation: Invitation) -> Invitation:
    """Lock the study first, then the invitation, as everything that ends one does."""
    if invitation.study_id is not None:
        Study.objects.select_for_update().get(pk=invitation.study_id)
    invitation = Invitation.objects.select_for_update().get(pk=invitation.pk)
    state = invitation.state()
    if state in SETTLED:
        raise NotWaiting(translation.gettext(SETTLED[state]), state=state)
    return invitation


def _end(invitations: Sequence[Invitation]) -> None:
    now = timezone.now()
    for invitation in invitations:
        invitation.revoked_at = now
        invitation.save(update_fields=["revoked_at"])


def _issue(
    study: Study | None,
    *,
    line: Line,
    role: str,
    rights: Rights = NO_RIGHTS,
    days: int | None,
    actor: User | None,
    mint: Mint,
    user: User | None = None,
) -> Issued:
    token, now = mint(line.email), timezone.now()
    purpose = LinkPurpose.ACCESS if user else LinkPurpose.JOIN if study else LinkPurpose.ARRIVE
    invitation = Invitation.objects.create(
        study=study,
        purpose=purpose,
        email=line.email,
        name=line.name,
        role=role,
        may_import=rights.may_import,
        may_create=rights.may_create,
        may_administer=rights.may_administer,
        user=user,
        digest=digest_of(token),
        created_by=actor,
        created_at=now,
        expires_at=now + timedelta(days=days or settings.INVITATION_DAYS),
    )
    events.record(EventKind.INVITED, actor=actor, study=study, **_about(invitation))
    return Issued(invitation, token)


def _about(invitation: Invitation) -> dict[str, Any]:
    return {
        "invitation": str(invitation.pk),
        "role": str(invitation.role),
        "purpose": str(invitation.purpose),
        "rights": [name for name in ("may_import", "may_create", "may_administer") if getattr(invitation, name)],
    }


def expired(study: Study) -> "QuerySet[Invitation]":
    """The invitations whose time has run out."""
    waiting = study.invitations.unsettled().filter(purpose=LinkPurpose.JOIN, expires_at__lte=timezone.now())
    return waiting.order_by("email")


@transaction.atomic
def renew_expired(
    *, study: Study, days: int | None = None, actor: User | None = None, mint: Mint = random_token
) -> list[Issued]:
    """Make a new link for everyone whose invitation has expired; all or none. Raises what `replace` raises."""
    return [replace(invitation=invitation, days=days, actor=actor, mint=mint) for invitation in expired(study)]


@transaction.atomic
def revoke_several(*, study: Study, ids: Iterable[UUID], actor: User | None = None) -> list[Invitation]:
    """Revoke these invitations to the study; those already used or revoked stay as they are."""
    chosen = study.invitations.unsettled().filter(pk__in=set(ids)).order_by("email")
    return [revoke(invitation=invitation, actor=actor) for invitation in chosen]
