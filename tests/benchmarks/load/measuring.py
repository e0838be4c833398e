"""One system under the load of some users: started, measured, checked, ended."""

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.benchmarks.load.machine import TICKS, NotMeasured, Place, clean_environment, place_for
from tests.benchmarks.load.systems.system import ROOT, Sizes, System
from tests.benchmarks.load.users import Measured, Plan


@dataclass(frozen=True)
class Stage:
    """So many users for so long, and what is seen of it."""

    users: int
    measured: Measured
    server_cpu: float
    """Seconds of processor time in the measured time, of the server's processes ..."""
    database_cpu: float
    others_share: float
    """Share of the machine's processors that was used by what this command did not start."""
    arriving: float = 0.0
    """How many answers a second arrived; 0: each user began the next when the last was acknowledged."""

    @property
    def rate(self) -> float:
        """Complete answers per second."""
        return self.measured.answers / self.measured.seconds if self.measured.seconds else 0.0

    def percentile(self, percent: float) -> float:
        """Milliseconds within which so many of the requests that store something were answered."""
        return percentile(self.measured.submits, percent)

    @property
    def client_share(self) -> float:
        """Share of one processor that the users themselves took."""
        return self.measured.cpu / self.measured.seconds if self.measured.seconds else 0.0


@dataclass(frozen=True)
class Outcome:
    """What one system did, or why nothing is known."""

    name: str
    title: str
    version: str
    stages: tuple[Stage, ...]
    problems: tuple[str, ...]
    missing: str = ""


def outcome_of(
    system: System,
    *,
    users: Sequence[int],
    seconds: float,
    warm: float,
    sizes: Sizes,
    server: str,
    logs: Path | None = None,
    arriving: float = 0.0,
) -> Outcome:
    """Measure a system with each number of users, one after the other, on one database; at last, if asked for, with
    answers that arrive at random from all of them."""
    try:
        with place_for(system.name, server, logs=logs) as place:
            print(f"{system.title}: starting ...", flush=True)
            ready = system.start(place, sizes)
            stages, acknowledged = [], []
            loads = [(count, 0.0) for count in users] + [(sizes.users, arriving)] * bool(arriving)
            for number, (count, each_second) in enumerate(loads):
                people = [{**one, "stage": number, "stages": len(loads)} for one in ready.people[:count]]
                plan = Plan(system.script, ready.port, people, seconds, warm, system.most, ready.is_tls, each_second)
                stage = stage_of(plan, place)
                stages.append(stage)
                acknowledged += stage.measured.acknowledged
                print(f"{system.title}: {said(stage)}", flush=True)
            problems = system.problems(place, ready, acknowledged)
            return Outcome(system.name, system.title, ready.version, tuple(stages), (*problems, *_failed(stages)))
    except NotMeasured as why:
        print(f"{system.title}: not measured: {why}", flush=True)
        return Outcome(system.name, system.title, "", (), (), missing=str(why))


def _failed(stages: Sequence[Stage]) -> list[str]:
    return [
        f"{times} requests failed with {stage.users} users: {what}"
        for stage in stages
        for what, times in stage.measured.failures.items()
    ]


def stage_of(plan: Plan, place: Place) -> Stage:
    """Let the users of a plan loose on the server; they run in a process of their own."""
    client = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.load.users"],
        cwd=ROOT,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert client.stdin is not None
    assert client.stdout is not None
    try:
        client.stdin.write(json.dumps(asdict(plan)) + "\n")
        client.stdin.close()
        samples, measured = [], None
        for line in client.stdout:
            told = json.loads(line)
            event = told.pop("event")
            if event == "measured":
                measured = Measured(**told)
            elif event == "failed":
                raise NotMeasured(f"a user could not begin: {told['why']}")
            else:
                samples.append((place.cpu(), machine_cpu()))
    finally:
        client.kill()
        client.wait()
    if measured is None or len(samples) != 2:
        raise NotMeasured("the users stopped before the end")
    ((before, connected), (busy_before, every_before)), ((after, still), (busy_after, every_after)) = samples
    server, busy, every = after - before, busy_after - busy_before, every_after - every_before
    # What a connection that has ended by now used is not known; a new one began at nothing.
    database = sum(used - connected.get(name, 0.0) for name, used in still.items())
    if connected.keys() - still.keys():
        database = math.nan
    others = max(0.0, busy - server - measured.cpu - (0.0 if math.isnan(database) else database)) / max(every, 1e-9)
    return Stage(measured.users, measured, server, database, others, plan.arriving)


def machine_cpu() -> tuple[float, float]:
    """Seconds that the machine's processors were busy, and all that they had, since it started."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return 0.0, 0.0
    fields = [int(field) for field in stat.read_text().split("\n", 1)[0].split()[1:9]]
    idle = fields[3] + fields[4]
    return (sum(fields) - idle) / TICKS, sum(fields) / TICKS


def said(stage: Stage) -> str:
    p50, p95, p99 = (stage.percentile(percent) for percent in (50, 95, 99))
    times = f"submit p50 {p50:.0f}, p95 {p95:.0f}, p99 {p99:.0f} ms"
    pace = f", {stage.arriving:g} a second arriving" if stage.arriving else ""
    return f"{stage.users} users{pace}, {stage.rate:,.1f} answers/s, {times} {stage.measured.failures or ''}"


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that so many percent of the values do not exceed.

    >>> percentile([1.0, 2.0, 3.0, 4.0], 50), percentile([], 95)
    (2.0, nan)
    """
    if not values:
        return float("nan")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
