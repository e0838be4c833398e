"""The parameters of the analysis of agreement against the share of certain items."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.uncertainty.parameters import MachineParameters
from metaeval.stats.uncertainty import Uncertain

Accuracy = Annotated[float, Field(ge=0, le=1)]


class UncertaintySimulation(MachineParameters):
    """Parameters of `uncertainty_simulation`."""

    steps: int = Field(default=10, ge=1, le=100, title="Steps")
    """Into how many steps the share of certain items is divided."""
    repeats: int = Field(default=100, ge=2, le=10_000, title="Repeats")
    """How many simulations or subsets to draw for every share."""
    subset: int = Field(default=100, ge=2, le=100_000, title="Items per subset")
    """For real data: how many items are drawn."""
    items: int = Field(default=200, ge=2, le=100_000, title="Items")
    """For a simulation: how many items people label."""
    annotators: int = Field(default=3, ge=2, le=1000, title="Annotators")
    """For a simulation: how many people label every item."""
    label_count: int = Field(default=5, ge=2, le=100, title="Labels")
    """For a simulation: how many labels there are."""
    scale: Literal["nominal", "ordinal"] = Field(default="nominal", title="Scale")
    """For a simulation: whether the labels are points on a scale."""
    uncertain: Uncertain = Field(default="each draws", title="Uncertain items")
    """For a simulation: on an item about which people are uncertain, each draws a label, or all give different ones, as
    in Elangovan et al. (2025); that needs at least as many labels as annotators."""
    accuracies: list[Accuracy] = Field(default=[0.9], max_length=5, title="Accuracies")
    """For a simulation: how often machines give the correct label for an item about which people are certain; other
    items they label at random. The random labeller is always included."""
