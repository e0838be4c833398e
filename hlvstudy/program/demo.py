"""`hlvstudy demo`: from nothing to a running study with invented data, or with your own, and a clean stop on Ctrl-C.

`make demo` prepares the checkout and then runs this.
"""

import fcntl
import hashlib
import os
import re
import sqlite3
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

from hlvstudy.places import BASE, IS_INSTALLED, STATE
from hlvstudy.program.serving import DEFAULT_PORT, end_as_by_ctrl_c, refuse_busy, served, wait
from hlvstudy.program.steps import Trouble, last_lines, run_step, say
from metaeval.training.extra import is_installed

MARKS = ("README.txt", "demo-logins.json")
"""Files that mark a demo's folder: the first is current, the other from earlier versions."""

DATABASE = "hlvstudy.sqlite3"
LOCK = "demo.lock"
"""The file that a running demo holds, with its address."""


INVENTED = "invented data"
PREPARE = "import sys; from hlvstudy.program.managing import prepare_demo; prepare_demo(*sys.argv[1:])"
TRAINS = "SELECT 1 FROM metaeval_trainingjob WHERE state IN ('queued', 'running') LIMIT 1"
"""Asked of the file itself: with Django in this process, it would take as much memory as the worker that it saves."""


def demo_folder(wanted: str | None, *, real: Path | None = None) -> Path:
    """The demo's folder, created if missing: the requested one, or else one in the default place.

    Args:
        real: where the data come from, if they are not invented; each source has its own demo and folder.

    Raises:
        Trouble: it cannot be created, or contains a study that is not this demo.
    """
    folder = Path(wanted).expanduser().absolute() if wanted else STATE / _own_name(real)
    if (folder / DATABASE).exists() and not any((folder / mark).exists() for mark in MARKS):
        raise Trouble(
            f"{folder} holds a database that is not the demo's, and the demo would change it. "
            "Choose another folder (--folder or HLV_STATE)."
        )
    kind, mark = f"files of {real}" if real else INVENTED, folder / MARKS[0]
    noted = re.search("^It shows (.+)$", mark.read_text(), re.MULTILINE) if mark.exists() else None
    before = noted[1] if noted else INVENTED if (folder / DATABASE).exists() else kind
    if before != kind:
        raise Trouble(f"{folder} holds the demo of {before}. Choose another folder (--folder or HLV_STATE) for {kind}.")
    try:
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        sentence = "The demo of HLV Study keeps everything in this folder. Delete the folder when you are done."
        mark.write_text(f"{sentence}\nIt shows {kind}\n")
    except OSError as error:
        raise Trouble(f"The folder {folder} cannot be used ({error.strerror}).") from None
    return folder


def _own_name(real: Path | None) -> str:
    if real is None:
        return "demo"
    return f"demo-{re.sub('[^A-Za-z0-9]+', '-', real.name)[:30]}-{hashlib.sha256(str(real).encode()).hexdigest()[:6]}"


def real_folder(wanted: str) -> Path:
    """The folder with somebody's own files, if a demo can be made from its contents; prints what was found.

    Raises:
        Trouble: no demo can be made, with the reason.
    """
    folder = Path(wanted).expanduser().absolute()
    if not folder.is_dir():
        raise Trouble(f"There is no folder {folder}.")
    with TemporaryDirectory() as nowhere:  # nothing is started before it is certain that something can be shown
        env = demo_environment(Path(nowhere), DEFAULT_PORT)
        Path(env["TMPDIR"]).mkdir()
        command = [sys.executable, "-m", "hlvstudy", "manage", "load_demo", "--real", str(folder), "--look"]
        log, cwd = Path(nowhere, "look.log"), where_to_run(Path(nowhere))
        what = f"Looking through {folder}"
        say(run_step(what, command, log=log, cwd=cwd, env=env, explain=_said_by_command).rstrip())
    return folder


def _said_by_command(what: str, output: str, log: Path) -> str:
    """The command's own sentence, which says everything; else the last lines."""
    _, separator, message = output.rpartition("CommandError: ")
    return message.strip() if separator else last_lines(what, output, log)


