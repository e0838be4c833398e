"""Who has an account here, for the installation's admins. Simulated experts are not included."""

from typing import Any

from django.contrib.auth.models import Permission
from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from annotations.models import Membership, User, with_second_factor

ROLES = {
    "admin": Q(is_superuser=True),
    "may_import": Q(imports=True),
    "may_create": Q(creates=True),
    "closed": Q(is_active=False),
}


def people(*, search: str = "", role: str = "") -> QuerySet[User]:
    """The people, by name, with `imports`, `creates`, `has_second_factor` and `studies`; filtered by part of a name or
    address, or by role.
    """
    simulated = Membership.objects.filter(user=OuterRef("pk"), is_simulated=True)
    found: QuerySet[User] = (
        User.objects.filter(~Exists(simulated))
        .annotate(
            imports=_may("add_dataset"),
            creates=_may("add_study"),
            has_second_factor=ExpressionWrapper(with_second_factor(), output_field=BooleanField()),
            studies=Count("memberships", filter=Q(memberships__is_active=True)),
        )
        .order_by(F("is_active").desc(), Coalesce("name", Value("")), "email")
    )
    if search:
        found = found.filter(Q(email__icontains=search) | Q(name__icontains=search))
    return found.filter(ROLES[role]) if role in ROLES else found


def _may(codename: str) -> "ExpressionWrapper[Any]":
    """Whether a person has a permission: as an admin, directly, or through a group."""
    held = Permission.objects.filter(content_type__app_label="annotations", codename=codename)
    own = Exists(held.filter(user=OuterRef("pk")))
    by_group = Exists(held.filter(group__user=OuterRef("pk")))
    return ExpressionWrapper(Q(is_superuser=True) | Q(own) | Q(by_group), output_field=BooleanField())
