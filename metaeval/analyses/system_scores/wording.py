"""What the metrics say of the systems: as a question, and its answer in a sentence."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import because, counted, name, number
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.system_scores.result import SystemScoresResult


def answer(result: SystemScoresResult) -> str:
    """The method that ranks best over all metrics, and how far its place depends on the metric."""
    ranked = [row for row in result.ranks if row.rank is not None]
    if not ranked:
        reason = result.ranks[0].reason if result.ranks else "this result was stored before there were ranks"
        return f"No method is ranked: {because(reason)}"
    best = ranked[0]
    by_metric = [rank for rank in best.by_metric.values() if rank is not None]
    spread = f", from {number(min(by_metric), 1)} to {number(max(by_metric), 1)} by metric" if by_metric else ""
    figures = f"mean rank {number(best.rank or 0.0)} over {counted(best.rankings, 'ranking')}{spread}"
    alike = sum(row.rank == best.rank for row in ranked) - 1
    if len(ranked) == 1:
        return f"There is only {name(best.name)} to rank: {figures}."
    if alike:
        return f"Of {len(ranked)} methods, {name(best.name)} and {counted(alike, 'other')} rank best: {figures}."
    return f"Of {len(ranked)} methods, {name(best.name)} ranks best by the metrics: {figures}."


WORDS = PlainWords(
    question="Which system do the metrics call best?",
    group="The systems",
    shows="Every system’s value by every metric, and the methods by their mean rank. It needs predictions of systems; "
    "no expert has to answer for it.",
    place=0,
    needs={SubjectKind.STUDY: ("systems",), SubjectKind.DATASET: ("systems",)},
    compared=("metrics", "baseline"),
    answer=answer,
)
