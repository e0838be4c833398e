"""What the doctor checks once Django has started: this machine, and what the server talks to."""

import os
import re
import shutil
import smtplib
import socket
import sqlite3
import ssl
import stat
import tempfile
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from annotations.background.conditions import Check, HealthPart, broken, look, well
from hlvstudy.program.steps import Trouble
from hlvstudy.security import LOOPBACK, OTHERS
from metaeval.training.extra import INSTALL, QUEUE, absent, versions

CHECKS: list[Check] = []
"""In the order of what is said."""
Ask = Callable[..., Iterator[HealthPart]]
LITTLE = 2 * 1024**3
TOO_LITTLE = 200 * 1024**2
SECONDS = 5
MOUNTS = Path("/proc/mounts")


def check(name: str) -> Callable[[Ask], Ask]:
    """Declare a check of the doctor."""

    def declare(ask: Ask) -> Ask:
        CHECKS.append(Check(name, ask))
        return ask

    return declare


# -- this machine


@check("User")
def user() -> Iterator[HealthPart]:
    if os.geteuid() == 0:
        yield (look if is_local() else broken)(
            "This runs as root, so a hole in any library would open the whole machine.",
            "Run it as a user of its own: sudo -u hlvstudy hlvstudy doctor.",
        )
    else:
        yield well(f"It runs as user {os.geteuid()}, not as root.")


def is_local() -> bool:
    return urlsplit(settings.PUBLIC_URL).hostname in LOOPBACK


@check("HLV_STATE")
def folder() -> Iterator[HealthPart]:
    place: Path = settings.STATE_DIR
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        yield broken(
            f"Nothing can be written to {place} ({error.strerror}).",
            f"Give it to the user that runs the server: chown -R hlvstudy {place}",
        )
        return
    foreign = [path for path in place.iterdir() if path.stat().st_uid != os.geteuid()] if os.geteuid() else []
    if foreign:
        yield broken(
            f"{foreign[0]} belongs to another user: was a command run as root?",
            f"Give it back: chown -R hlvstudy {place}",
        )
    # A closed folder closes all in it; what is named here may be a link to elsewhere.
    files = [place, *place.glob("*.sqlite3*"), *place.glob("secret_key")]
    if open_to_all := [path for path in files if path.stat().st_mode & OTHERS]:
        yield broken(f"Everybody on this machine can read {open_to_all[0]}.", f"Close it: chmod -R o= {place}")
    else:
        mode = stat.filemode(place.stat().st_mode)
        yield well(f"{place} can be written, and only by its owner ({mode}).")


@check("Disk")
def room() -> Iterator[HealthPart]:
    for name, place in (("Disk", settings.STATE_DIR), ("Temporary files", Path(tempfile.gettempdir()))):
        free = shutil.disk_usage(place).free
        said = f"{free / 1024**3:.1f} GB are free at {place}."
        if free < TOO_LITTLE:
            yield broken(said, "Free some space: a full disk cannot save answers.", name=name)
        elif free < LITTLE:
            yield look(said, "Free some space before it is full.", name=name)
        else:
            yield well(said, name=name)


NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "fuse.sshfs", "beegfs"}


@check("HLV_STATE")
def network_disk() -> Iterator[HealthPart]:
    files = {
        "the database": settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"),
        "the queue of jobs": settings.CELERY_BROKER_URL.startswith("sqla+sqlite"),
    }
    kind = file_system_of(settings.STATE_DIR, MOUNTS.read_text() if MOUNTS.exists() else "")
    if kind in NETWORK and any(files.values()):
        what = " and ".join(name for name, is_file in files.items() if is_file)
        yield broken(
            f"It is on a network disk ({kind}), where SQLite, which keeps {what}, loses data.",
            "Set HLV_STATE to a local disk, or use PostgreSQL and Redis (DATABASE_URL, CELERY_BROKER_URL).",
        )


