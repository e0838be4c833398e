"""The results of the analysis of power, their tables, and the answer in sentences."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from annotations.ground.units import Exchangeable
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.table import InTable, Share, Table, column, table_of
from metaeval.analyses.base.wording import (
    answered,
    because,
    counted,
    number,
    permuted,
    sentence,
    share,
    share_range,
    spelled,
    why,
)
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.analyses.power.parameters import PowerOfStudy

AssumedName = Literal["base", "spread", "instance_spread", "expert_spread", "likeness", "model_spread"]
ASSUMPTIONS: dict[AssumedName, str] = {
    "base": "Log-odds of preferring an average system",
    "spread": "Spread of systems",
    "instance_spread": "Spread of instances",
    "expert_spread": "Spread of experts",
    "likeness": "Similarity of a method’s systems in two models (a correlation)",
    "model_spread": "Spread of models, as a multiple of the spread within one model",
}


class AssumedNumber(Part):
    """A number that the simulation needs, and where it comes from.

    On the scale of log-odds; `likeness` is a correlation, and `model_spread` a multiple of the systems' own spread.
    """

    name: Annotated[AssumedName, InTable(words=ASSUMPTIONS)] = Field(title="What")
    value: Annotated[float, InTable(note="Standard deviations on the log-odds scale.")] = Field(title="Value")
    source: Literal["given", "estimated from the responses", "assumed"] = Field(title="From")


class UnitOfDesign(Part):
    """What the test of such a study exchanges, and how small its p-value can be: known before there are data."""

    exchangeable: Exchangeable
    by_default: bool = Field(description="Whether it follows from models and methods; if not, it was chosen.")
    words: str = Field(description="What is exchanged and why, as a sentence.")
    models: int
    methods: int
    possible: Number = Field(
        description="How many arrangements there are; null if there are more than a number can hold exactly."
    )
    smallest_p: float = Field(description="No p-value of the simulated test can be smaller, whatever the data are.")
    smallest_in_words: str = Field(description="The same, with two significant digits.")
    warning: str = Field(description="A note if it is above the level, and what to add; empty otherwise.")

    @property
    def sentences(self) -> list[str]:
        """Everything that a reader must know, in order."""
        smallest = f"The smallest p that a test can give here is {self.smallest_in_words}."
        return [f"How chance is judged. {self.words} {smallest}", *filter(None, [self.warning])]


class PointOfPower(Part):
    """The share of simulated studies that find one true correlation, with limits for the simulation's error."""

    correlation: float
    power: float
    low: float
    high: float
    mean_observed: Number = Field(description="The coefficient that such studies show on average.")


class PowerOfDesign(Part):
    """Power at the requested correlation, and over all correlations."""

    power: Share = Field(title="Power")
    low: Annotated[Share, InTable(detail=True)] = Field(title="from")
    high: Annotated[Share, InTable(detail=True)] = Field(title="to")
    smallest: Number = Field(
        title="Smallest detected", description="The smallest correlation that is detected as often as requested."
    )
    mean_observed: Annotated[Number, InTable(detail=True)] = Field(title="Observed on average")
    reason: Annotated[str, InTable(remark="{}")] = Field(description="Why there is no power; empty if there is one.")
    curve: list[PointOfPower]


class GridCell(PowerOfDesign):
    """The power of studies with these numbers of instances and experts."""

    instances: int = Field(title="Instances per system")
    experts_per_comparison: int = Field(title="Experts per comparison")
    is_planned: bool


class ObservedPower(PowerOfDesign):
    """What the responses could have shown, and the variance components of their noise."""

    mean: float
    between_systems: float
    between_comparisons: float
    between_experts: float
    within: float
    noise: float
    reliability: Number = Field(
        title="Reliability of the fractions",
        description="The share of the fractions' variance that is due to the systems themselves.",
    )
    systems: int = Field(title="Systems")
    comparisons: int = Field(title="Comparisons")
    experts: int = Field(title="Experts")
    responses: int = Field(title="Responses")
    notes: list[str]
    unit: UnitOfDesign | None = Field(
        default=None,
        description="About the systems that were judged; null in version 1, when it was any two systems.",
    )


class PowerFindings(Findings):
    """The probability of finding a correlation."""

    systems: int
    experts: int
    assumptions: list[AssumedNumber]
    correlations: list[float]
    cells: list[GridCell]
    observed: ObservedPower | None = Field(description="null if there are not enough responses.")
    unit: UnitOfDesign | None = Field(
        default=None, description="About all cells of the grid; null in version 1, when it was any two systems."
    )


class PowerResult(PowerFindings, Result):
    """Power of a study."""

    analysis: Literal["power"]


