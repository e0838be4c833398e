"""The command `hlvstudy`: its subcommands, each in a module of its own."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from hlvstudy import __version__
from hlvstudy.places import STATE
from hlvstudy.program import serving
from hlvstudy.program.demo import another_demo, demo, demo_folder, real_folder
from hlvstudy.program.managing import forget_old_figures, manage, prepare, refuse_unprepared
from hlvstudy.program.steps import Trouble

FOLDER = f"where databases, uploads and pages are kept (else HLV_STATE, else {STATE.name} in {STATE.parent})"
SETTINGS = "Settings are environment variables, or lines NAME=value in a file .env here: docs/deploy.md lists them."


def main(arguments: list[str] | None = None) -> int:
    """Run one command; errors that a person can fix are one sentence, with exit code 1."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except Trouble as trouble:
        print(f"\n{trouble}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _run(arguments: list[str]) -> int:
    parser = _parser()
    options, others = parser.parse_known_args(arguments)
    if others and options.command not in {"web", "worker", "manage"}:
        parser.error(f"unknown: {' '.join(others)}")
    if options.command == "demo":
        port = serving.port_number(options.port, another=another_demo)
        real = real_folder(options.real) if options.real else None
        return demo(
            folder=demo_folder(options.folder or os.environ.get("HLV_STATE"), real=real),
            port=port,
            real=real,
            opens_browser=options.browser,
            parent=os.getppid() if options.ends_with_parent else None,
        )
    if options.folder:
        os.environ["HLV_STATE"] = str(Path(options.folder).expanduser().absolute())
    match options.command:
        case "prepare":
            prepare()
        case "web":
            refuse_unprepared()
            forget_old_figures()
            _become([*serving.WEB, "--bind", options.bind, *others])
        case "worker":
            refuse_unprepared()
            from hlvstudy.checks.machine import SHARED_MEMORY, no_locks

            if reason := no_locks():
                raise Trouble(f"{reason} {SHARED_MEMORY}")
            _become([*serving.WORKER, *others])
        case "backup" | "restore" | "move-database" | "upgrade":
            from hlvstudy.program.databases import COMMANDS

            COMMANDS[options.command](options)
        case "doctor":
            from hlvstudy.program.doctor import examine

            return examine(mail_to=options.mail_to, as_json=options.json)
        case "manage":
            manage(others, program="hlvstudy manage")
        case _:
            parser.print_help()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hlvstudy",
        description="HLV Study: experts label texts and compare label distributions; "
        "researchers learn which metric agrees with them.",
        epilog="Begin with: hlvstudy demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"hlvstudy {__version__}")
    parser.add_argument("--folder", help=FOLDER)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    def command(name: str, summary: str, description: str, *, folder: str = FOLDER) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=summary, description=description, epilog=SETTINGS, allow_abbrev=False)
        # Only if given here; a value given before the command stays.
        made.add_argument("--folder", help=folder, default=argparse.SUPPRESS)
        return made

    trial = command(
        "demo",
        "try it: a study with invented data, on this machine only",
        "Start a study with invented data on this machine, show its three roles in the browser, each one click away, "
        "and stop on Ctrl-C. It keeps everything in one folder, and ignores this machine's settings.",
        folder=f"where all of it is kept (else HLV_STATE, else {STATE.name}/demo in {STATE.parent})",
    )
    trial.add_argument("--port", default=str(serving.DEFAULT_PORT), help="the address's port (default: %(default)s)")
    trial.add_argument(
        "--real",
        metavar="FOLDER",
        help="start from the datasets and predictions in this folder; simulated experts answer",
    )
    trial.add_argument(
        "--no-browser", dest="browser", action="store_false", help="only print the address, open no browser"
    )
    trial.add_argument("--ends-with-parent", action="store_true", help=argparse.SUPPRESS)  # for make, if it is killed
    trial.epilog = None
    command(
        "prepare",
        "bring the database and the pages up to date: before the first start and after every upgrade",
        "Migrate the database and collect the pages. Run it before the first start and after every upgrade.",
    )
    web = command(
        "web",
        "run the web server",
        "Run the web server (gunicorn). Options that are not listed here are gunicorn's, for example --workers 4.",
    )
    web.add_argument("--bind", default="127.0.0.1:8000", help="address and port to listen on (default: %(default)s)")
    command(
        "worker",
        "run a worker, which computes analyses and sends mails; at least one must run",
        "Run a worker (celery). Options that are not listed here are celery's, for example --concurrency 4.",
    )
    _add_copying(command)
    doctor = command(
        "doctor",
        "look at every setting and at what it leads to, and say what is wrong and how to fix it",
        "Look at every setting, this machine, the database, the broker, the storage and the mail server. Says in a "
        "sentence what is wrong, and how to fix it. Ends with code 1 if anything is.",
    )
    doctor.add_argument("--mail-to", default="", metavar="ADDRESS", help="send a test mail to this address")
    doctor.add_argument("--json", action="store_true", help="for programs")
    # All its options are Django's, including --help.
    commands.add_parser("manage", help="run a command of manage.py: hlvstudy manage help lists them", add_help=False)
    return parser


def _add_copying(command: Callable[[str, str, str], argparse.ArgumentParser]) -> None:
    """The commands that copy the database."""
    parser = command(
        "backup",
        "make one file with the database and all files, while the server runs",
        "Make one file with the database and the files that belong to it, as they are at one moment, while the "
        "server runs. Or check such a file.",
    )
    parser.add_argument(
        "--to",
        metavar="PLACE",
        help="a folder, a new file, or - for standard output, for example to encrypt it "
        "(default: the folder's backups)",
    )
    parser.add_argument(
        "--keep", type=int, metavar="N", help="afterwards, delete the oldest of the folder's backups, except for N"
    )
    parser.add_argument("--without-uploads", action="store_true", help="leave uploaded and exported files out")
    parser.add_argument("--check", metavar="FILE", help="make no backup, but read FILE and say whether it is whole")
    parser = command(
        "restore",
        "make a backup the database again, of either kind",
        "Make a backup the database again: all of it, or nothing is changed. It may come from SQLite or "
        "PostgreSQL, and go to either. Stop the servers and the workers first.",
    )
    parser.add_argument("file", metavar="FILE", help="a backup made by hlvstudy backup, or - for standard input")
    parser.add_argument("--replace", action="store_true", help="replace a database that is in use; asks for its name")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--keep-version",
        action="store_true",
        help="leave the database as the version that made the backup had it, to go back to that version",
    )
    parser = command(
        "move-database",
        "copy everything into another database, for example from SQLite to PostgreSQL",
        "Copy everything into another, empty database, and compare. The present one is not changed. Stop the "
        "servers and the workers first.",
    )
    parser.add_argument("url", metavar="URL", help="the address of an empty database, as in DATABASE_URL")
    parser = command(
        "upgrade",
        "after installing a new version: back up, migrate, check",
        "Back up the database, bring it and the pages up to this version, and check them. If something fails, the "
        "database is as it was. Stop the servers and the workers first.",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument("--no-backup", action="store_true", help="make no backup first; you have one already")


def _become(command: list[str]) -> None:
    """Replace this process, so that a supervisor's signals reach the server itself."""
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *command])