def file_system_of(place: Path, mounts: str) -> str:
    r"""The kind of file system a folder is on.

    >>> mounts = "/dev/sda1 / ext4 rw 0 0\nnas:/home /home/shared nfs4 rw 0 0"
    >>> file_system_of(Path("/home/shared/hlv"), mounts), file_system_of(Path("/home/other"), mounts)
    ('nfs4', 'ext4')
    """
    kinds = [line.split()[1:3] for line in mounts.splitlines() if len(line.split()) > 2]
    fits = [(point, kind) for point, kind in kinds if place.absolute().is_relative_to(point)]
    return max(fits, key=lambda fit: len(fit[0]), default=("", ""))[1]


SHARED_MEMORY = "Make /dev/shm writable: mount -t tmpfs -o mode=1777 tmpfs /dev/shm; in a container, remove --ipc=none."


@check("Locks")
def locks() -> Iterator[HealthPart]:
    problem = no_locks()
    yield broken(problem, SHARED_MEMORY) if problem else well("Processes of a worker can lock one another out.")


def no_locks() -> str:
    """Why the processes of a worker cannot have locks in common; empty if they can."""
    from multiprocessing import get_context

    try:
        get_context().Lock()
    except (OSError, ImportError) as error:
        return f"A worker cannot start, because /dev/shm cannot be used ({error})."
    return ""


def refuse_without_locks() -> None:
    """Raise Trouble if a worker would end in a traceback, because this machine gives processes no locks in common."""
    if reason := no_locks():
        raise Trouble(f"{reason} {SHARED_MEMORY}")


@check("GUNICORN_CMD_ARGS")
def home() -> Iterator[HealthPart]:
    if "control-socket" in os.environ.get("GUNICORN_CMD_ARGS", "") and not os.access(Path.home(), os.W_OK):
        yield broken(
            f"gunicorn is asked for a control socket, which it makes in {Path.home()}, where it may not write.",
            "Remove it from GUNICORN_CMD_ARGS: `hlvstudy web` needs none.",
        )


@check("Pages")
def pages() -> Iterator[HealthPart]:
    from hlvstudy.program.managing import STAMP, fingerprint_of_pages

    stamp = Path(settings.STATIC_ROOT) / STAMP
    if not stamp.is_file():
        yield broken(f"They have not been collected into {settings.STATIC_ROOT}.", "Run: hlvstudy prepare")
    elif stamp.read_text() != fingerprint_of_pages():
        yield broken("They are those of another version.", "Run: hlvstudy prepare")
    else:
        yield well("They are collected and those of this version.")


@check("Optional programs")
def programs() -> Iterator[HealthPart]:
    missing = [] if shutil.which("pandoc") else ["Word reports (pandoc)"]
    try:
        import weasyprint  # noqa: F401 - it loads the machine's Pango
    except OSError:
        missing.append("PDF reports (Pango)")
    if missing:
        packages = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 pandoc"
        yield look(f"Not available: {' and '.join(missing)}.", f"apt install {packages}")
    else:
        yield well("PDF and Word reports can be made.")


PLUGINS = ("metrics", "importers", "exporters", "analyses", "methods", "encoders")


@check("Plug-ins")
def plugins() -> Iterator[HealthPart]:
    from importlib.metadata import entry_points

    for group in PLUGINS:
        for point in entry_points(group=f"hlvstudy.{group}"):
            try:
                point.load()
            except Exception as error:  # a plug-in may raise anything
                package = point.dist.name if point.dist else point.value
                yield broken(
                    f"It cannot be loaded, and stops everything that lists {group} ({type(error).__name__}: {error}).",
                    f"Repair the package {package}, or remove it: pip uninstall {package}",
                    name=f"Plug-in {point.name}",
                )


# -- the database

