"""Which method people prefer: as a question, and its answer in a sentence."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import after, because, interval, name, number, share, share_interval
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.method_ranking.result import POOLED, MethodRankingResult
from metaeval.analyses.method_ranking.titles import SHARES, TITLES


def answer(result: MethodRankingResult) -> str:
    """The first of the first ranking, how strong it is and how often it stays first."""
    ranking = next((row for row in result.rankings if row.systems), None)
    if ranking is None:
        reason = result.rankings[0].reason if result.rankings else ""
        return f"There is no ranking: {because(reason)}"
    best = ranking.systems[0]
    bounds = best.interval
    if ranking.method == "preference_fraction":
        found = f"{share(best.strength)} of the answers about it prefer it"
        between = share_interval(bounds.low, bounds.high, bounds.level)
    else:
        digits = share(best.strength) if ranking.method in SHARES else number(best.strength)
        found = f"{TITLES[ranking.method]} gives it {digits}"
        between = interval(bounds.low, bounds.high, bounds.level)
    where = "" if ranking.scope == POOLED else f" of {name(ranking.scope)}"
    stays = "" if best.kept is None else f"; it stays first in {share(best.kept)} of the resamples"
    figures = f"{found}{after(between)}{stays}"
    if len(ranking.systems) == 1:
        return f"There is only {name(best.name)} to rank: {figures}."
    return f"Of {len(ranking.systems)} {result.units}{where}, {name(best.name)} is preferred most: {figures}."


WORDS = PlainWords(
    question="Which method do people prefer?",
    group="The systems",
    shows="All methods from the most to the least preferred, each with how sure its place is. It needs choices between "
    "two distributions.",
    place=10,
    needs={SubjectKind.STUDY: ("preferences",)},
    compared=("units", "scopes", "judges", "include_pilot"),
    statistics=("rankings", "both", "ties", "weights", "level"),
    answer=answer,
)
