"""What runs with this server's settings, in a process of its own: a study is made; after the load it is checked.

    python -m tests.benchmarks.load.inside prepare|check|front

reads and writes JSON.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django


def prepare(sizes: dict[str, Any]) -> dict[str, Any]:
    """An open study, and its experts, each signed in."""
    import numpy as np
    from django.conf import settings
    from django.db import connection, transaction
    from django.test import Client

    from annotations import designing
    from annotations.importing.memory.tables import SystemTable
    from tests.benchmarks.load.systems.system import LABELS, TEXT
    from tests.worlds.datasets import store_dataset
    from tests.worlds.studies import make_expert, plan_and_open

    rng = np.random.default_rng(14)
    shape = (sizes["texts"], LABELS)
    with transaction.atomic():
        dataset = store_dataset(
            slug="load",
            title="Load",
            task="multilabel",
            gold=rng.beta(0.4, 2, shape),
            labels=[f"Area of law number {k}" for k in range(LABELS - 1)] + ["Not a legal issue"],
            exclusive="Not a legal issue",
            systems=[SystemTable(f"Model {s}", rng.beta(0.4, 2, shape), "", "") for s in range(sizes["systems"])],
            text="Case {}. " + TEXT,
        )
        study = designing.create_study(
            dataset=dataset,
            slug="load",
            title="Load",
            seed=14,
            instances_per_system=max(1, sizes["texts"] // sizes["systems"]),
            experts_per_comparison=sizes["experts_per_comparison"],
        )
        members = [make_expert(study, f"expert{number}@example.org") for number in range(sizes["users"])]
    plan_and_open(study)
    people = []
    for member in members:
        client = Client()
        client.force_login(member.user)
        cookies = {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}
        people.append({"user": member.user_id, "slug": study.slug, "cookies": cookies})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as PostgreSQL itself does within a minute
    return {"people": people}


def check(acknowledged: list[dict[str, Any]]) -> dict[str, Any]:
    from annotations.models import Study
    from tests.benchmarks.load.checks import problems_of

    return {"problems": problems_of(Study.objects.get(slug="load"), acknowledged)}


def front(told: dict[str, Any]) -> dict[str, Any]:
    """The documented configuration of nginx, with a folder and a port of this machine in it."""
    from tests.deploy.serving import configured, given_to_nobody

    folder = Path(told["folder"])
    made = configured(folder, upstream=told["upstream"], port=told["port"])
    given_to_nobody(folder)
    return {"configuration": str(made)}


def main() -> int:
    django.setup()
    work: dict[str, Callable[[Any], dict[str, Any]]] = {"prepare": prepare, "check": check, "front": front}
    json.dump(work[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