OLDEST_POSTGRESQL = 14
MOST_SKEW = 2.0
"""Seconds; sessions, leases of jobs and times of answers compare the clocks of several machines."""
CREATE = "createuser --pwprompt NAME && createdb --owner NAME NAME"
GIVE = (
    "psql NAME -Atc \"SELECT format('ALTER TABLE %I OWNER TO %I;', tablename, 'ROLE') FROM pg_tables WHERE "
    "schemaname = 'public'\" | psql NAME"
)
REFUSALS = (
    (
        "permission denied",
        "The role of DATABASE_URL may not connect to this database.",
        "As the user postgres: psql -c 'GRANT CONNECT ON DATABASE name TO role'",
    ),
    (
        r"pg_hba\.conf",
        "PostgreSQL lets nobody in from here (pg_hba.conf).",
        "Add a line to its pg_hba.conf, such as: host NAME ROLE 127.0.0.1/32 scram-sha-256; then reload it.",
    ),
    (
        "too many|connection slots",
        "All connections that PostgreSQL accepts are taken.",
        "Raise max_connections, or start fewer processes.",
    ),
    (
        "password|authentication",
        "The database refuses the password of DATABASE_URL.",
        "Correct it, with special characters as %40 etc.",
    ),
    (
        "role.*does not exist",
        "The database knows no such role.",
        f"Create both, as the user postgres: {CREATE}",
    ),
    (
        "does not exist",
        "There is no such database.",
        "Create it, as the user postgres: createdb --owner ROLE NAME",
    ),
    (
        "unable to open",
        "The SQLite file cannot be opened.",
        "Is its folder there, and may this user write to it?",
    ),
    (
        "",
        "Nothing answers at the host and port of DATABASE_URL.",
        "Start PostgreSQL, or correct DATABASE_URL.",
    ),
)
"""What an error holds; what it means; the remedy. The first that fits is told."""


@check("Database")
def database() -> Iterator[HealthPart]:
    from django.db import connection
    from django.db.utils import OperationalError

    try:
        connection.ensure_connection()
    except OperationalError as error:
        yield broken(*unreachable(str(error)), name="DATABASE_URL")
        return
    if connection.vendor == "sqlite":
        yield well(f"SQLite {sqlite3.sqlite_version} at {settings.DATABASES['default']['NAME']}.")
    else:
        yield from _postgresql()
        with connection.cursor() as cursor:
            cursor.execute("SELECT coalesce(has_table_privilege(to_regclass('django_migrations'), 'SELECT'), true)")
            if not cursor.fetchone()[0]:  # whose tables these are was said
                return
    yield from _migrations()


def unreachable(error: str) -> tuple[str, str]:
    """Why a database does not answer, and the remedy. Never the address, which holds a password.

    >>> unreachable('FATAL: password authentication failed for user "hlv"')[0]
    'The database refuses the password of DATABASE_URL.'
    """
    return next((sentence, remedy) for words, sentence, remedy in REFUSALS if re.search(words, error, re.DOTALL))


def _postgresql() -> Iterator[HealthPart]:
    from django.db import connection

    from hlvstudy.program.serving import PROCESSES, THREADS

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding'),"
            " coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), clock_timestamp(),"
            " current_setting('max_connections')::int"
        )
        version, encoding, may_create, there, most = cursor.fetchone()
        here = datetime.now(UTC)
        # Only tables of this role's own may be changed by an upgrade.
        cursor.execute(
            "SELECT count(*), min(tableowner) FROM pg_tables WHERE schemaname = current_schema()"
            " AND NOT pg_has_role(tableowner, 'USAGE')"
        )
        foreign, owner = cursor.fetchone()
    yield well(f"PostgreSQL {version} answers.")
    if version < OLDEST_POSTGRESQL:
        yield broken(f"PostgreSQL {version} is too old.", f"Use {OLDEST_POSTGRESQL} or newer.")
    if encoding != "UTF8":
        yield broken(
            f"Its encoding is {encoding}, which cannot hold every text.",
            "Create it again: createdb --encoding=UTF8 --template=template0 --owner ROLE NAME",
        )
    if not may_create:
        yield broken(
            "The role of DATABASE_URL may not create tables.",
            "As the user postgres: psql -c 'ALTER DATABASE name OWNER TO role', or "
            "psql name -c 'GRANT CREATE ON SCHEMA public TO role'",
        )
    if foreign:
        yield broken(
            f"{foreign} tables belong to the role {owner}, not to that of DATABASE_URL: was hlvstudy prepare run with "
            "another address?",
            f"As the user postgres, with the names of your role and database: {GIVE}",
        )
    if (skew := abs((there - here).total_seconds())) > MOST_SKEW:
        yield broken(
            f"This machine's clock and the database's differ by {skew:.0f} seconds.",
            "Let both follow a time server: timedatectl set-ntp true",
            name="Clock",
        )
    if most < PROCESSES * THREADS + 10:
        yield look(
            f"It accepts {most} connections, and the web processes may want {PROCESSES * THREADS}.",
            "Raise max_connections, or start fewer: hlvstudy web --workers 4",
        )