def demo(
    *, folder: Path, port: int, real: Path | None = None, opens_browser: bool = True, parent: int | None = None
) -> int:
    """Prepare everything in the folder, serve until Ctrl-C, and stop.

    Args:
        real: a folder with somebody's own files, from which the demo is made instead of invented data.
        opens_browser: open the first page, if somebody is there to see it.
        parent: the program that this one works for (`make`); it stops when that ends.
    """
    end_as_by_ctrl_c()
    with _only_one(folder, address := f"http://127.0.0.1:{port}"):
        refuse_busy(port, another=another_demo)
        env = demo_environment(folder, port)
        logins = _prepare(folder, env, real)
        try:
            with served(port, env=env, logs=folder, cwd=where_to_run(folder)) as servers:
                say(f"\nHLV Study is running at {address}: step into a role there with one click.")
                say(f"\n{logins}\n")
                if opens_browser and open_browser(address):
                    say("It opens in your browser.")
                say(f"Press Ctrl-C to stop. Everything is kept for the next time, in {folder}.")
                trains = (lambda: somebody_trains(folder)) if is_installed() else None
                wait(servers, parent=parent, trains=trains)
        except KeyboardInterrupt:
            pass
    return 0


def open_browser(address: str) -> bool:
    """Show the address in the person's browser; returns whether there was one to ask."""
    if not has_somebody_who_looks():
        return False
    with suppress(webbrowser.Error, OSError):
        return webbrowser.open(address)
    return False


def has_somebody_who_looks() -> bool:
    """Whether a person is at a terminal of this machine, with a screen: not in a pipe, in CI, or over the network."""
    if not sys.stdout.isatty() or os.environ.get("CI"):
        return False
    if sys.platform in {"darwin", "win32"}:
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextmanager
def _only_one(folder: Path, address: str) -> Iterator[None]:
    """Hold the folder, as long as this program lives: two demos in it would write into each other's files.

    Raises:
        Trouble: another one runs there.
    """
    with (folder / LOCK).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise Trouble(
                f"The demo in {folder} is already running at {file.read()}. Open it there, or stop it first. "
                "For another demo beside it, name another folder (--folder or HLV_STATE)."
            ) from None
        except OSError:  # a file system without locks
            pass
        file.truncate(0)
        file.write(address)
        file.flush()
        yield


def _prepare(folder: Path, env: dict[str, str], real: Path | None) -> str:
    """Everything in one process, because each would import Django anew; returns the logins, as they are shown."""
    say("Preparing (20 seconds the first time, a few after that):")
    what = "your data (the answers are simulated)" if real else "the demo study (simulated data)"
    output = run_step(
        f"The database, the pages and {what}",
        [sys.executable, "-c", PREPARE, *([real] if real else [])],
        log=folder / "prepare.log",
        cwd=where_to_run(folder),
        env=env,
        explain=_said_by_command,
    )
    title, rest = "Sign in as:", output.splitlines()
    return "\n".join([title, *takewhile(lambda line: line.startswith("  "), rest[rest.index(title) + 1 :])])


def somebody_trains(folder: Path) -> bool:
    """Whether a training in the demo waits for a worker; False as long as nobody can say."""
    try:
        with closing(sqlite3.connect(f"{(folder / DATABASE).as_uri()}?mode=ro", uri=True, timeout=1)) as database:
            return database.execute(TRAINS).fetchone() is not None
    except sqlite3.OperationalError:
        return False


def another_demo(port: int) -> str:
    """The command for a demo on another port."""
    return f"hlvstudy demo --port {port}"


def demo_environment(folder: Path, port: int) -> dict[str, str]:
    """Everything on SQLite and an embedded broker, in its own folder, whatever is set on this machine."""
    ours = {
        "DJANGO_SETTINGS_MODULE": "hlvstudy.settings",
        "DEBUG": "0",
        "SECRET_KEY": "",  # the settings make one and keep it in HLV_STATE
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "ALLOWED_HOSTS": "localhost",
        "BEHIND_PROXY": "0",
        "HLV_DEMO": "1",  # roles to step into without a password; the server checks that this is on this machine
        "HLV_STATE": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / DATABASE}",
        "CELERY_BROKER_URL": f"sqla+sqlite:///{folder / 'broker.sqlite3'}",
        "HLV_WORKER_QUEUES": "celery",  # serving.py starts another worker for trainings
        "STATIC_ROOT": str(folder / "static"),
        "LOG_LEVEL": "WARNING",
        # Invented people must not get mail, and nobody must be notified about their answers.
        "EMAIL_URL": "consolemail://",
        "NOTIFY_WEBHOOK_URL": "",
    }
    # Also what libraries cache and what a killed process leaves: deleting the folder removes the whole demo. Compiled
    # loops belong to the program: they are beside it, for every demo, or here, where that cannot be written.
    ours |= {"TMPDIR": str(folder / "tmp"), "XDG_CACHE_HOME": str(folder / "cache")}
    ours |= {"XDG_CONFIG_HOME": str(folder / "cache")}
    return {**os.environ, **ours}


def where_to_run(folder: Path) -> Path:
    """A checkout's packages are found from there; for an installed program, no stray file is taken for a package."""
    return folder if IS_INSTALLED else BASE
