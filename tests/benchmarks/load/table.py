"""The outcomes as tables, and the limits that they are held to."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.benchmarks.load.measuring import Outcome, Stage

TITLE = "Answering under load"
ARRIVING, SESSIONS = 20.0, 200
"""So many answers a second arrive at random, from so many sessions."""
MOST_MILLISECONDS = 150
PEERS = ("potato", "doccano", "label-studio")
QUIET = 0.1
"""The share of the processors that other work may take before the table says so."""
FIRST = 20
"""The number of users at which this server is compared with its peers."""


@dataclass(frozen=True)
class Limit:
    """One limit, with what was measured; None: it was not."""

    says: str
    measured: float | None
    most: float | None = None
    least: float | None = None

    @property
    def holds(self) -> bool:
        if self.measured is None or math.isnan(self.measured):
            return False
        return (self.most is None or self.measured <= self.most) and (self.least is None or self.measured >= self.least)

    @property
    def verdict(self) -> str:
        if self.measured is None or math.isnan(self.measured):
            return "not measured"
        return "holds" if self.holds else "MISSED"


def limits(outcomes: Sequence[Outcome], *, users: Sequence[int]) -> list[Limit]:
    """What is asked of this server: answers that arrive at random are taken soon, and no peer takes more."""
    by_name = {outcome.name: outcome for outcome in outcomes}
    arrived = _stage(by_name, "here", None)
    says = f"submit p95, ms, {ARRIVING:g} answers a second arriving at random from {SESSIONS} sessions"
    is_asked = arrived is not None and (arrived.arriving, arrived.users) == (ARRIVING, SESSIONS)
    soon = arrived.percentile(95) if arrived and is_asked else None
    compared = FIRST if FIRST in users else users[0]
    ours = _stage(by_name, "here", compared)
    theirs = [peer for name in PEERS if (peer := _stage(by_name, name, compared))]
    ratio = ours.rate / max(peer.rate for peer in theirs) if ours and theirs else None
    checked = by_name.get("here")
    wrong = float(len(checked.problems)) if checked and not checked.missing else None
    return [
        Limit(says, soon, most=MOST_MILLISECONDS),
        Limit(f"answers per second / the best peer's, {compared} users", ratio, least=1),
        Limit("lost, changed, doubled, over the plan, the same text twice, events missing", wrong, most=0),
    ]


def _stage(outcomes: dict[str, Outcome], name: str, users: int | None) -> Stage | None:
    """The stage with so many users who wait for nothing but the server; None: the one with arrivals."""
    outcome = outcomes.get(name)
    stages = outcome.stages if outcome else ()
    return next((one for one in stages if (None if one.arriving else one.users) == users), None)


def written(outcomes: Sequence[Outcome], told: Sequence[Limit], *, seconds: float, database: str) -> str:
    """Both tables as Markdown, and what was found wrong."""
    lines = [
        f"{database}; each {seconds:g} s after a warm-up; times in ms. CPU: per answer, of the server, of its database "
        "and of the users.",
        "",
        "| | users | answers/s | submit p50 | p95 | p99 | p99/p50 | CPU | others' CPU |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for outcome in outcomes:
        name = f"{outcome.title} {outcome.version}".strip()
        name = f"**{name}**" if outcome.name == "here" else name
        if outcome.missing:
            lines.append(f"| {name} | | not measured: {outcome.missing.replace('|', ' ')} | | | | | | |")
        lines += [f"| {name} {row_of(stage)}" for stage in outcome.stages]
    busiest = max((stage.others_share for outcome in outcomes for stage in outcome.stages), default=0.0)
    if busiest > QUIET:
        lines += ["", noise(busiest)]
    lines += ["", "| limit | | measured | |", "|---|---:|---:|---|"]
    for limit in told:
        bound = f"≥ {limit.least:g}" if limit.least is not None else f"≤ {limit.most:g}"
        value = "" if limit.verdict == "not measured" else f"{limit.measured:,.3g}"
        lines.append(f"| {limit.says} | {bound} | {value} | {limit.verdict} |")
    wrong = [f"- {outcome.title}: {problem}" for outcome in outcomes for problem in outcome.problems]
    if wrong:
        lines += ["", "Found afterwards:", "", *wrong]
    return "\n".join(lines) + "\n"


def noise(busiest: float) -> str:
    return f"**Not a quiet machine**: other work took up to {busiest:.0%} of its processors meanwhile."


def row_of(stage: Stage) -> str:
    p50, p95, p99 = (stage.percentile(percent) for percent in (50, 95, 99))
    each = max(stage.measured.answers, 1)
    cpu = (stage.server_cpu, stage.database_cpu, stage.measured.cpu)
    per_answer = " + ".join("?" if math.isnan(used) else f"{1000 * used / each:.1f}" for used in cpu)
    users = f"{stage.users}, {stage.arriving:g}/s arriving" if stage.arriving else str(stage.users)
    return (
        f"| {users} | {stage.rate:,.1f} | {p50:,.0f} | {p95:,.0f} | {p99:,.0f} | {p99 / p50:.1f} "
        f"| {per_answer} | {stage.others_share:.0%} |"
    )