def _migrations() -> Iterator[HealthPart]:
    from django.contrib.auth import get_user_model
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader

    from annotations.background.health import migrations_waiting
    from hlvstudy.backups.tables import PartlyUpgraded, applied_in

    try:
        applied = applied_in(connection)
    except PartlyUpgraded as error:
        yield broken(error.sentence, error.remedy)
        return
    loader = MigrationLoader(None)
    if newer := sorted(key for key in applied if key[0] in loader.migrated_apps and key not in loader.disk_migrations):
        yield broken(
            f"It was brought up to date by a newer version ({newer[0][0]}.{newer[0][1]}).",
            "Install that version again, or restore the backup from before the upgrade.",
        )
    elif waiting := migrations_waiting():
        yield broken(f"{waiting} migrations have not been applied.", "Run: hlvstudy prepare")
    else:
        yield well("Its tables are those of this version.")
        if not get_user_model().objects.filter(is_superuser=True, is_active=True).exists():
            yield look("Nobody may look after this server.", "Run: hlvstudy manage createsuperuser", name="People")


# -- jobs


@check("Broker")
def broker() -> Iterator[HealthPart]:
    from annotations.background.health import broker_trouble

    kind = settings.CELERY_BROKER_URL.partition(":")[0]
    if trouble := broker_trouble():
        yield broken(
            f"The broker cannot be reached ({trouble}).",
            "Start it, or correct CELERY_BROKER_URL.",
            name="CELERY_BROKER_URL",
        )
    elif kind.startswith("sqla+sqlite"):
        yield well("Jobs are announced in a file beside the database.")
    else:
        yield well(f"{kind} answers.")


@check("Worker")
def workers() -> Iterator[HealthPart]:
    from annotations.models.jobs import DEFAULT_QUEUE

    taken = queues_with_workers()
    if taken is None:
        return
    if DEFAULT_QUEUE in taken:
        yield well("One was seen in the last 20 seconds.")
    else:
        yield look("None was seen, so imports, exports and mails wait.", "Start one: hlvstudy worker")


def queues_with_workers() -> list[str] | None:
    """None without a database, of whose finding this would be a repetition."""
    from django.db import DatabaseError

    from annotations.background.jobs import queues_taken

    try:
        return queues_taken()
    except DatabaseError:
        return None


@check("Training")
def training() -> Iterator[HealthPart]:
    """The packages are optional, so their absence is wrong only where a worker is to train."""
    lacking = ", ".join(absent())
    if lacking and QUEUE in settings.HLV_WORKER_QUEUES:
        yield broken(
            f"Workers of this machine are to take jobs from the queue {QUEUE}, and {lacking} cannot be imported.",
            f"Run: {INSTALL}; or remove {QUEUE} from HLV_WORKER_QUEUES.",
            name="HLV_WORKER_QUEUES",
        )
    elif lacking:
        yield well(f"Nothing can be trained on this machine ({INSTALL} adds what it needs).")
    else:
        yield well(f"Models can be trained on this machine (torch {versions().get('torch', '')}).")


