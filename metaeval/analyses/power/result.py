"""The results of the analysis of power, and their tables."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from annotations.ground.units import Exchangeable
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.table import InTable, Share, Table, column, table_of
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