def tables_of(findings: PowerFindings, parameters: PowerOfStudy) -> list[Table]:
    """The grid, what the responses could have shown (if the study has any), and the assumptions."""
    effect = f"a true correlation of {parameters.correlation:g}"
    symbol = {"pearson": "Pearson’s r", "spearman": "Spearman’s ρ", "kendall": "Kendall’s τ-b"}[parameters.coefficient]
    test = f"{symbol}, {parameters.alternative}, p ≤ {parameters.alpha:g}"
    titles = {"smallest": f"Smallest detected in {100 * parameters.target:g}%"}
    power = ("power", "low", "high", "smallest", "mean_observed")
    tables = [
        table_of(
            "grid",
            f"The chance of detecting {effect}",
            GridCell,
            [
                (
                    {
                        "judgements": cell.instances * cell.experts_per_comparison,
                        "notes": "as planned" if cell.is_planned else "",
                    },
                    cell,
                )
                for cell in findings.cells
            ],
            ["instances", "experts_per_comparison", column("judgements", "Judgements per system"), *power],
            titles=titles,
            notes=[
                f"{findings.systems} systems, {findings.experts} experts; {parameters.simulations:,} simulated studies "
                f"per row, {test}. From, to: 95% limits of the simulation error.",
                *(findings.unit.sentences if findings.unit else []),
            ],
        )
    ]
    observed = findings.observed
    if observed is not None:
        tables.append(
            table_of(
                "observed",
                f"What these responses could have shown about {effect}",
                ObservedPower,
                [({"notes": "; ".join(observed.notes)}, observed)],
                ["systems", "comparisons", "experts", "responses", "reliability", *power],
                titles=titles,
                notes=[
                    f"The same experts judge the same comparisons again in {parameters.simulations:,} simulated "
                    f"studies; {test}.",
                    *(observed.unit.sentences if observed.unit else []),
                ],
            )
        )
    shared = (
        "If systems share models and methods, the systems of one method resemble one another. The spread "
        "of systems includes that of models; only the rest is the spread of methods within a model."
    )
    is_shared = any(row.name == "likeness" for row in findings.assumptions)
    title = "What the simulated studies are made of"
    notes = [shared] if is_shared else []
    tables.append(table_of("assumptions", title, AssumedNumber, findings.assumptions, notes=notes))
    return tables


def answer(result: PowerResult) -> str:
    """The probability that the planned study, or the largest in the grid, finds the requested correlation.

    It is only called above or below the target if the limits of the simulation's error are.
    """
    cells = [cell for cell in result.cells if cell.power is not None]
    if not cells:
        return f"The chance is undefined: {because(result.cells[0].reason if result.cells else '')}"
    planned = [cell for cell in cells if cell.is_planned]
    cell = max(planned or cells, key=_judgements)
    return answered(
        _headline(cell, result),
        sentence([_smallest(cell, result), *_unit(result)]),
        sentence([_assumed(result), _larger(cells, cell, result)]),
    )


def _judgements(cell: GridCell) -> int:
    """Per system."""
    return cell.instances * cell.experts_per_comparison


def _headline(cell: GridCell, result: PowerResult) -> str:
    size = (
        f"{'The planned study' if cell.is_planned else 'A study'} of {counted(cell.instances, 'text')} per system and "
        f"{counted(cell.experts_per_comparison, 'expert')} per text"
    )
    true = number(float(result.parameters["correlation"]))
    limits = "" if cell.low is None or cell.high is None else f" ({share_range(cell.low, cell.high)})"
    chance = f"a chance of {share(cell.power or 0.0)}{limits}"
    return f"{size} has {chance} of detecting a true correlation of {true}{_target(cell, result)}."


def _target(cell: GridCell, result: PowerResult) -> str:
    target = float(result.parameters["target"])
    if cell.low is None or cell.high is None:
        return ""
    if cell.low >= target:
        return f", which reaches the target of {share(target)}"
    if cell.high < target:
        return f", which is below the target of {share(target)}"
    return f", which cannot be told apart from the target of {share(target)}"


def _smallest(cell: GridCell, result: PowerResult) -> str:
    target = share(float(result.parameters["target"]))
    if cell.smallest is not None:
        return f"the smallest correlation that it detects with a chance of {target} is {number(cell.smallest)}"
    return f"no correlation is detected with a chance of {target} ({why(cell.reason)})" if cell.reason else ""


def _unit(result: PowerResult) -> list[str]:
    """What its test exchanges, and whether it can reject at all."""
    unit = result.unit
    if unit is None:
        return []
    what = permuted(unit.exchangeable, systems=result.systems, models=unit.models, methods=unit.methods)
    if not unit.warning:
        return [f"chance is judged by permuting {what}"]
    return [f"no such study can reject: permuting {what}, its smallest p is {unit.smallest_in_words}"]


def _assumed(result: PowerResult) -> str:
    """How much of it is based on answers, and how much is assumed."""
    count = sum(row.source == "assumed" for row in result.assumptions)
    total = len(result.assumptions)
    if not count:
        return ""
    if count == total:
        which = "the one number" if total == 1 else "both numbers" if total == 2 else f"all {spelled(total)} numbers"
    else:
        which = f"{spelled(count)} of the {spelled(total)} numbers"
    return f"{which} behind this chance {'is' if count == 1 else 'are'} assumed"


def _larger(cells: list[GridCell], cell: GridCell, result: PowerResult) -> str:
    """The smallest study of the grid that reaches the target, if this one does not."""
    target = float(result.parameters["target"])
    if cell.low is None or cell.low >= target:
        return ""
    enough = [row for row in cells if row.low is not None and row.low >= target]
    if not enough:
        return "no study of the grid reaches the target"
    least = min(enough, key=_judgements)
    texts, experts = counted(least.instances, "text"), counted(least.experts_per_comparison, "expert")
    return f"{texts} per system with {experts} per text would reach it"
