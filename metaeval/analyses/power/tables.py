"""The tables of the analysis of power."""

from __future__ import annotations

from metaeval.analyses.base.table import Column, Table, column, table
from metaeval.analyses.power.parameters import PowerOfStudy
from metaeval.analyses.power.result import AssumedName, GridCell, ObservedPower, PowerFindings

ASSUMPTIONS: dict[AssumedName, str] = {
    "base": "Log-odds of preferring an average system",
    "spread": "Spread of systems",
    "instance_spread": "Spread of instances",
    "expert_spread": "Spread of experts",
    "likeness": "Similarity of a method’s systems in two models (a correlation)",
    "model_spread": "Spread of models, as a multiple of the spread within one model",
}


def tables_of(found: PowerFindings, parameters: PowerOfStudy) -> list[Table]:
    """The grid, what the responses could have shown (if the study has any), and the assumptions."""
    at = f"a true correlation of {parameters.correlation:g}"
    tables = [_grid(found, parameters, at)]
    if found.observed is not None:
        tables.append(_observed(found.observed, parameters, at))
    tables.append(_assumed(found))
    return tables


def _columns(parameters: PowerOfStudy) -> list[Column]:
    return [
        column("power", "Power", kind="share"),
        column("low", "from", kind="share", detail=True),
        column("high", "to", kind="share", detail=True),
        column("smallest", f"Smallest detected in {100 * parameters.target:g}%"),
        column("mean_observed", "Observed on average", detail=True),
        column("notes", "Notes"),
    ]


def _grid(found: PowerFindings, parameters: PowerOfStudy, at: str) -> Table:
    columns = [
        column("instances", "Instances per system"),
        column("experts_per_comparison", "Experts per comparison"),
        column("judgements", "Judgements per system"),
        *_columns(parameters),
    ]
    rows = [
        {
            **cell.plain(),
            "judgements": cell.instances * cell.experts_per_comparison,
            "notes": "; ".join(_remarks(cell)),
        }
        for cell in found.cells
    ]
    notes = [
        f"{found.systems} systems, {found.experts} experts; {parameters.simulations:,} simulated studies "
        f"per row, {_test(parameters)}. From, to: 95% limits of the simulation error.",
        *(found.unit.sentences if found.unit else []),
    ]
    return table("grid", f"The chance of detecting {at}", columns, rows, notes=notes)


def _remarks(cell: GridCell) -> list[str]:
    return [*(["as planned"] if cell.is_planned else []), *([cell.reason] if cell.reason else [])]


def _observed(found: ObservedPower, parameters: PowerOfStudy, at: str) -> Table:
    columns = [
        column("systems", "Systems"),
        column("comparisons", "Comparisons"),
        column("experts", "Experts"),
        column("responses", "Responses"),
        column("reliability", "Reliability of the fractions"),
        *_columns(parameters),
    ]
    row = found.plain() | {"notes": "; ".join([*found.notes, *([found.reason] if found.reason else [])])}
    return table(
        "observed",
        f"What these responses could have shown about {at}",
        columns,
        [row],
        notes=[
            f"The same experts judge the same comparisons again in {parameters.simulations:,} simulated "
            f"studies; {_test(parameters)}.",
            *(found.unit.sentences if found.unit else []),
        ],
    )


def _assumed(found: PowerFindings) -> Table:
    columns = [column("name", "What"), column("value", "Value"), column("source", "From")]
    rows = [row.plain() | {"name": ASSUMPTIONS[row.name]} for row in found.assumptions]
    return table(
        "assumptions",
        "What the simulated studies are made of",
        columns,
        rows,
        notes=["Standard deviations on the log-odds scale.", *_shared(found)],
    )


def _shared(found: PowerFindings) -> list[str]:
    """The meaning of the two numbers for systems that share models and methods."""
    if not any(row.name == "likeness" for row in found.assumptions):
        return []
    return [
        "If systems share models and methods, the systems of one method resemble one another. The spread "
        "of systems includes that of models; only the rest is the spread of methods within a model."
    ]


def _test(parameters: PowerOfStudy) -> str:
    symbol = {"pearson": "Pearson’s r", "spearman": "Spearman’s ρ", "kendall": "Kendall’s τ-b"}
    return f"{symbol[parameters.coefficient]}, {parameters.alternative}, p ≤ {parameters.alpha:g}"
