"""`hlvstudy demo`: from nothing to a running study with invented data, and a clean stop on Ctrl-C.

`make demo` prepares the checkout and then runs this.
"""

import os
import sys
from pathlib import Path

from hlvstudy.places import BASE, IS_INSTALLED, STATE
from hlvstudy.program.serving import served, wait
from hlvstudy.program.steps import Trouble, run_step, say

MARKS = ("README.txt", "demo-logins.json")
"""Files by one of which a folder of the demo is known: the first since it began, the other of earlier versions."""

DATABASE = "hlvstudy.sqlite3"


def demo_folder(wanted: str | None) -> Path:
    """The folder of the demo, made if it is not there yet: what was asked for, or else one beside everything else.

    Raises:
        Trouble: it cannot be made, or holds a study that is not the demo.
    """
    folder = Path(wanted).expanduser().absolute() if wanted else STATE / "demo"
    if (folder / DATABASE).exists() and not any((folder / mark).exists() for mark in MARKS):
        raise Trouble(
            f"{folder} holds a database that is not the demo's, which the demo would change. "
            "Name another one (--folder or HLV_STATE)."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARKS[0]).write_text("The demo of HLV Study keeps everything here. Delete it when you are done.\n")
    except OSError as error:
        raise Trouble(f"The folder {folder} cannot be used ({error.strerror}).") from None
    return folder


def demo(*, folder: Path, port: int) -> int:
    """Prepare everything in the folder, serve until Ctrl-C, and stop."""
    env = demo_environment(folder, port)
    say("Preparing (a minute the first time, some seconds later on):")
    _manage(folder, env, "Preparing the database and the pages", "prepare")
    _manage(folder, env, "Loading the demo study (simulated data)", "manage", "load_demo")
    # Only here, where nobody but the person at this machine comes: elsewhere the demo's admin administers the demo.
    admin = ("manage", "set_roles", "admin@example.org", "--admin")
    _manage(folder, env, "Letting its admin administer the installation", *admin)
    logins = _manage(folder, env, "Reading its logins", "manage", "load_demo", "--print-logins")
    try:
        with served(port, env=env, logs=folder, cwd=where_to_run(folder)) as processes:
            say(f"\nHLV Study answers at http://127.0.0.1:{port}\n\n{logins.rstrip()}\n")
            say(f"Press Ctrl-C to stop. Everything is kept for the next time, in {folder}.")
            wait(processes)
    except KeyboardInterrupt:
        pass
    return 0


def demo_environment(folder: Path, port: int) -> dict[str, str]:
    """Everything on SQLite and on an embedded broker, in a folder of its own, whatever else is set here."""
    ours = {
        "DJANGO_SETTINGS_MODULE": "hlvstudy.settings",
        "DEBUG": "0",
        "SECRET_KEY": "",  # the settings make one and keep it in HLV_STATE
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "ALLOWED_HOSTS": "localhost",
        "BEHIND_PROXY": "0",
        "HLV_STATE": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / DATABASE}",
        "CELERY_BROKER_URL": f"sqla+sqlite:///{folder / 'broker.sqlite3'}",
        "STATIC_ROOT": str(folder / "static"),
        "LOG_LEVEL": "WARNING",
        # Invented people must not get mail, and nobody be told of their answers.
        "EMAIL_URL": "consolemail://",
        "NOTIFY_WEBHOOK_URL": "",
    }
    if IS_INSTALLED:
        # What libraries keep for themselves, too: the demo is gone with its folder.
        ours |= {"NUMBA_CACHE_DIR": str(folder / "cache"), "XDG_CACHE_HOME": str(folder / "cache")}
    return {**os.environ, **ours}


def where_to_run(folder: Path) -> Path:
    """A checkout's packages are found from there; of an installed program no file that lies about is taken for one."""
    return folder if IS_INSTALLED else BASE


def _manage(folder: Path, env: dict[str, str], what: str, *command: str) -> str:
    program = [sys.executable, "-m", "hlvstudy", *command]
    return run_step(what, program, log=folder / "prepare.log", cwd=where_to_run(folder), env=env)
