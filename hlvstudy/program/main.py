"""The command `hlvstudy`: `demo`, `prepare`, `web`, `worker` and `manage`."""

import argparse
import os
import sys
from pathlib import Path

from hlvstudy import __version__
from hlvstudy.places import STATE
from hlvstudy.program import serving
from hlvstudy.program.demo import demo, demo_folder, real_folder
from hlvstudy.program.managing import manage, prepare, refuse_unprepared
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
    known, others = parser.parse_known_args(arguments)
    if others and known.command not in {"web", "worker", "manage"}:
        parser.error(f"unknown: {' '.join(others)}")
    if known.command == "demo":
        port = serving.free_port(known.port, another=lambda other: f"hlvstudy demo --port {other}")
        real = real_folder(known.real) if known.real else None
        return demo(
            folder=demo_folder(known.folder or os.environ.get("HLV_STATE"), real=real),
            port=port,
            real=real,
            opens_browser=known.browser,
            parent=os.getppid() if known.ends_with_parent else None,
        )
    _keep_in(known.folder)
    match known.command:
        case "prepare":
            prepare()
        case "web":
            refuse_unprepared()
            _become([*serving.WEB, "--bind", known.bind, *others])
        case "worker":
            refuse_unprepared()
            _become([*serving.WORKER, *others])
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
    # All its options are Django's, including --help.
    commands.add_parser("manage", help="run a command of manage.py: hlvstudy manage help lists them", add_help=False)
    return parser


def _keep_in(folder: str | None) -> None:
    if folder:
        os.environ["HLV_STATE"] = str(Path(folder).expanduser().absolute())


def _become(command: list[str]) -> None:
    """Replace this process, so that a supervisor's signals reach the server itself."""
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *command])
