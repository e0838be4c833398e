"""Look at everything, once."""

import logging
import os
from collections.abc import Iterator
from functools import partial

from hlvstudy.program.doctor import findings
from hlvstudy.program.doctor.findings import Diagnosis, Look, look, seen, wrong
from hlvstudy.program.steps import say


def examine(*, mail_to: str, as_json: bool) -> int:
    """Say what is well and what is not; the exit code is 1 if something is wrong."""
    logging.disable(logging.CRITICAL)  # the findings say it in a sentence
    found = examined(mail_to=mail_to)
    say(findings.as_json(found) if as_json else findings.as_text(found))
    return int(any(one.grade == findings.Grade.WRONG for one in found))


def examined(*, mail_to: str = "") -> list[Diagnosis]:
    """All findings about this installation, from its environment to a mail sent on request."""
    return list(_examined(mail_to))


def _examined(mail_to: str) -> Iterator[Diagnosis]:
    from hlvstudy import places
    from hlvstudy.program.doctor import environment

    yield from environment.judged(places.BASE)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured

    try:
        django.setup()
    except (ImproperlyConfigured, OSError) as error:
        yield wrong("Settings", f"The app cannot start: {error}", "Correct what is named above or here.")
        return
    from hlvstudy.program.doctor import machine, mails, services, training

    looks: dict[str, Look] = {
        "User": machine.user,
        "HLV_STATE": machine.folder,
        "Disk": machine.room,
        "Network disk": machine.network_disk,
        "Locks": machine.locks,
        "Home": machine.home,
        "Pages": machine.pages,
        "Optional programs": machine.programs,
        "Plug-ins": machine.plugins,
        "Database": services.database,
        "Broker": services.broker,
        "Worker": services.workers,
        "Training": training.training,
        "Queues": training.queues,
        "Storage": services.storage,
        "Mail": partial(mails.mail, mail_to),
        "Webhook": services.webhook,
        "Sign-in provider": services.provider,
        "Django": _django,
    }
    yield from seen(looks)


def _django() -> Iterator[Diagnosis]:
    """What Django's own checks say; the deployment's only for a server that others can reach."""
    from django.core import checks

    from hlvstudy.program.doctor.machine import is_local

    for found in checks.run_checks(include_deployment_checks=not is_local()):
        say = wrong if found.is_serious() else look
        yield say(str(found.id), str(found.msg).splitlines()[0], str(found.hint or "See Django's documentation."))
