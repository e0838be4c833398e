"""The results of the analysis of human uncertainty."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.result import BootstrapInterval, Findings, Result
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.stats import Coefficient
from metaeval.stats.uncertainty import Scale

PartitionKind = Literal["all", "agreement", "different_labels"]


class MachineBesidePeople(Part):
    """A machine on the items that people labelled too."""

    name: str
    items: int
    most_labels_an_item: int
    binned_divergence: Number
    pooled_divergence: Number


class PartitionOfItems(Part):
    """A partition of the items."""

    grouping: PartitionKind = Field(description="What the items are grouped by.")
    partition: str = Field(description="Its name.")
    items: int
    share: float = Field(description="Of the items.")


class RandomLabellersRange(Part):
    """What random labellers get: their mean, and bounds that contain as large a share of them as an interval of
    resamples."""

    mean: Number
    low: Number
    high: Number
    reason: str


class RandomLabellersMeasures(Part):
    """Random labellers' agreement with people's typical label, and their binned divergence."""

    alpha: RandomLabellersRange
    percentage: RandomLabellersRange
    divergence: RandomLabellersRange


class PeopleStratum(PartitionOfItems):
    """How much people agree in a partition, and how much random labellers agree with them."""

    annotations: int
    labels_that_occur: int
    alpha: Number
    low: Number
    high: Number
    percentage: Number = Field(description="Percentage agreement.")
    pairwise: Number = Field(description="Pairwise agreement.")
    fleiss: Number
    randolph: Number
    random: RandomLabellersMeasures
    reason: str = Field(description="Why alpha is undefined; empty if it is defined.")


class PeopleStrata(Part):
    """People on the items that the same machines labelled."""

    machines: list[str] = Field(description="Those that labelled these items; empty if there is none.")
    rows: list[PeopleStratum]


class FourComparisons(Part):
    """A measure of agreement among people, among a machine's labels, and of people with the machine."""

    people: Number
    machines: Number
    typical: Number = Field(description="Between people's majority (or median) and the machine's.")
    random_person: Number = Field(description="Between one person at random and the machine's majority (or median).")
    difference: Number = Field(description="Among people, minus that of the majorities (or medians).")
    reasons: dict[str, str] = Field(description="Why values are undefined, by their names.")

    @property
    def compared(self) -> dict[str, Number]:
        """The four, by name."""
        return {
            "people": self.people,
            "machines": self.machines,
            "typical": self.typical,
            "random_person": self.random_person,
        }


class ComparedAlphas(FourComparisons):
    """The same for Krippendorff's alpha, with intervals over items."""

    typical_low: Number
    typical_high: Number
    difference_low: Number
    difference_high: Number
    difference_reason: str


class StratumDivergence(Part):
    """Jensen-Shannon of people's labels and the machine's, binned by people's typical label and not binned."""

    binned: Number
    pooled: Number
    reason: str


class LabelWinRates(Part):
    """How often each label is the typical one: one number per label."""

    people: list[Number]
    machine: list[Number]


class RankCorrelation(Part):
    """A rank correlation of people with the machine over n items."""

    coefficient: Coefficient
    value: Number
    n: int
    reason: str


class RankCorrelations(Part):
    """Rank correlations of medians and of means."""

    spearman_median: RankCorrelation
    spearman_mean: RankCorrelation
    kendall_median: RankCorrelation
    kendall_mean: RankCorrelation

    @property
    def each(self) -> dict[str, RankCorrelation]:
        """The four, by name."""
        return {
            "spearman_median": self.spearman_median,
            "spearman_mean": self.spearman_mean,
            "kendall_median": self.kendall_median,
            "kendall_mean": self.kendall_mean,
        }


class MachineStratum(PartitionOfItems):
    """People and a machine in a partition of the items."""

    machine: str
    alpha: ComparedAlphas
    percentage: FourComparisons
    fleiss: FourComparisons
    randolph: FourComparisons
    divergence: StratumDivergence
    win_rates: LabelWinRates
    correlations: RankCorrelations | None = Field(description="Only for labels on a scale.")
    undecided: int = Field(description="Items whose majority or median a rule had to settle.")
    notes: list[str]


class ValuesOfLabel(Part):
    """The distribution of a machine's values over the items of one typical label; null if there is no item."""

    label: str = Field(description="People's majority (or median).")
    items: int
    mean: Number
    p05: Number = Field(description="The value that 5% of the items are at or below.")
    p25: Number
    p50: Number = Field(description="The median.")
    p75: Number
    p95: Number


class ContinuousStratum(PartitionOfItems):
    """A machine's numbers beside people's typical labels in a partition of the items."""

    machine: str
    pearson: Number
    spearman: Number
    kendall: Number = Field(description="Kendall's tau-b.")
    reason: str = Field(description="Why the coefficients are undefined; empty if they are defined.")
    interval: BootstrapInterval = Field(description="For Spearman's coefficient, over items.")
    spread: list[ValuesOfLabel] = Field(description="One entry per label, in their order as numbers.")


class PerceptionBin(Part):
    """The items of one typical label: a panel of a perception chart. Shares have one number per label."""

    label: str = Field(description="People's majority (or median).")
    items: int
    share: float = Field(description="Of the items.")
    value: Number = Field(description="Jensen-Shannon between people's labels and the machine's.")
    human: list[float] = Field(description="Among all human labels.")
    machine: list[float] | None = Field(description="Among all machine labels; null if there is no machine.")
    human_typical: list[float]
    machine_typical: list[float] | None
    reason: str


class Perception(Part):
    """The distribution of people's and a machine's labels; without a machine, only people's."""

    machine: str | None
    binned: Number
    pooled: Number
    bins: list[PerceptionBin]


class UncertaintyFindings(Findings):
    """How well machines agree with people, given how much people agree."""

    items: str = Field(description="What the items are called.")
    people: str = Field(description="What the people are called.")
    labels: list[str]
    scale: Scale
    machines: list[MachineBesidePeople]
    people_strata: list[PeopleStrata] = Field(description="One entry per set of items that machines labelled.")
    strata: list[MachineStratum]
    perception: list[Perception]
    continuous: list[ContinuousStratum] = Field(default=[], description="For machines that give numbers.")


class UncertaintyResult(UncertaintyFindings, Result):
    """Machines and human uncertainty."""

    analysis: Literal["uncertainty"]
