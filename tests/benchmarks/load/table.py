"""The outcomes as tables, and the limits that they are held to."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.benchmarks.load.measuring import Outcome, Stage

TITLE = "Answering under load"
LEAST_RATE = 150
MOST_TIMES_BARE = 10
MOST_SPREAD = 5
QUIET = 0.1
"""The share of the processors that other work may take before the table says so."""
FIRST = 20
"""The number of users at which response times are compared."""


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
    """What is asked of this server, in the numbers of users that were measured."""
    by_name = {outcome.name: outcome for outcome in outcomes}
    found = []
    for count in users:
        here = _stage(by_name, "here", count)
        found.append(Limit(f"answers per second, {count} users", here and here.rate, least=LEAST_RATE))
        spread = here and here.percentile(99) / here.percentile(50)
        found.append(Limit(f"submit p99 / median, {count} users", spread, most=MOST_SPREAD))
    compared = FIRST if FIRST in users else users[0]
    ours = _stage(by_name, "here", compared)
    for name, times in (("bare", MOST_TIMES_BARE), ("potato", 1)):
        other = _stage(by_name, name, compared)
        title = "the bare view's" if name == "bare" else "Potato's"
        ratio = ours.percentile(95) / other.percentile(95) if ours and other else None
        found.append(Limit(f"submit p95 / {title}, {compared} users", ratio, most=times))
    checked = by_name.get("here")
    wrong = float(len(checked.problems)) if checked and not checked.missing else None
    found.append(Limit("lost, changed, doubled, over the plan, the same text twice, events missing", wrong, most=0))
    return found


def _stage(outcomes: dict[str, Outcome], name: str, users: int) -> Stage | None:
    outcome = outcomes.get(name)
    return next((stage for stage in outcome.stages if stage.users == users), None) if outcome else None


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
    return (
        f"| {stage.users} | {stage.rate:,.1f} | {p50:,.0f} | {p95:,.0f} | {p99:,.0f} | {p99 / p50:.1f} "
        f"| {per_answer} | {stage.others_share:.0%} |"
    )
