"""What this machine must offer: a folder that is ours, room, locks, programs."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from hlvstudy.program.doctor.findings import Diagnosis, look, well, wrong
from hlvstudy.program.steps import Trouble
from hlvstudy.security import LOOPBACK, OTHERS

NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "fuse.sshfs", "beegfs"}
LITTLE = 2 * 1024**3
TOO_LITTLE = 200 * 1024**2
PLUGINS = (
    "hlvstudy.metrics",
    "hlvstudy.importers",
    "hlvstudy.exporters",
    "hlvstudy.analyses",
    "hlvstudy.methods",
    "hlvstudy.encoders",
)
MOUNTS = Path("/proc/mounts")


def user() -> Iterator[Diagnosis]:
    if os.geteuid() == 0:
        serious = wrong if not is_local() else look
        yield serious(
            "User",
            "This runs as root, so a hole in any library would open the whole machine.",
            "Run it as a user of its own: sudo -u hlvstudy hlvstudy doctor.",
        )
    else:
        yield well("User", f"It runs as user {os.geteuid()}, not as root.")


def is_local() -> bool:
    from urllib.parse import urlsplit

    return urlsplit(settings.PUBLIC_URL).hostname in LOOPBACK


def folder() -> Iterator[Diagnosis]:
    """HLV_STATE."""
    place: Path = settings.STATE_DIR
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        yield wrong(
            "HLV_STATE",
            f"Nothing can be written to {place} ({error.strerror}).",
            f"Give it to the user that runs the server: chown -R hlvstudy {place}",
        )
        return
    foreign = [path for path in place.iterdir() if path.stat().st_uid != os.geteuid()] if os.geteuid() else []
    if foreign:
        yield wrong(
            "HLV_STATE",
            f"{foreign[0]} belongs to another user: was a command run as root?",
            f"Give it back: chown -R hlvstudy {place}",
        )
    # A closed folder closes all in it; what is named here may be a link to elsewhere.
    files = [place, *place.glob("*.sqlite3*"), *place.glob("secret_key")]
    open_to_all = [path for path in files if path.stat().st_mode & OTHERS]
    if open_to_all:
        yield wrong(
            "HLV_STATE",
            f"Everybody on this machine can read {open_to_all[0]}.",
            f"Close it: chmod -R o= {place}",
        )
    else:
        yield well("HLV_STATE", f"{place} can be written, and only by its owner ({mode_of(place)}).")


def mode_of(path: Path) -> str:
    return stat.filemode(path.stat().st_mode)


def room() -> Iterator[Diagnosis]:
    for what, place in (("Disk", settings.STATE_DIR), ("Temporary files", Path(tempfile.gettempdir()))):
        free = shutil.disk_usage(place).free
        said = f"{free / 1024**3:.1f} GB are free at {place}."
        if free < TOO_LITTLE:
            yield wrong(what, said, "Free some space: a full disk cannot save answers.")
        elif free < LITTLE:
            yield look(what, said, "Free some space before it is full.")
        else:
            yield well(what, said)


def network_disk() -> Iterator[Diagnosis]:
    files = {"the database": settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")}
    files["the queue of jobs"] = settings.CELERY_BROKER_URL.startswith("sqla+sqlite")
    kind = file_system_of(settings.STATE_DIR, MOUNTS.read_text() if MOUNTS.exists() else "")
    if kind in NETWORK and any(files.values()):
        what = " and ".join(name for name, is_file in files.items() if is_file)
        yield wrong(
            "HLV_STATE",
            f"It is on a network disk ({kind}), where SQLite, which keeps {what}, loses data.",
            "Set HLV_STATE to a local disk, or use PostgreSQL and Redis (DATABASE_URL, CELERY_BROKER_URL).",
        )


def file_system_of(place: Path, mounts: str) -> str:
    r"""The kind of file system a folder is on.

    >>> mounts = "/dev/sda1 / ext4 rw 0 0\nnas:/home /home/shared nfs4 rw 0 0"
    >>> file_system_of(Path("/home/shared/hlv"), mounts), file_system_of(Path("/home/other"), mounts)
    ('nfs4', 'ext4')
    """
    found = [line.split()[1:3] for line in mounts.splitlines() if len(line.split()) > 2]
    fits = [(point, kind) for point, kind in found if place.absolute().is_relative_to(point)]
    return max(fits, key=lambda one: len(one[0]), default=("", ""))[1]


def locks() -> Iterator[Diagnosis]:
    problem = no_locks()
    if problem:
        yield wrong("Locks", problem, SHARED_MEMORY)
    else:
        yield well("Locks", "Processes of a worker can lock one another out.")


SHARED_MEMORY = "Make /dev/shm writable: mount -t tmpfs -o mode=1777 tmpfs /dev/shm; in a container, remove --ipc=none."


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


def home() -> Iterator[Diagnosis]:
    if "control-socket" in os.environ.get("GUNICORN_CMD_ARGS", "") and not os.access(Path.home(), os.W_OK):
        yield wrong(
            "GUNICORN_CMD_ARGS",
            f"gunicorn is asked for a control socket, which it makes in {Path.home()}, where it may not write.",
            "Remove it from GUNICORN_CMD_ARGS: `hlvstudy web` needs none.",
        )


def pages() -> Iterator[Diagnosis]:
    from hlvstudy.program.managing import STAMP, fingerprint_of_pages

    stamp = Path(settings.STATIC_ROOT) / STAMP
    if not stamp.is_file():
        yield wrong("Pages", f"They have not been collected into {settings.STATIC_ROOT}.", "Run: hlvstudy prepare")
    elif stamp.read_text() != fingerprint_of_pages():
        yield wrong("Pages", "They are those of another version.", "Run: hlvstudy prepare")
    else:
        yield well("Pages", "They are collected and those of this version.")


def programs() -> Iterator[Diagnosis]:
    missing = []
    if shutil.which("pandoc") is None:
        missing.append("Word reports (pandoc)")
    try:
        import weasyprint  # noqa: F401 - it loads the machine's Pango
    except OSError:
        missing.append("PDF reports (Pango)")
    if missing:
        yield look(
            "Optional programs",
            f"Not available: {' and '.join(missing)}.",
            "apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 pandoc",
        )
    else:
        yield well("Optional programs", "PDF and Word reports can be made.")


def plugins() -> Iterator[Diagnosis]:
    from importlib.metadata import entry_points

    for group in PLUGINS:
        for point in entry_points(group=group):
            try:
                point.load()
            except Exception as error:  # a plug-in may raise anything
                package = point.dist.name if point.dist else point.value
                yield wrong(
                    f"Plug-in {point.name}",
                    f"It cannot be loaded, and stops everything that lists {group.partition('.')[2]} "
                    f"({type(error).__name__}: {error}).",
                    f"Repair the package {package}, or remove it: pip uninstall {package}",
                )
