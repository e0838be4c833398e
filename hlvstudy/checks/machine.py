"""This machine: its user, folders, disks and programs."""

import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from annotations.shown.plurals import one_decimal
from hlvstudy.checks.conditions import Gauge, HealthPart, broken, gauge, look, well
from hlvstudy.places import PAGES
from hlvstudy.security import LOOPBACK, OTHERS

LITTLE = 2 * 1024**3
LITTLE_SHARE = 0.05
TOO_LITTLE = 200 * 1024**2
MOUNTS = Path("/proc/mounts")


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


def room() -> Iterator[HealthPart]:
    for name, place in (("Disk", settings.STATE_DIR), ("Temporary files", Path(tempfile.gettempdir()))):
        free = shutil.disk_usage(place).free
        sentence = f"{free / 1024**3:.1f} GB are free at {place}."
        if free < TOO_LITTLE:
            yield broken(sentence, "Free some space: a full disk cannot save answers.", name=name)
        elif free < LITTLE:
            yield look(sentence, "Free some space before it is full.", name=name)
        else:
            yield well(sentence, name=name)


def little_space() -> bool:
    """Whether the disk of the state folder is nearly full."""
    usage = shutil.disk_usage(settings.STATE_DIR)
    return usage.free < LITTLE or usage.free < LITTLE_SHARE * usage.total


def disk_on_page() -> HealthPart:
    usage = shutil.disk_usage(settings.STATE_DIR)
    sentence = _("{free} of {total} are free on the disk for uploads and results.").format(
        free=in_units(usage.free), total=in_units(usage.total)
    )
    if little_space():
        return look(sentence, _("Free some space before it is full. A full disk cannot save answers."))
    return well(sentence)


def figures_of_disk() -> list[Gauge]:
    free = shutil.disk_usage(settings.STATE_DIR).free
    return [gauge("hlv_disk_free_bytes", "Free space on the disk of the state folder", free)]


def in_units(size: int) -> str:
    """A size in readable units.

    >>> in_units(1_288_490_189)
    '1.2 GB'
    """
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{one_decimal(amount)} {unit}"
        amount /= 1024
    return f"{one_decimal(amount)} TB"


NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "fuse.sshfs", "beegfs"}


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


def home() -> Iterator[HealthPart]:
    if "control-socket" in os.environ.get("GUNICORN_CMD_ARGS", "") and not os.access(Path.home(), os.W_OK):
        yield broken(
            f"gunicorn is asked for a control socket, which it makes in {Path.home()}, where it may not write.",
            "Remove it from GUNICORN_CMD_ARGS: `hlvstudy web` needs none.",
        )


STAMP = "pages.sha256"
"""In STATIC_ROOT's folder: what the pages were collected from."""


def pages() -> Iterator[HealthPart]:
    stamp = Path(settings.STATIC_ROOT) / STAMP
    if not stamp.is_file():
        yield broken(f"They have not been collected into {settings.STATIC_ROOT}.", "Run: hlvstudy prepare")
    elif stamp.read_text() != fingerprint_of_pages():
        yield broken("They are those of another version.", "Run: hlvstudy prepare")
    else:
        yield well("They are collected and those of this version.")


def fingerprint_of_pages() -> str:
    """A fingerprint of what is collected: our pages, and those of other packages by their versions."""
    from importlib.metadata import version

    packages = ("django", "djangorestframework", "drf-spectacular-sidecar", "whitenoise")
    files = sorted(path for path in PAGES.rglob("*") if path.is_file())
    found = [*(f"{name} {version(name)}" for name in packages), sys.version]
    found += [f"{path.relative_to(PAGES)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]
    return hashlib.sha256("\n".join(found).encode()).hexdigest()


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


def django() -> Iterator[HealthPart]:
    """What Django's own checks say; the deployment's only for a server that others can reach."""
    from django.core import checks

    for message in checks.run_checks(include_deployment_checks=not is_local()):
        condition = broken if message.is_serious() else look
        remedy = str(message.hint or "See Django's documentation.")
        yield condition(str(message.msg).splitlines()[0], remedy, name=str(message.id))
