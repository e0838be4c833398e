"""Runs with the settings of the servers under fault: `python -m tests.faults.inside admin|check`, JSON in and out."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import django


def admin(_: Any) -> dict[str, Any]:
    """A token of somebody who may start jobs."""
    from annotations.models import User
    from annotations.models.people import TokenScope
    from annotations.people.access import tokens

    user = User.objects.create_superuser(email="admin@example.org", password=None)
    return {"token": tokens.make(user=user, name="faults", scope=TokenScope.ALL).secret}


def check(acknowledged: list[dict[str, Any]]) -> dict[str, Any]:
    from annotations.models import Study
    from tests.faults.verification import verdict_on

    return asdict(verdict_on(Study.objects.get(slug="load"), acknowledged))


def main() -> int:
    django.setup()
    work: dict[str, Callable[[Any], dict[str, Any]]] = {"admin": admin, "check": check}
    json.dump(work[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
