"""The parameters of the analysis of agreement against the share of certain items."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.uncertainty.machine_parameters import MachineParameters

Accuracy = Annotated[float, Field(ge=0, le=1)]


class UncertaintySimulation(MachineParameters):
    """Parameters of `uncertainty_simulation`."""

    steps: int = Field(
        default=10, ge=1, le=100, title="Steps", description="Into how many the share of certain items is cut."
    )
    repeats: int = Field(
        default=100, ge=2, le=10_000, title="Repeats", description="Simulations or subsets for every share."
    )
    subset: int = Field(
        default=100, ge=2, le=100_000, title="Items of a subset", description="Of real data: how many items are drawn."
    )
    items: int = Field(
        default=200, ge=2, le=100_000, title="Items", description="Of a simulation: how many items people label."
    )
    annotators: int = Field(
        default=3, ge=2, le=1000, title="Annotators", description="Of a simulation: how many people label every item."
    )
    label_count: int = Field(
        default=5, ge=2, le=100, title="Labels", description="Of a simulation: how many labels there are."
    )
    scale: Literal["nominal", "ordinal"] = Field(
        default="nominal", title="Scale", description="Of a simulation: whether the labels are points of a scale."
    )
    accuracies: list[Accuracy] = Field(
        default=[0.9],
        max_length=5,
        title="Accuracies",
        description="Of a simulation: how often machines give the label of an item of which people are certain; of "
        "others they label at random. The random labeller is always there.",
    )
