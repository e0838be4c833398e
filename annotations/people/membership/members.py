"""Add people to a study, by e-mail address or with an existing account."""

from django.db import transaction
from django.utils import timezone

from annotations.designing.lifecycle import add_member
from annotations.ground.errors import NotFound
from annotations.models import Membership, Role, Study, User
from annotations.people.membership.leaving import begin_role, hold


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