@check("Queues")
def queues() -> Iterator[HealthPart]:
    """Which queues exist, which the settings name, and which workers take jobs from."""
    from annotations.background.jobs import job_models

    taken = queues_with_workers()
    if taken is None:
        return
    names = {QUEUE, *(model.queue for model in job_models())}
    for name in sorted(set(settings.HLV_WORKER_QUEUES) - names):
        yield broken(
            f"There is no queue {name}.",
            f"Name some of these, separated by commas: {', '.join(sorted(names))}.",
            name="HLV_WORKER_QUEUES",
        )
    if taken and QUEUE not in taken and not absent():
        yield look(
            f"No worker takes jobs from the queue {QUEUE}, although models could be trained on this machine.",
            f"If somebody wants to train models, start one: hlvstudy worker -Q {QUEUE} --concurrency 1",
            name="Training",
        )
    elif taken:
        yield well(f"Workers take jobs from these: {', '.join(sorted(set(taken)))}.")


# -- other servers


@check("Storage")
def storage() -> Iterator[HealthPart]:
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    name, content = f"doctor/{uuid.uuid4().hex}", uuid.uuid4().hex.encode()
    kind = "S3" if settings.STORAGES["default"]["BACKEND"].startswith("storages.") else "folder"
    try:
        default_storage.save(name, ContentFile(content))
        with default_storage.open(name, "rb") as file:
            is_same = file.read() == content
        default_storage.delete(name)
    except Exception as error:  # the storage's own errors
        reason = getattr(error, "response", {}).get("Error", {}).get("Code", type(error).__name__)
        yield broken(
            f"No file can be kept there ({reason}).",
            "Check host, bucket, key and its rights to read, write, list and delete; or the folder's owner.",
            name="STORAGE_URL",
        )
        return
    if is_same:
        yield well(f"A file was kept, read and deleted ({kind}).")
    else:
        yield broken("It gives back another file than was kept.", "Check the storage server.", name="STORAGE_URL")


EXAMPLE = "smtp+tls://user:password@mail.example.org:587"


@check("Mail")
def mail(to: str = "") -> Iterator[HealthPart]:
    """Sign in at the mail server; with `to`, also send a mail there."""
    from django.core.mail import get_connection, send_mail

    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        yield look(
            "No mail is sent: people get invitations and new passwords only as links that you pass on.",
            f"Set EMAIL_URL, for example {EXAMPLE}.",
            name="EMAIL_URL",
        )
        return
    try:
        with get_connection(timeout=SECONDS) as link:
            if to:
                message = f"This is a test from {settings.PUBLIC_URL}."
                send_mail("HLV Study can send mail", message, None, [to], connection=link)
    except Exception as error:  # SMTP's errors, the network's and TLS's
        name = "DEFAULT_FROM_EMAIL" if isinstance(error, smtplib.SMTPSenderRefused) else "EMAIL_URL"
        yield broken(*unusable(error, to), name=name)
        return
    said = f"A test mail to {to} was accepted; has it arrived?" if to else "The mail server accepts the login."
    yield well(f"{said} Mails come from {settings.DEFAULT_FROM_EMAIL}.")


