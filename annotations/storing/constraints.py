"""What must always hold, as a database constraint: its name, and what it says."""

from django.db import models
from django.db.models import Q


def once(name: str, *fields: str, where: Q | None = None) -> models.UniqueConstraint:
    """No two rows have the same values in these fields, of those rows `where` something holds."""
    return models.UniqueConstraint(fields=fields, condition=where, name=name)


def always(name: str, condition: Q) -> models.CheckConstraint:
    """Every row meets the condition."""
    return models.CheckConstraint(condition=condition, name=name)


def one_of(name: str, field: str, choices: type[models.Choices]) -> models.CheckConstraint:
    """A field has one of the values that the choices name."""
    return always(name, Q(**{f"{field}__in": choices.values}))
