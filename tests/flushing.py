"""What is left in the database when a test's rows are taken away: which models there are, and Django's permissions.

No test writes them. Django makes them anew each time, which takes longer than all else that happens between two tests.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.contrib.auth.management import create_permissions
from django.contrib.contenttypes.management import create_contenttypes
from django.db.models.signals import post_migrate

KEPT = {"django_content_type", "auth_permission"}
PERMISSIONS = "django.contrib.auth.management.create_permissions"
"""What Django calls the receiver that makes them."""


def of_tests(tables: Iterable[str]) -> list[str]:
    """The tables that tests write."""
    return [table for table in tables if table not in KEPT]


def make_nothing_anew() -> bool:
    """To be called when the test database is there. Whether anything would have been made until now."""
    post_migrate.disconnect(dispatch_uid=PERMISSIONS)
    return bool(post_migrate.disconnect(create_contenttypes))


@contextmanager
def permissions_made() -> Iterator[None]:
    """As outside of tests, where migrating makes them: for a test that migrates a database of its own."""
    was_made = make_nothing_anew()
    post_migrate.connect(create_contenttypes)
    post_migrate.connect(create_permissions, dispatch_uid=PERMISSIONS)
    try:
        yield
    finally:
        if not was_made:
            make_nothing_anew()
