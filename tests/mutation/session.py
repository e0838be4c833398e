"""What every test session of a mutation run shares: what to do, a ready database, the same examples each time.

The sessions are processes of their own (`python -m pytest -p tests.mutation...`); what they are to do stands in a file
that HLV_MUTATION names.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django.plugin import DjangoDbBlocker

from .forking import limit

WORK = "HLV_MUTATION"
# A mutant may take longer than the code as it is, and this machine may be busy with other things.
SLOWER, GRACE_SECONDS, WAITING = 5, 10, 3


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


def limit_test(seconds: float) -> None:
    """End this process when a test takes much longer than these seconds, which it takes without a mutant."""
    most = SLOWER * seconds + GRACE_SECONDS
    limit(computing=most, lasting=WAITING * most)


class ReadyDatabase:
    """The test database as a copy of one that was migrated before. Registered late, it replaces pytest-django's."""

    def __init__(self, template: str) -> None:
        self.template = Path(template)

    @pytest.fixture(scope="session")
    def django_db_setup(self, django_test_environment: None, django_db_blocker: DjangoDbBlocker) -> None:
        # One name for all children of a process, for they run one after the other.
        path = self.template.with_name("work.sqlite3")
        for left in path.parent.glob(f"{path.name}*"):
            left.unlink()
        shutil.copyfile(self.template, path)
        with django_db_blocker.unblock():
            connection.close()
        settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = str(path)
