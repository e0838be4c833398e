"""Which method people prefer: as a question, and its answer in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Set

from metaeval.analyses.base.wording import (
    PlainWords,
    answered,
    because,
    interval,
    listed,
    name,
    number,
    sentence,
    share,
    share_interval,
    spelled,
    undefined,
    within,
)
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.method_ranking.parameters import SHARES, Method
from metaeval.analyses.method_ranking.result import POOLED, MethodRankingResult, RankedUnit, RankingInScope

CALLED: Mapping[Method, str] = {
    "preference_fraction": "the preference fraction",
    "rank_centrality": "rank centrality",
    "bradley_terry": "the Bradley-Terry model",
    "davidson": "Davidson’s model",
    "bradley_terry_map": "the Bradley-Terry model with a prior",
}
SETTLED = 0.95
"""A first place that fewer resamples keep is not settled."""


def answer(result: MethodRankingResult) -> str:
    """The winner of the first ranking, how strong it is and how often it stays first; then what other rankings say."""
    ranking = next((row for row in result.rankings if row.systems), None)
    if ranking is None:
        return f"There is no ranking: {because(result.rankings[0].reason if result.rankings else '')}"
    first = _first(ranking)
    best = first[0]
    where = "" if ranking.scope == POOLED else f" of {name(ranking.scope)}"
    figures = f"{_strength(ranking, best, len(first))}{within(_interval(ranking, best))}"
    beside = sentence([_others(result, ranking), *_left_out(result, ranking)])
    if len(ranking.systems) == 1:
        return answered(f"There is only {name(best.name)} to rank: {figures}.", beside)
    of = f"Of {spelled(len(ranking.systems))} {result.units}{where}"
    if len(first) > 1:
        return answered((f"{of}, {listed([row.name for row in first])} share first place: {figures}."), beside)
    return answered(f"{of}, {name(best.name)} comes first: {figures}{_kept(best)}.", beside)


def _first(ranking: RankingInScope, among: Set[str] = frozenset()) -> list[RankedUnit]:
    """Those that share first place; `among` some, if a ranking has others too, such as people in pairs."""
    ranked = [row for row in ranking.systems if not among or row.name in among]
    return [row for row in ranked if row.strength == ranked[0].strength]


def _strength(ranking: RankingInScope, best: RankedUnit, count: int) -> str:
    """The strength of the first, or of each of several."""
    written = share(best.strength) if ranking.method in SHARES else number(best.strength)
    if ranking.method == "preference_fraction":
        return f"{'the preference fraction of each' if count > 1 else 'its preference fraction'} is {written}"
    return f"{CALLED[ranking.method]} gives {'each' if count > 1 else 'it'} {written}"


def _interval(ranking: RankingInScope, best: RankedUnit) -> str:
    bounds = best.interval
    between = share_interval if ranking.method in SHARES else interval
    return between(bounds.low, bounds.high, bounds.level) or "no interval"


def _kept(best: RankedUnit) -> str:
    if best.kept is None:
        return "; how often it stays first when answers are resampled is not known"
    if best.kept >= SETTLED:
        return f"; it stays first in {share(best.kept)} of the resamples"
    kept = f"only {share(best.kept)}" if round(best.kept, 2) < SETTLED else "fewer than 95%"
    return f"; its place is not settled: it stays first in {kept} of the resamples"


def _others(result: MethodRankingResult, ranking: RankingInScope) -> str:
    """Whether the other rankings of the same scope have the same winner."""
    others = [row for row in result.rankings if row.scope == ranking.scope and row is not ranking and row.systems]
    if not others or len(ranking.systems) == 1:
        return ""
    ranked = {row.name for row in ranking.systems}
    names = [row.name for row in _first(ranking)]
    differing = [row for row in others if [row.name for row in _first(row, ranked)] != names]
    if not differing:
        which = CALLED[others[0].method] if len(others) == 1 else f"the {spelled(len(others))} other rankings"
        return f"{which} {'puts' if len(others) == 1 else 'put'} the same first"
    leaders = [listed([row.name for row in _first(row, ranked)]) for row in differing]
    if len(differing) > 1 and len(set(leaders)) == 1:
        which = listed([CALLED[row.method] for row in differing])
        return f"{which} put {leaders[0]} first"
    clauses = [f"{CALLED[row.method]} puts {leader} first" for row, leader in zip(differing, leaders, strict=True)]
    return f"{', '.join(clauses[:-1])} and {clauses[-1]}" if len(clauses) > 1 else clauses[0]


def _left_out(result: MethodRankingResult, ranking: RankingInScope) -> list[str]:
    without = [row for row in result.rankings if row.scope == ranking.scope and not row.systems]
    clauses = [undefined([f"the ranking by {CALLED[row.method]}" for row in without], [row.reason for row in without])]
    if ranking.excluded:
        clauses.append(f"{listed(ranking.excluded)} {'has' if len(ranking.excluded) == 1 else 'have'} no answers")
    return clauses


WORDS = PlainWords(
    question="Which method do people prefer?",
    group="The systems",
    shows="All methods from the most to the least preferred, and how settled each place is. It needs choices between "
    "two distributions.",
    place=10,
    needs={SubjectKind.STUDY: ("preferences",)},
    compared=("units", "scopes", "judges", "include_pilot"),
    statistics=("rankings", "both", "ties", "weights", "level"),
    answer=answer,
)
