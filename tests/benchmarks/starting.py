"""How long it takes until the library, the commands, the web server, the demo and its first analysis are there.

    python -m tests.benchmarks.starting [--rounds 15] [--without-demo]

Each time is that of a whole process, from its start to its end, with the bytecode already compiled. An empty Python
process is part of it, and stands in the first row. The demo is started twice in a new folder, with no loops compiled;
a minute after it could be used, its memory is measured (the proportional set size of all its processes: what several
share counts once), and a researcher asks the first question. Needs /proc.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import suppress
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from hlvstudy.program.demo import demo_environment
from tests.processes import AtTerminal, ancestors, free_port

from ._document import ROOT
from ._timing import duration, machine, seconds

MOST_SECONDS = 0.5
WORK = {
    "an empty process": (["-c", ""], None),
    "`from metaeval.metrics import soft_micro_f1`": (
        ["-c", "from metaeval.metrics import soft_micro_f1"],
        MOST_SECONDS,
    ),
    "`import metaeval.stats`": (["-c", "import metaeval.stats"], None),
    "`hlvstudy --help`": (["-m", "hlvstudy", "--help"], MOST_SECONDS),
    "`manage.py version`": (["manage.py", "version"], 1.5),
    "`manage.py check`": (["manage.py", "check"], 4.0),
}
FRESH, AGAIN, WEB, FIRST_ANALYSIS = 20.0, 8.0, 4.0, 10.0
MOST_MEMORY = 550
REST_SECONDS = 60
HEADLINE = "preference_correlation"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--without-demo", action="store_true")
    options = parser.parse_args()
    print(f"\nStarting the library, the commands and the demo\n{machine()}\n")
    print("| what is started | at most | median | fastest | slowest |\n|---|---:|---:|---:|---:|", flush=True)
    held = [row(what, most, times(arguments, options.rounds)) for what, (arguments, most) in WORK.items()]
    if not options.without_demo:
        with tempfile.TemporaryDirectory(prefix="hlvstudy-bench-") as folder:
            held += [row(what, most, [found]) for what, most, found in of_the_demo(Path(folder))]
    return 0 if all(held) else 1


def row(what: str, most: float | None, found: list[float]) -> bool:
    """Print a line of the table; False if its median is more than it may be. What is named MB is not in seconds."""

    def shown(value: float) -> str:
        return f"{value:.0f} MB" if "MB" in what else duration(value)

    median = statistics.median(found)
    too_much = most is not None and median > most
    limit = f"{most:g}{' MISSED' if too_much else ''}" if most else ""
    print(f"| {what} | {limit} | {shown(median)} | {shown(min(found))} | {shown(max(found))} |", flush=True)
    return not too_much


def times(arguments: list[str], rounds: int) -> list[float]:
    """Seconds of each round; one more round before them fills the caches."""
    command = [sys.executable, *arguments]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)

    run()
    return [seconds(run) for _ in range(rounds)]


def of_the_demo(folder: Path) -> list[tuple[str, float, float]]:
    """What is started, how much it may take, and what it took."""
    demo = Demo(folder)
    try:
        fresh = demo.took
        time.sleep(REST_SECONDS)
        memory, analysis = demo.memory(), demo.first_analysis()
    finally:
        demo.interrupt()
    again = Demo(folder)
    again.interrupt()
    return [
        ("`hlvstudy demo`, fresh", FRESH, fresh),
        ("`hlvstudy demo`, again", AGAIN, again.took),
        (f"the first {HEADLINE}, {REST_SECONDS} s after that", FIRST_ANALYSIS, analysis),
        ("the demo's MB at rest", MOST_MEMORY, memory),
        ("`hlvstudy web`", WEB, web(folder)),
    ]


class Demo(AtTerminal):
    """A running demo, and how many seconds it took until it could be used."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "hlvstudy", "demo", "--port", str(port), "--folder", str(folder / "demo")]
        env = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "loops"), "CI": "true"}
        began = time.monotonic()
        super().__init__(command, cwd=ROOT, env=env, log=folder / "demo.log")
        while "Press Ctrl-C" not in self.said:
            assert not self.has_ended, self.said
            time.sleep(0.05)
        self.took = time.monotonic() - began
        self.jar = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def memory(self) -> float:
        """Megabytes of all its processes."""
        parts = 0
        for process in Path("/proc").glob("[0-9]*"):
            if self.process.pid in {int(process.name), *ancestors(int(process.name))}:
                with suppress(OSError):  # it has ended meanwhile
                    lines = (process / "smaps_rollup").read_text().splitlines()
                    parts += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return parts / 1024

    def first_analysis(self) -> float:
        """Seconds from a researcher's question, asked on the page that lists the questions, to its stored answer."""
        self.ask("session/")
        self.ask("demo/step-into/", {"role": "researcher"})
        self.ask("studies/demo/analyses/")
        began = time.monotonic()
        run = self.ask("studies/demo/runs/", {"analysis": HEADLINE, "parameters": {}, "seed": 1})
        while (state := self.ask(f"runs/{run['id']}/")["state"]) in {"queued", "running"}:
            time.sleep(0.1)
        assert state == "succeeded", state
        return time.monotonic() - began

    def ask(self, address: str, sent: dict[str, Any] | None = None) -> Any:
        token = next((cookie.value for cookie in self.jar if cookie.name == "csrftoken"), None)
        headers = {"Origin": self.url, "Content-Type": "application/json", "X-CSRFToken": token or ""}
        body = None if sent is None else json.dumps(sent).encode()
        request = urllib.request.Request(f"{self.url}/api/v1/{address}", body, headers)
        return json.loads(self.opener.open(request, timeout=60).read())


def web(folder: Path) -> float:
    """Seconds from the start of the web server, over what the demo has prepared, to its first answer."""
    port = free_port()
    env = demo_environment(folder / "demo", port)
    command = [sys.executable, "-m", "hlvstudy", "web", "--bind", f"127.0.0.1:{port}"]
    began = time.monotonic()
    server = AtTerminal(command, cwd=ROOT, env=env, log=folder / "web.log")
    try:
        while True:
            assert not server.has_ended, server.said
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health/live", timeout=60).read()
            except (urllib.error.URLError, OSError):
                time.sleep(0.02)
            else:
                return time.monotonic() - began
    finally:
        server.terminate()


if __name__ == "__main__":
    sys.exit(main())
