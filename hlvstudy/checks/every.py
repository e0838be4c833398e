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
        page=(5, gettext_noop("Disk"), machine.disk_on_page),
        probe=("disk", lambda: not machine.little_space()),
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
        page=(1, gettext_noop("Database"), database.database_on_page),
        probe=("database", database.responds),
        figures=database.figures_of_database,
        is_at_rest=True,
    ),
    Check(
        "Broker",
        jobs.broker,
        page=(2, gettext_noop("Message broker"), jobs.broker_on_page),
        probe=("broker", lambda: not jobs.broker_trouble()),
        figures=jobs.figures_of_broker,
    ),
    Check(
        "Worker",
        jobs.workers,
        page=(3, gettext_noop("Workers"), jobs.workers_on_page),
        probe=("worker", worker_alive),
        figures=jobs.figures_of_workers,
    ),
    Check("Training", jobs.training),
    Check(
        "Queues",
        jobs.queues,
        page=(4, gettext_noop("Queue"), jobs.queue_on_page),
        probe=("queue", jobs.queue_moves),
        figures=jobs.figures_of_queues,
    ),
    Check(
        "Storage",
        servers.storage,
        page=(6, gettext_noop("Files"), servers.storage_on_page),
        probe=("storage", lambda: not servers.storage_trouble()),
    ),
    Check(
        "Mail",
        servers.mail,
        page=(7, gettext_noop("Mail"), servers.mail_on_page),
        figures=servers.figures_of_mail,
    ),
    Check("Webhook", servers.webhook),
    Check("Sign-in provider", servers.provider),
    Check("Django", machine.django),
)
ON_PAGE = sorted((check for check in CHECKS if check.page), key=lambda check: check.page[0] if check.page else 0)
