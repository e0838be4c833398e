"""Every check of the installation, once: what is asked, and who tells of it.

The readers are `hlvstudy doctor` (hlvstudy/program/doctor.py, in this order), the page for admins (hlvstudy/health.py),
and `/health/ready` and the figures for Prometheus (hlvstudy/monitoring.py). Probes come every few seconds from each of
several machines, and none of them may become a load, or wait for long: they ask with short patience, and not again
within two seconds.
"""

from django.utils.translation import gettext_noop

from annotations.background.jobs import worker_alive
from hlvstudy.checks import database, environment, jobs, machine, servers
from hlvstudy.checks.conditions import Check

CHECKS = (
    environment.SETTINGS,
    Check("User", machine.user),
    Check("HLV_STATE", machine.folder),
    Check(
        "Disk",
        machine.room,
        machine.disk_on_page,
        title=gettext_noop("Disk"),
        place=5,
        key="disk",
        responds=lambda: not machine.little_space(),
        figures=machine.figures_of_disk,
        is_at_rest=True,
    ),
    Check("HLV_STATE", machine.network_disk),
    Check("Locks", machine.locks),
    Check("GUNICORN_CMD_ARGS", machine.home),
    Check("Pages", machine.pages),
    Check("Optional programs", machine.programs),
    Check("Plug-ins", machine.plugins),
    Check(
        "Database",
        database.database,
        database.database_on_page,
        title=gettext_noop("Database"),
        place=1,
        key="database",
        responds=database.responds,
        figures=database.figures_of_database,
        is_at_rest=True,
    ),
    Check(
        "Broker",
        jobs.broker,
        jobs.broker_on_page,
        title=gettext_noop("Message broker"),
        place=2,
        key="broker",
        responds=lambda: not jobs.broker_trouble(),
        figures=jobs.figures_of_broker,
    ),
    Check(
        "Worker",
        jobs.workers,
        jobs.workers_on_page,
        title=gettext_noop("Workers"),
        place=3,
        key="worker",
        responds=worker_alive,
        figures=jobs.figures_of_workers,
    ),
    Check("Training", jobs.training),
    Check(
        "Queues",
        jobs.queues,
        jobs.queue_on_page,
        title=gettext_noop("Queue"),
        place=4,
        key="queue",
        responds=jobs.queue_moves,
        figures=jobs.figures_of_queues,
    ),
    Check(
        "Storage",
        servers.storage,
        servers.storage_on_page,
        title=gettext_noop("Files"),
        place=6,
        key="storage",
        responds=lambda: not servers.storage_trouble(),
    ),
    Check(
        "Mail",
        servers.mail,
        servers.mail_on_page,
        title=gettext_noop("Mail"),
        place=7,
        figures=servers.figures_of_mail,
    ),
    Check("Webhook", servers.webhook),
    Check("Sign-in provider", servers.provider),
    Check("Django", machine.django),
)
ON_PAGE = sorted((check for check in CHECKS if check.page), key=lambda check: check.place)
