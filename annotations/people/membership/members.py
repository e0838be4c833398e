"""A study's people: adding them, and changing their roles as far as blinding allows."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.designing.lifecycle import add_member
from annotations.ground.errors import Conflict, NotFound
from annotations.history import events
from annotations.history.looks import KnowsTheSides, admit, answering, onlookers
from annotations.models import EventKind, Membership, Role, Study, StudyState, User
from annotations.people.membership.addresses import Line, refuse_flawed
from annotations.people.membership.leaving import begin_role, free_untouched, hold, refuse_last_admin


@transaction.atomic
def add_by_email(
    *, study: Study, email: str, role: Role, name: str = "", password: str | None = None, actor: User | None = None
) -> Membership:
    """Add a person. People without an account get one; without a password nobody can sign in to it yet.

    A password is only set for new accounts, so adding somebody cannot take over their account.
    """
    user = User.objects.at(email)
    if user is None:
        user = User.objects.create_user(email, password, name=name)
    return add_member(study=study, user=user, role=role, actor=actor)


@transaction.atomic
def take_in(*, study: Study, user: User, role: Role, actor: User | None = None) -> Membership:
    """Add an invited person; one who had left in the same role returns with everything they did. Raises
    AlreadyMember.
    """
    member = add_member(study=study, user=user, role=role, actor=actor)
    study, member = hold(member)
    return member if member.is_active else begin_role(study=study, member=member, actor=actor)


def practised(*, user: User, slug: str) -> None:
    """Note that an expert has finished or skipped the practice before the first text. Only the first time counts.

    Raises:
        NotFound: the user is not an active expert in such a study.
    """
    mine = Membership.objects.experts().filter(user=user, study__slug=slug, is_active=True)
    if not mine.filter(practised_at=None).update(practised_at=timezone.now()) and not mine.exists():
        raise NotFound


class HasAnswered(Conflict):
    """The expert has begun to answer, and must not see which side is which before the study is closed."""


class NotHere(Conflict):
    """The person has left the study, or has not accepted their role in it yet."""

    code = "has_left"


@transaction.atomic
def change_role(*, member: Membership, role: Role, actor: User | None = None) -> Membership:
    """Give a member another role. Giving the same one changes nothing.

    Raises:
        NotHere: they have left.
        KnowsTheSides: a researcher or an admin would become an expert.
        HasAnswered: an expert who has begun to answer would see the sides of a study that is not closed.
        AnswersTheseTexts: an expert answers in another study of the same texts.
        LastStudyAdmin: it is the study's only admin.
    """
    study, member = hold(member)
    before = Role(member.role)
    if role == before:
        return member
    if member.is_pending:
        raise NotHere(_("This person has not accepted the role {role} yet.").format(role=before))
    if not member.is_active:
        raise NotHere(_("This person has left the study. Add them again first."))
    if role == Role.EXPERT:
        raise KnowsTheSides(
            _(
                "This person could see which side is which (role: {before}), so they cannot answer "
                "this study as an expert."
            ).format(before=before)
        )
    refuse_last_admin(study, member)
    admit(user=member.user, study=study, role=role)
    freed = 0
    if before == Role.EXPERT:
        freed, touched = free_untouched(member)
        if (touched or member.assignments.exists()) and study.state != StudyState.CLOSED:
            raise HasAnswered(
                _(
                    "Expert {number} has begun to answer and can take the role {role} only once the "
                    "study is closed. Until then, nobody who answers may see which side is which."
                ).format(number=member.number, role=role)
            )
    member.role = role
    member.save(update_fields=["role"])
    events.record(
        EventKind.ROLE_CHANGED, actor=actor, study=study, number=member.number, before=before, after=role, freed=freed
    )
    return member


@transaction.atomic
def add_accounts(*, study: Study, addresses: Sequence[Line], role: Role, actor: User | None = None) -> list[Membership]:
    """Ask people who have an account here to take a role, without an invitation; all or none. They have it once they
    accept; experts consent before their first text.

    Raises:
        BadAddresses: an address has no account, already takes or took part, or must not have this role.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    emails = [line.address for line in addresses]
    users = {user.address: user for user in User.objects.filter(address__in=emails, is_active=True)}
    members = {member.user.address: member for member in study.memberships.select_related("user")}
    kept_out = not_for_role(study, emails, role)

    def flaw(line: Line) -> str:
        if line.address in members:
            member = members[line.address]
            return (
                _("already has the role {role} in this study").format(role=member.role)
                if member.is_active
                else _("was asked to take part and has not answered yet")
                if member.is_pending
                else _("has left this study; add them again")
            )
        if line.address not in users:
            return _("has no account here; send an invitation")
        return kept_out.get(line.address, "")

    refuse_flawed(
        addresses,
        flaw,
        sentence=_(
            "Nobody was added, because {bad} of {addresses} addresses have problems. Fix or remove these addresses."
        ),
    )
    added = [
        add_member(study=study, user=users[address], role=role, is_pending=True, actor=actor) for address in emails
    ]
    if role == Role.EXPERT:
        Membership.objects.filter(pk__in=[member.pk for member in added]).update(owes_consent=True)
    return added


def not_for_role(study: Study, addresses: Iterable[str], role: Role) -> dict[str, str]:
    """Why accounts at these addresses cannot have this role, by address (annotations/history/looks.py). One query."""
    if role == Role.EXPERT:
        barred, why = onlookers(study), _("has seen, or can see, what people or systems say about these texts")
    else:
        barred, why = answering(study), _("answers in a study of the same texts that is not closed")
    return dict.fromkeys(barred.filter(address__in=list(addresses)).values_list("address", flat=True), why)
