"""The tables of the analysis of power."""

from __future__ import annotations

from typing import Any

from metaeval.analyses.base.tables import column, table
from metaeval.analyses.power.parameters import PowerOfStudy

ASSUMPTIONS = {
    "base": "Log-odds of preferring a middling system",
    "spread": "Spread of systems",
    "instance_spread": "Spread of instances",
    "expert_spread": "Spread of experts",
}


def tables_of(result: dict[str, Any], parameters: PowerOfStudy) -> list[dict[str, Any]]:
    """The grid, what the responses could have shown (of a study that has some), and what was assumed."""
    at = f"a true correlation of {parameters.correlation:g}"
    tables = [_grid(result, parameters, at)]
    if result["observed"]:
        tables.append(_observed(result["observed"], parameters, at))
    tables.append(_assumed(result))
    return tables


def _columns(parameters: PowerOfStudy) -> list[dict[str, Any]]:
    return [
        column("power", "Power", kind="share"),
        column("low", "from", kind="share", detail=True),
        column("high", "to", kind="share", detail=True),
        column("smallest", f"Smallest found by {100 * parameters.target:g} %"),
        column("mean_observed", "Observed on average", detail=True),
        column("notes", "Notes"),
    ]


def _grid(result: dict[str, Any], parameters: PowerOfStudy, at: str) -> dict[str, Any]:
    columns = [
        column("instances", "Instances of a system"),
        column("experts_per_comparison", "Experts of a comparison"),
        column("judgements", "Judgements of a system"),
        *_columns(parameters),
    ]
    rows = [
        {
            **cell,
            "judgements": cell["instances"] * cell["experts_per_comparison"],
            "notes": "; ".join(["as planned"] * cell["is_planned"] + [cell["reason"]] * bool(cell["reason"])),
        }
        for cell in result["cells"]
    ]
    notes = [
        f"{result['systems']} systems, {result['experts']} experts; {parameters.simulations:,} simulated studies a "
        f"row, {_test(parameters)}. From, to: of the simulation, 95 %."
    ]
    return table("grid", f"The chance to find {at}", columns, rows, notes=notes)


def _observed(found: dict[str, Any], parameters: PowerOfStudy, at: str) -> dict[str, Any]:
    columns = [
        column("systems", "Systems"),
        column("comparisons", "Comparisons"),
        column("experts", "Experts"),
        column("responses", "Responses"),
        column("reliability", "Reliability of the fractions"),
        *_columns(parameters),
    ]
    row = {**found, "notes": "; ".join([*found["notes"], *([found["reason"]] if found["reason"] else [])])}
    return table(
        "observed",
        f"What these responses could have shown of {at}",
        columns,
        [row],
        notes=[
            f"The same experts on the same comparisons, answering anew in {parameters.simulations:,} simulated "
            f"studies; {_test(parameters)}."
        ],
    )


def _assumed(result: dict[str, Any]) -> dict[str, Any]:
    columns = [column("name", "What"), column("value", "Value"), column("source", "From")]
    rows = [{**row, "name": ASSUMPTIONS[row["name"]]} for row in result["assumptions"]]
    return table(
        "assumptions",
        "What the simulated studies are made of",
        columns,
        rows,
        notes=["Standard deviations on the scale of log-odds."],
    )


def _test(parameters: PowerOfStudy) -> str:
    symbol = {"pearson": "Pearson’s r", "spearman": "Spearman’s ρ", "kendall": "Kendall’s τ-b"}
    return f"{symbol[parameters.coefficient]}, {parameters.alternative}, p ≤ {parameters.alpha:g}"
