"""What every test session of a mutation run shares: a ready database, the same examples each time, a time limit.

The sessions are processes of their own (`python -m pytest -p tests.mutation...`); what they are to do stands in a file
that HLV_MUTATION names.
"""

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django.plugin import DjangoDbBlocker

WORK = "HLV_MUTATION"
# A mutant may take longer than the code as it is, and this machine may be busy with other things.
SLOWER, GRACE_SECONDS = 5, 10


def work() -> dict[str, Any]:
    """What this process is to do."""
    found: dict[str, Any] = json.loads(Path(os.environ[WORK]).read_text())
    return found


def same_examples() -> None:
    """Hypothesis tries the same examples in every process, and is not disturbed by slow ones."""
    hypothesis_settings.register_profile(
        "mutation", derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    hypothesis_settings.load_profile("mutation")


class ReadyDatabase:
    """The test database as a copy of one that was migrated before. Registered late, it replaces pytest-django's."""

    def __init__(self, template: str) -> None:
        self.template = Path(template)

    @pytest.fixture(scope="session")
    def django_db_setup(self, django_test_environment: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
        path = self.template.with_name(f"work-{os.getpid()}.sqlite3")
        shutil.copyfile(self.template, path)
        with django_db_blocker.unblock():
            connection.close()
        settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = str(path)
        yield
        remove_database(self.template, os.getpid())


def remove_database(template: Path, process: int) -> None:
    """Take away what a process has left."""
    for path in template.parent.glob(f"work-{process}.sqlite3*"):
        path.unlink()


def limit(seconds: float) -> None:
    """End this process when a test has computed, or lasted, much longer than it does without a mutant.

    The kernel does it: a mutant's loop in C would never come back to a handler in Python.
    """
    for timer, sign, most in (
        (signal.ITIMER_PROF, signal.SIGPROF, SLOWER * seconds + GRACE_SECONDS),
        (signal.ITIMER_REAL, signal.SIGALRM, 3 * (SLOWER * seconds + GRACE_SECONDS)),
    ):
        signal.signal(sign, signal.SIG_DFL)
        signal.setitimer(timer, most)
