"""Take people into a study by their e-mail address."""

from django.db import transaction

from annotations.lifecycle import add_member
from annotations.models import Membership, Role, Study, User


@transaction.atomic
def add_by_email(
    *, study: Study, email: str, role: Role, name: str = "", password: str | None = None, actor: User | None = None
) -> Membership:
    """Add a person; who has no account gets one, and without a password nobody can sign in to it yet.

    A password is set for new accounts only: nobody takes over an account by being added somewhere.
    """
    user = User.objects.filter(email__iexact=email).first()
    if user is None:
        user = User.objects.create_user(email, password, name=name)
    return add_member(study=study, user=user, role=role, actor=actor)