NOT_MAILED: tuple[tuple[type[Exception], str, str], ...] = (
    (
        smtplib.SMTPAuthenticationError,
        "The mail server refuses the user or the password ({code}).",
        "Correct them in EMAIL_URL, with special characters as %40 etc.; many providers want an app's password.",
    ),
    (
        smtplib.SMTPSenderRefused,
        "The mail server accepts no mail from {sender} ({code}).",
        "Set DEFAULT_FROM_EMAIL to an address that the user of EMAIL_URL may send from; without a user, name one.",
    ),
    (
        smtplib.SMTPRecipientsRefused,
        "The mail server does not deliver to {to} ({code}).",
        "Is the address right? If it is, EMAIL_URL needs a user who may send to other domains.",
    ),
    (
        smtplib.SMTPNotSupportedError,
        "The mail server takes no user and password at {where}.",
        "Most take them only over TLS: write smtp+tls:// instead of smtp://; or leave user and password out.",
    ),
    (
        ssl.SSLCertVerificationError,
        "The certificate of {host} is not valid ({certificate}).",
        "Write the host's name as its certificate has it, or install its authority on this machine.",
    ),
    (
        ssl.SSLError,
        "What answers at {where} does not speak TLS from the first byte on.",
        "Write smtp+tls:// instead of smtp+ssl://, or use the port for it, usually 465.",
    ),
    (socket.gaierror, "There is no host {host}.", "Correct the host in EMAIL_URL."),
    *(
        (
            silence,
            "What answers at {where} does not greet as a mail server does.",
            "If it is port 465, write smtp+ssl://; otherwise correct the port, or allow this machine to reach it.",
        )
        for silence in (TimeoutError, smtplib.SMTPServerDisconnected, smtplib.SMTPConnectError)
    ),
    (smtplib.SMTPException, "The mail server cannot be used ({reason}).", f"Check EMAIL_URL; an example: {EXAMPLE}."),
    (
        OSError,
        "No mail server answers at {where}.",
        "Correct host and port in EMAIL_URL, or allow this machine to reach it.",
    ),
    (Exception, "The mail server cannot be used ({reason}).", f"Check EMAIL_URL; an example: {EXAMPLE}."),
)
"""Why no mail could be sent, and the remedy. The first that fits is told."""
NO_TLS = (
    "The mail server offers no TLS at {where}.",
    "Use the port for it, usually 587, or smtp+ssl:// with port 465; smtp:// only on this machine.",
)


def unusable(error: Exception, to: str = "") -> tuple[str, str]:
    """Which part of EMAIL_URL is the reason, and the remedy. Never what the server says, which may quote a password.

    >>> unusable(ConnectionRefusedError())[0].partition(" at ")[0]
    'No mail server answers'
    """
    code = getattr(error, "smtp_code", None)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code = error.recipients[to][0]
    sentence, remedy = next((said, remedy) for kind, said, remedy in NOT_MAILED if isinstance(error, kind))
    if isinstance(error, smtplib.SMTPNotSupportedError) and settings.EMAIL_USE_TLS:
        sentence, remedy = NO_TLS
    said = sentence.format(
        code=code,
        to=to,
        sender=settings.DEFAULT_FROM_EMAIL,
        host=settings.EMAIL_HOST,
        where=f"{settings.EMAIL_HOST}, port {settings.EMAIL_PORT}",
        certificate=getattr(error, "verify_message", ""),
        reason=f"{type(error).__name__} {code}" if code else type(error).__name__,
    )
    return said, remedy


@check("Webhook")
def webhook() -> Iterator[HealthPart]:
    if not settings.NOTIFY_WEBHOOK_URL:
        return
    parts = urlsplit(settings.NOTIFY_WEBHOOK_URL)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=SECONDS).close()
    except OSError as error:
        said = f"Nothing answers at {parts.hostname} ({error.strerror or type(error).__name__})."
        yield broken(said, "Correct it, or allow this machine to reach it.", name="NOTIFY_WEBHOOK_URL")
    else:
        yield well(f"{parts.hostname} can be reached.")


@check("Sign-in provider")
def provider() -> Iterator[HealthPart]:
    """Whether the sign-in provider answers, and is the one of the settings."""
    from annotations.ground.errors import HLVError
    from annotations.people.sign_in import provider as sign_in

    if not sign_in.is_on():
        return
    try:
        sign_in.endpoints()
    except HLVError as error:
        remedy = "Set OIDC_ISSUER exactly as the provider names itself."
        yield broken(error.message, remedy, name="OIDC_ISSUER")
    else:
        yield well(f"{settings.OIDC_NAME} answers; it must know {sign_in.redirect_address()}.")


@check("Django")
def django() -> Iterator[HealthPart]:
    """What Django's own checks say; the deployment's only for a server that others can reach."""
    from django.core import checks

    for message in checks.run_checks(include_deployment_checks=not is_local()):
        condition = broken if message.is_serious() else look
        remedy = str(message.hint or "See Django's documentation.")
        yield condition(str(message.msg).splitlines()[0], remedy, name=str(message.id))
