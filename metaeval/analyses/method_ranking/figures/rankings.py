"""Rankings: how strong each competitor is, by model, how stable its rank is, and who is preferred to whom."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.method_ranking.parameters import SHARES, TITLES, Method
from metaeval.analyses.method_ranking.result import POOLED, MethodRankingResult, OutcomesInScope, RankingInScope
from metaeval.figures.dots import DotPanel, dot_panels, dot_row
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.stacked import stacked_bars
from metaeval.figures.style import HUES, heading, number, styled


@figure("What people prefer", variants=lambda result: result.scopes[1:])
def ranking_strengths(result: MethodRankingResult, variant: str, size: Size) -> Chart:
    """One panel per kind of ranking, the best at the top; the overview is of all models together."""
    scope = variant or result.scopes[0]
    chosen = [row for row in result.rankings if row.scope == scope]
    panels = [_panel(row) for row in chosen if not row.reason]
    level = f"{100 * result.parameters['level']:g}%"
    notes = [f"{level} bootstrap intervals; the strongest at the top."]
    notes += [f"{TITLES[row.method]} is undefined: {row.reason}." for row in chosen if row.reason]
    chart, left_out = dot_panels(panels, size=size, what="competitors")
    notes += left_out
    title = heading(f"What people prefer{result.scope_in_title(scope)}", notes, size=size)
    return styled(chart.properties(title=title), size)


def _panel(ranking: RankingInScope) -> DotPanel:
    rows = [
        dot_row(f"{system.rank}. {system.name}", system.strength, system.interval.low, system.interval.high)
        for system in ranking.systems
    ]
    is_share = ranking.method in SHARES
    return DotPanel(
        rows,
        x_title=_axis(ranking.method),
        percent=is_share,
        rule_at=None if is_share else 0.0,
        title=TITLES[ranking.method],
    )


def _axis(method: Method) -> str:
    if method == "preference_fraction":
        return "Share of the responses that preferred it"
    if method == "rank_centrality":
        return "Long-run probability of the random walk"
    return "Logarithm of the strength (mean 0)"


@figure("Strengths by model")
def ranking_scopes(result: MethodRankingResult, variant: str, size: Size) -> Chart:
    """Rows in the order of the first column."""
    kind = next((row.method for row in result.rankings if not row.reason), result.rankings[0].method)
    chosen = {row.scope: row for row in result.rankings if row.method == kind}
    is_share = kind in SHARES
    shown = [(scope, system) for scope in result.scopes for system in chosen[scope].systems]
    cells: list[Row] = [
        {
            "row": system.name,
            "column": _named(scope),
            "value": system.strength,
            "text": f"{100 * system.strength:.0f}%" if is_share else number(system.strength),
        }
        for scope, system in shown
    ]
    values = [system.strength for _, system in shown]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    chart, left_out = heat_map(
        cells,
        rows=list(dict.fromkeys(system.name for _, system in shown)),
        columns=[_named(scope) for scope in result.scopes],
        colour=Colour(TITLES[kind], (low, high if high > low else low + 1), format=".0%" if is_share else ".2f"),
        size=size,
    )
    title = heading(
        f"{TITLES[kind]} by model" if len(chosen) > 1 else TITLES[kind],
        ["Rows are in the order of the first column.", *left_out],
        size=size,
    )
    return styled(alt.vconcat(chart).properties(title=title), size)


def _named(scope: str) -> str:
    return "All" if scope == POOLED else scope


def _defined(result: MethodRankingResult) -> list[RankingInScope]:
    return [row for row in result.rankings if row.scope == result.scopes[0] and not row.reason]


@figure("How stable the ranks are", variants=lambda result: [row.method for row in _defined(result)])
def ranking_stability(result: MethodRankingResult, variant: str, size: Size) -> Chart:
    """A map for one kind of ranking; the overview shows the first."""
    defined = _defined(result)
    chosen = next((row for row in defined if row.method == variant), defined[0] if defined else None)
    systems = chosen.systems if chosen else []
    ranks = [str(rank) for rank in range(1, len(systems) + 1)]
    cells: list[Row] = [
        {"row": system.name, "column": rank, "value": share, "text": f"{100 * share:.0f}" if share >= 0.005 else " "}
        for system in systems
        for rank, share in zip(ranks, system.rank_shares, strict=True)
        if share is not None
    ]
    chart, left_out = heat_map(
        cells,
        rows=[system.name for system in systems],
        columns=ranks,
        colour=Colour("Share of bootstrap samples", (0.0, 1.0), format=".0%"),
        size=size,
        column_title="Rank",
    )
    note = "No ranking is defined."
    if chosen:
        note = f"Ranks by {_by(chosen.method)}, in per cent of {chosen.resamples:,} samples."
    title = heading("How stable the ranks are", [note, *left_out], size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _by(method: Method) -> str:
    models: dict[Method, str] = {
        "davidson": "Davidson’s model",
        "bradley_terry": "Bradley-Terry model",
        "bradley_terry_map": "Bradley-Terry model with a prior",
    }
    return models.get(method, TITLES[method].lower())


@figure("Who is preferred to whom", variants=lambda result: result.scopes[1:])
def ranking_outcomes(result: MethodRankingResult, variant: str, size: Size) -> Chart:
    """Rows and columns, most wins first; if all comparisons were ties, there is no share."""
    scope = variant or result.scopes[0]
    entry = next(entry for entry in result.outcomes if entry.scope == scope)
    if (hub := _hub(entry)) is not None:
        return _star(result, entry, hub, size)
    wins, names = entry.wins, entry.names
    decided = [[wins[i][j] + wins[j][i] for j in range(len(names))] for i in range(len(names))]
    share = [sum(wins[i]) / max(1, sum(decided[i])) for i in range(len(names))]
    order = sorted(range(len(names)), key=lambda i: -share[i])
    cells = [
        _cell((names[i], names[j]), wins[i][j] / decided[i][j] if decided[i][j] else None)
        for i in order
        for j in order
        if i != j and (decided[i][j] or entry.ties[i][j])
    ]
    chart, left_out = heat_map(
        cells,
        rows=[names[i] for i in order],
        columns=[names[i] for i in order],
        colour=Colour("Won by the row", (0.0, 1.0), scheme="blueorange", middle=0.5, format=".0%"),
        size=size,
    )
    title = heading(
        f"Who is preferred to whom{result.scope_in_title(scope)}",
        ["Per cent of the decided comparisons that the row won against the column; ties are left out.", *left_out],
        size=size,
    )
    return styled(alt.vconcat(chart).properties(title=title), size)


def _hub(entry: OutcomesInScope) -> int | None:
    """The only competitor that all others were compared with, if there is one."""
    count = len(entry.names)
    met = [{j for j in range(count) if i != j and _judged(entry, i, j)} for i in range(count)]
    hubs = [i for i in range(count) if len(met[i]) > 1 and all(met[j] <= {i} for j in range(count) if j != i)]
    return hubs[0] if hubs else None


def _judged(entry: OutcomesInScope, i: int, j: int) -> float:
    return entry.wins[i][j] + entry.wins[j][i] + entry.ties[i][j]


def _star(result: MethodRankingResult, entry: OutcomesInScope, hub: int, size: Size) -> Chart:
    """The outcomes of a design in which everyone meets the same competitor, one bar per competitor."""
    name, others = entry.names[hub], [i for i in range(len(entry.names)) if _judged(entry, i, hub) and i != hub]
    others.sort(key=lambda i: -(entry.wins[i][hub] + entry.ties[i][hub] / 2) / _judged(entry, i, hub))
    parts = {
        "won": ("It was preferred", HUES[0]),
        "tied": ("Both or neither", "#ccd3db"),
        "lost": (f"{name} was preferred", HUES[4]),
    }
    rows: list[Row] = [
        {"name": entry.names[i], "won": entry.wins[i][hub], "tied": entry.ties[i][hub], "lost": entry.wins[hub][i]}
        for i in others
    ]
    chart, left_out = stacked_bars(rows, parts, size=size, x_title=f"Comparisons with {name}")
    notes = [f"All were compared with {name} only: what experts preferred, the best at the top.", *left_out]
    title = heading(f"Who is preferred to {name}{result.scope_in_title(entry.scope)}", notes, size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _cell(names: tuple[str, str], share: float | None) -> Row:
    row, column = names
    return {"row": row, "column": column, "value": share, "text": "–" if share is None else f"{100 * share:.0f}"}
