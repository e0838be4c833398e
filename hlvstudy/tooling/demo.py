"""`make demo`: from nothing to a running study, and a clean stop on Ctrl-C."""

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

from .prepare import BIN, PYTHON, ROOT, STATE, Trouble, environment, pages, python_packages, run_step, say, translations

HOME = Path(os.environ.get("HLV_STATE", STATE / "demo"))
START_SECONDS = 60
STOP_SECONDS = 15


def main(_: list[str]) -> int:
    port = wanted_port()
    say("Preparing (the first time takes a few minutes, later it is quick):")
    python_packages(dev=False)
    translations()
    pages()
    env = demo_environment(port)
    run_step("Preparing the database", [PYTHON, "manage.py", "migrate", "--no-input"], env=env)
    run_step(
        "Collecting the pages",
        [PYTHON, "manage.py", "collectstatic", "--no-input", "--clear", "-i", "index.html"],
        env=env,
    )
    run_step("Loading the demo study (simulated data)", [PYTHON, "manage.py", "load_demo"], env=env)
    # Only here, where nobody but the person at this machine comes: elsewhere the demo's admin administers the demo.
    make_admin: list[str | Path] = [PYTHON, "manage.py", "set_roles", "admin@example.org", "--admin"]
    run_step("Letting its admin administer the installation", make_admin, env=env)
    logins = subprocess.run(
        [str(PYTHON), "manage.py", "load_demo", "--print-logins"],
        cwd=ROOT,
        env=env,
        text=True,
        capture_output=True,
        check=False,
    )
    if logins.returncode:
        raise Trouble(f"The demo's logins could not be read:\n{logins.stderr[-2000:]}")
    return serve(port, env, logins.stdout)


def wanted_port() -> int:
    """The port to listen on; a plain sentence when it is taken."""
    text = os.environ.get("PORT", "8000")
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise Trouble(f"PORT is {text!r}, not a number from 1 to 65535. Try: make demo PORT=8001")
    port = int(text)
    with socket.socket() as probe:
        # As the server will: a port that was just given back is not busy.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise Trouble(
                f"Port {port} cannot be used ({error.strerror}): another program listens there. "
                f"Stop it, or take another port: make demo PORT={port + 1 if port < 65535 else 8000}"
            ) from None
    return port


def demo_environment(port: int) -> dict[str, str]:
    """Everything on SQLite and on an embedded broker, in a folder of its own, whatever else is set here."""
    HOME.mkdir(parents=True, exist_ok=True)
    return environment(
        DJANGO_SETTINGS_MODULE="hlvstudy.settings",
        DEBUG="0",
        SECRET_KEY="",  # the settings make one and keep it in HLV_STATE
        PUBLIC_URL=f"http://127.0.0.1:{port}",
        ALLOWED_HOSTS="localhost",
        HLV_STATE=str(HOME),
        DATABASE_URL=f"sqlite:///{HOME / 'hlvstudy.sqlite3'}",
        CELERY_BROKER_URL=f"sqla+sqlite:///{HOME / 'broker.sqlite3'}",
        STATIC_ROOT=str(HOME / "static"),
        LOG_LEVEL="WARNING",
    )


def serve(port: int, env: dict[str, str], logins: str) -> int:
    """Run the web server and a worker until Ctrl-C, or until one of them ends by itself."""
    web = [str(BIN / "gunicorn"), "hlvstudy.wsgi", "--bind", f"127.0.0.1:{port}", "--workers", "1", "--threads", "8",
           "--no-control-socket", "--log-level", "warning", "--timeout", "120"]  # fmt: skip
    worker = [str(BIN / "celery"), "-A", "hlvstudy", "worker", "--concurrency", "2", "--loglevel", "warning"]
    logs = {"web server": HOME / "web.log", "worker": HOME / "worker.log"}
    processes = {
        "web server": start(web, env, logs["web server"]),
        "worker": start(worker, env, logs["worker"]),
    }
    signal.signal(signal.SIGTERM, interrupt)
    try:
        wait_until_answering(port, processes, logs)
        say(f"\nHLV Study answers at http://127.0.0.1:{port}\n\n{logins.rstrip()}\n")
        say("Press Ctrl-C to stop. Everything is kept for the next time.")
        while True:
            time.sleep(1)
            for name, process in processes.items():
                if process.poll() is not None:
                    raise Trouble(f"The {name} ended by itself. Why is at the end of {logs[name]}:\n{tail(logs[name])}")
    except KeyboardInterrupt:
        return 0
    finally:
        # An impatient second Ctrl-C (make passes its own on as well) must not leave a process behind.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say("\nStopping ...")
        stop(processes)
        say("Stopped.")


def interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def start(command: list[str], env: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C reaches this program only, which then stops both in order.
    with log.open("wb") as output:
        return subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )


def wait_until_answering(port: int, processes: dict[str, subprocess.Popen[bytes]], logs: dict[str, Path]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        for name, process in processes.items():
            if process.poll() is not None:
                raise Trouble(f"The {name} did not start. Why is at the end of {logs[name]}:\n{tail(logs[name])}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=2) as answer:
                if b'"worker": true' in answer.read():
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.2)
    raise Trouble(f"The server did not answer within {START_SECONDS} seconds. Its output is in {HOME}.")


def stop(processes: dict[str, subprocess.Popen[bytes]]) -> None:
    for process in processes.values():
        if process.poll() is None:
            process.terminate()
    for process in processes.values():
        try:
            process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-10:])
