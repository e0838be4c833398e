"""How soon an expert can read the first text, on a slow line and a slow machine.

    python -m tests.benchmarks.pages [--rounds 5]

The pages as they are deployed (built, collected, compressed, served by gunicorn), in Chromium with an empty cache, by
somebody who is signed in. The line is slowed to 1.6 Mbit/s with 150 ms for every answer, and the processor to a
quarter. *Readable* is the second frame after the text came to stand in the page.
"""

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from ._timing import duration, machine

ROOT = Path(__file__).resolve().parents[2]
READABLE_SECONDS = 2.0
SCRIPT_BYTES = 150_000
LINE = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
SLOWER = 4
START_SECONDS = 300

WATCH = """
new MutationObserver((_, observer) => {
  const text = document.querySelector("main section [dir]");
  if (!text || text.innerText.trim().length < 40) return;
  observer.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { window.readableAt = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="hlvstudy-pages-"))
    try:
        port = _free_port()
        cookie = prepare(folder, port)
        server = serve(port)
        try:
            visits = look(f"http://127.0.0.1:{port}", cookie, rounds=options.rounds)
        finally:
            server.terminate()
            server.wait(timeout=15)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if report(visits) else 1


def prepare(folder: Path, port: int) -> dict[str, str]:
    """A study on a database of its own, as production has it; returns the session cookie of its expert."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="hlvstudy.settings",
        DEBUG="0",
        SECRET_KEY="for-a-benchmark-only-" + "x" * 50,
        PUBLIC_URL=f"http://127.0.0.1:{port}",
        HLV_STATE=str(folder),
        DATABASE_URL=f"sqlite:///{folder / 'study.sqlite3'}",
        STATIC_ROOT=str(folder / "static"),
        LOG_LEVEL="ERROR",
    )
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client

    from annotations.answering.assigning import next_assignment
    from tests.browser.study import make_browser_study
    from tests.worlds.answering import complete

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["index.html"])
    expert = make_browser_study().expert
    first = next_assignment(user=expert.user, slug="areas").assignment
    if first is None:
        raise RuntimeError("the study gives nothing to read")
    complete(first)  # so that the first thing to see is a text, not the welcome
    client = Client()
    client.force_login(expert.user)
    return {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies[settings.SESSION_COOKIE_NAME].value}


def serve(port: int) -> subprocess.Popen[bytes]:
    """gunicorn, as docs/deploy.md starts it."""
    command = [sys.executable, "-m", "gunicorn", "hlvstudy.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "8"]
    server = subprocess.Popen([*command, "--no-control-socket", "--log-level", "warning"], cwd=ROOT)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/live", timeout=2):
                return server
        except OSError:
            time.sleep(0.1)
    server.terminate()
    raise RuntimeError(f"the server did not answer within {START_SECONDS} seconds")


def look(url: str, cookie: dict[str, str], *, rounds: int) -> list[dict[str, Any]]:
    """One cold visit a round: seconds until readable, and the compressed bytes that it waited for, by kind of file."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import chromium

    visits = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"] if os.geteuid() == 0 else [])
        for _ in range(rounds + 1):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            context.add_cookies([{"name": cookie["name"], "value": cookie["value"], "url": url}])
            context.add_init_script(WATCH)
            page = context.new_page()
            session = context.new_cdp_session(page)
            session.send("Network.enable")
            session.send("Network.emulateNetworkConditions", LINE)
            session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            events: list[dict[str, Any]] = []
            for name in ("requestWillBeSent", "responseReceived", "loadingFinished"):
                session.on(f"Network.{name}", lambda event, events=events: events.append(event))
            page.goto(f"{url}/studies/areas/annotate", wait_until="commit")
            page.wait_for_function("() => window.readableAt", timeout=60_000)
            seconds = page.evaluate("() => window.readableAt") / 1000
            visits.append({"seconds": seconds, "sizes": needed(events)})
            context.close()
        browser.close()
    return visits[1:]  # the first one also warms the server


def needed(events: list[dict[str, Any]]) -> dict[str, int]:
    """Bytes by kind of file of all that was asked for before the text had come: the page asks for the rest after it,
    and on a slow processor much of that has come, too, when the text is painted.
    """
    ended = {event["requestId"]: event for event in events if "encodedDataLength" in event}
    kinds = {event["requestId"]: event["type"] for event in events if "response" in event}
    asked = {event["requestId"]: event["timestamp"] for event in events if "request" in event}
    text_came = max(event["timestamp"] for number, event in ended.items() if kinds.get(number) == "Fetch")
    sizes: dict[str, int] = {}
    for number, event in ended.items():
        if asked[number] < text_came:
            sizes[kinds[number]] = sizes.get(kinds[number], 0) + int(event["encodedDataLength"])
    return sizes


def report(visits: list[dict[str, Any]]) -> bool:
    """Print both tables; False when a limit is missed."""
    seconds = [visit["seconds"] for visit in visits]
    median = statistics.median(seconds)
    sizes: dict[str, int] = visits[-1]["sizes"]
    fast, small = median <= READABLE_SECONDS, sizes.get("Script", 0) < SCRIPT_BYTES
    print(f"\nAn expert's first text\n{machine()}\n")
    print("| line | processor | visits | readable after (median) | slowest | at most |\n|---|---|---:|---:|---:|---:|")
    print(
        f"| 1.6 Mbit/s, 150 ms | {SLOWER} times slower | {len(seconds)} | {duration(median)} "
        f"| {duration(max(seconds))} "
        f"| {duration(READABLE_SECONDS)}{'' if fast else ' MISSED'} |"
    )
    print("\n| what is asked for before the text has come | compressed | below |\n|---|---:|---:|")
    for kind, size in sorted(sizes.items(), key=lambda one: -one[1]):
        limit = f"{SCRIPT_BYTES // 1000} kB{'' if small else ' MISSED'}" if kind == "Script" else ""
        print(f"| {kind.lower()} | {size / 1000:.1f} kB | {limit} |")
    return fast and small


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
