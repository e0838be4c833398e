"""How much more an answer costs in a large study than in a small one: `python -m tests.benchmarks.answering`.

    --server ADDRESS      a database at a PostgreSQL server where databases may be created; empty: SQLite only
    --rounds 60           answers of one expert in each study
    --write               write the table into docs/performance.md

The exit code is 1 if a ratio is above its limit or a database was not measured.
"""

import argparse
import os
import signal
import sqlite3
import statistics
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from tests.benchmarks import _page
from tests.benchmarks.answering.worlds import EXPERTS, FILE, SAYS, SMALL, Server, made, served, state
from tests.benchmarks.load.machine import NotMeasured

SERVER = "postgres://postgres@127.0.0.1:5432/postgres"
TITLE = "An answer in a large study"
LIMIT = 1.5
WARM = 6
MOST_ROUNDS = 90
"""An expert's part of the small study is 200 texts, for two runs and what is answered before them."""
Costs = dict[str, list[dict[str, float]]]
"""By world: what the acts of each round cost; worlds take turns, so those of one round belong together."""


@dataclass
class Run:
    """What was measured on one database."""

    database: str
    answers: Costs = field(default_factory=dict)
    begins: Costs = field(default_factory=dict)
    missing: str = ""

    @property
    def holds(self) -> bool:
        return not self.missing and all(
            ratio_of(self.answers, name, what) <= LIMIT for name in SAYS for what in ("cpu", "wall")
        )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.answering",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--server", default=os.environ.get("HLV_LOAD_SERVER", SERVER))
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    if not 0 < options.rounds <= MOST_ROUNDS:
        parser.error(f"at most {MOST_ROUNDS} rounds")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that databases go, too
    runs = [*on_sqlite(options.rounds), *(on_postgresql(options.server, options.rounds) if options.server else ())]
    body = written(runs, options.rounds)
    print(f"\n{TITLE}\n{_page.machine()}\n\n{body}")
    if options.write:
        _page.write("answer_scaling", TITLE, body, command="python -m tests.benchmarks.answering --write")
    return 0 if all(run.holds for run in runs) else 1


def on_sqlite(rounds: int) -> Iterator[Run]:
    with made("") as worlds:
        yield measured("SQLite, after ANALYZE", worlds, rounds)
        for world in worlds.values():
            with closing(sqlite3.connect(state(world["place"]) / FILE)) as opened, opened:
                opened.execute("DELETE FROM sqlite_stat1")
        yield measured("SQLite", worlds, rounds, is_first=False)


def on_postgresql(server: str, rounds: int) -> Iterator[Run]:
    try:
        with made(server) as worlds:
            yield measured("PostgreSQL", worlds, rounds)
    except NotMeasured as error:
        yield Run("PostgreSQL", missing=str(error))


def measured(database: str, worlds: Mapping[str, Any], rounds: int, *, is_first: bool = True) -> Run:
    """One expert's answers, and between them those of others, because theirs change what is free."""
    run = Run(database)
    with served(worlds) as servers:
        begins = in_turns(servers, "begin", list(range(EXPERTS)))
        others = [1 + turn % (EXPERTS - 1) for turn in range(WARM + rounds)]
        for turn in range(WARM + rounds):
            answers = in_turns(servers, "answer", [0, others[turn]], turn=turn)
            if turn >= WARM:
                for name, costs in answers.items():
                    run.answers.setdefault(name, []).append(costs[0])
    if is_first:
        run.begins = {name: costs[1:] for name, costs in begins.items()}  # the first expert has been here before
    return run


def in_turns(servers: Mapping[str, Server], what: str, experts: list[int], *, turn: int = 0) -> Costs:
    """Each of these experts does it once in every world; another world begins each time."""
    names = list(servers)
    costs: Costs = {name: [] for name in names}
    for number, expert in enumerate(experts):
        first = (turn + number) % len(names)
        for name in names[first:] + names[:first]:
            costs[name].append(servers[name].ask(what, expert))
    return costs


def ratio_of(costs: Costs, name: str, what: str) -> float:
    """The median of the rounds' ratios."""
    pairs = zip(costs[name], costs[SMALL], strict=True)
    return statistics.median(large[what] / small[what] for large, small in pairs)


def written(runs: list[Run], rounds: int) -> str:
    """The table as Markdown."""
    lines = [
        f"Medians of {rounds} complete answers (two requests each), in turns with a study of 1,000 places, in ms: "
        "of the processors (web server and database) and by the clock. *Ratio* is the median of the rounds' ratios.",
        "",
        "| | | processor, small | large | ratio | clock, small | large | ratio | at most |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for run in runs:
        if run.missing:
            lines.append(f"| {run.database} | not measured: {run.missing} | | | | | | | |")
            continue
        lines += [f"| {run.database} | {row_of(run.answers, name)}" for name in SAYS]
    lines += [first_text(run) for run in runs if run.begins]
    return "\n".join(lines)


def first_text(run: Run) -> str:
    """What is not held to the limit, because it happens once to each expert."""
    small, large = (1000 * statistics.median(one["cpu"] for one in run.begins[name]) for name in (SMALL, "places"))
    return f"\n{run.database}, an expert's first text, once: {small:.0f} → {large:.0f} ms with 100,000 places."


def row_of(costs: Costs, name: str) -> str:
    cells = [SAYS[name]]
    missed = False
    for what in ("cpu", "wall"):
        ratio = ratio_of(costs, name, what)
        missed |= ratio > LIMIT
        cells += [f"{1000 * statistics.median(one[what] for one in costs[which]):.1f}" for which in (SMALL, name)]
        cells.append(f"{ratio:.2f}")
    return " | ".join([*cells, f"{LIMIT:g}{' MISSED' if missed else ''} |"])


if __name__ == "__main__":
    sys.exit(main())
