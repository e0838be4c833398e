"""Experts who answer while a scenario harms their server, and what is true afterwards."""

import itertools
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.load.machine import NotMeasured, place_for
from tests.benchmarks.load.measuring import Stage, stage_of
from tests.benchmarks.load.systems.system import Sizes
from tests.benchmarks.load.users import Plan
from tests.faults.installation import AGAIN_SECONDS, Installation, until
from tests.faults.prepared import Prepared
from tests.faults.scenario import PAUSE_SECONDS, Options, Scenario

MOST_SECONDS = 3600
EXPERTS_PER_COMPARISON = 4


@dataclass(frozen=True)
class Outcome:
    """What one scenario did; `missing` says why it did not run."""

    name: str
    title: str
    times: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    silence: float | None = None
    """The longest time in seconds after a fault in which no answer was acknowledged."""
    problems: tuple[str, ...] = ()
    missing: str = ""

    @property
    def holds(self) -> bool:
        return not (self.missing or self.problems or self.lost or self.doubled) and self.acknowledged > 0


class Notes:
    """What the experts noted in their file: when, and what."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def all(self) -> list[tuple[float, str]]:
        if not self._log.exists():
            return []
        told = self._log.read_text().split("\n")[:-1]  # the last line may be on its way
        return [(float(when), what) for when, _, what in (line.partition(" ") for line in told)]

    def answered(self, since: float = 0) -> list[float]:
        return sorted(when for when, what in self.all() if what == "answered" and when > since)

    def failed(self, since: float = 0) -> Counter[str]:
        return Counter(what for when, what in self.all() if what.startswith("failed") and when > since)

    def counted(self, beginning: str) -> int:
        return sum(what.startswith(beginning) for _, what in self.all())


def longest_silence(answered: Sequence[float], faults: Sequence[float]) -> float | None:
    """The longest time without an answer that ends after the first fault; None: nothing was answered since.

    >>> (
    ...     longest_silence([1.0, 2.0, 6.0, 7.0], [2.5]),
    ...     longest_silence([1.0, 9.0, 10.0], [9.5]),
    ...     longest_silence([1.0], [2]),
    ... )
    (4.0, 1.0, None)
    """
    gaps = [after - before for before, after in itertools.pairwise(answered) if after > faults[0]]
    return max(gaps, default=None)


def sizes_for(scenarios: Sequence[Scenario], options: Options) -> Sizes:
    """A study in which no expert is done before the end of any of them."""
    answers = max(scenario.answers_at_most(options) for scenario in scenarios)
    return Sizes(
        users=options.users,
        texts=max(answers // EXPERTS_PER_COMPARISON, answers // options.users) + 400,
        systems=4,
        experts_per_comparison=EXPERTS_PER_COMPARISON,
    )


def outcome_of(scenario: Scenario, options: Options, prepared: Prepared, *, logs: Path | None = None) -> Outcome:
    """Run a scenario on an installation of its own."""
    try:
        with place_for(scenario.name, "", logs=logs) as place:
            there = Installation(place, prepared, mounts=scenario.mounts, shifted=scenario.shifted)
            there.start_all()
            return _under_load(scenario, options, there)
    except NotMeasured as why:
        return Outcome(scenario.name, scenario.title, missing=str(why))


def _under_load(scenario: Scenario, options: Options, there: Installation) -> Outcome:
    log, stop = there.folder / "answers", there.folder / "stop"
    told = {"log": str(log), "stop": str(stop), "port": there.port, "pause": 0 if scenario.is_long else PAUSE_SECONDS}
    people = [{**one, **told} for one in there.prepared.people]
    plan = Plan(scenario.script, there.port, people, MOST_SECONDS, 0.1, scenario.answers_at_most(options))
    notes, problems, faults = Notes(log), [], []
    with ThreadPoolExecutor(1) as pool:
        load: Future[Stage] = pool.submit(stage_of, plan, there.place)
        try:
            until(lambda: len(notes.answered()) >= options.users or load.done(), seconds=AGAIN_SECONDS)
            for number in range(1 if scenario.is_long else options.rounds):
                there.start_job()
                began = time.time()
                faults.append(began)
                problems += scenario.strike(there, options, notes)
                ended = time.time()
                if scenario.is_long:
                    until(load.done, seconds=options.longest)
                elif not until(lambda: bool(notes.answered(ended)), seconds=AGAIN_SECONDS):  # noqa: B023 (asked at once)
                    problems.append(f"no answer within {AGAIN_SECONDS} s after fault {number + 1}")
                    break
                else:
                    time.sleep(options.seconds)
        finally:
            stop.touch()
        stage = load.result()
    there.start_job()
    if not there.jobs:
        problems.append("no job could be asked for")
    problems += there.wait_for_jobs(seconds=AGAIN_SECONDS)
    acknowledged = stage.measured.acknowledged
    if scenario.is_long and len(acknowledged) < options.answers:
        problems.append(f"only {len(acknowledged):,} of {options.answers:,} answers in {options.longest:g} s")
    verdict = there.verdict(acknowledged)
    problems += [*verdict["problems"], *scenario.problems(notes)]
    problems += [f"{times} times: {what}" for what, times in stage.measured.failures.items()]
    there.end()
    return Outcome(
        scenario.name,
        scenario.title,
        len(faults),
        len(acknowledged),
        verdict["lost"],
        verdict["doubled"],
        longest_silence(notes.answered(), faults),
        tuple(problems),
    )
