"""What is left in the database when a test's rows are taken away: which models there are, and Django's permissions.

No test writes them. Django makes them anew each time, which takes longer than all else that happens between two tests.
"""

from collections.abc import Iterable

from django.contrib.contenttypes.management import create_contenttypes
from django.db.models.signals import post_migrate

KEPT = {"django_content_type", "auth_permission"}


def of_tests(tables: Iterable[str]) -> list[str]:
    """The tables that tests write."""
    return [table for table in tables if table not in KEPT]


def make_nothing_anew() -> None:
    """To be called when the test database is there."""
    post_migrate.disconnect(create_contenttypes)
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
