"""The results of the analysis of human uncertainty, their tables, and the answer in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.result import COEFFICIENT_TITLES, BootstrapInterval, Findings, Result
from metaeval.analyses.base.table import InTable, Limit, Reason, Share, Table, cells_of, column, columns_of, table_of
from metaeval.analyses.base.wording import (
    answered,
    because,
    interval,
    listed,
    name,
    number,
    sentence,
    spelled,
    undefined,
    within,
)
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.stats import COEFFICIENTS, Coefficient
from metaeval.stats.uncertainty import Scale

PartitionKind = Literal["all", "agreement", "different_labels"]
GROUPINGS: dict[PartitionKind, str] = {
    "all": "",
    "agreement": "Percentage agreement (PA)",
    "different_labels": "Different labels",
}

AmongPeople = InTable(group="Among people")
JensenShannon = Annotated[Number, InTable(group="Jensen-Shannon")]
CorrelationOfValues = Annotated[Number, InTable(group="Correlation of values with people’s labels")]


class MachineBesidePeople(Part):
    """A machine on the items that people labelled too."""

    name: str
    items: int
    most_labels_an_item: int
    binned_divergence: Number
    pooled_divergence: Number


class PartitionOfItems(Part):
    """A partition of the items."""

    grouping: Annotated[PartitionKind, InTable(key="by", words=GROUPINGS, detail=True)] = Field(
        title="By", description="What the items are grouped by."
    )
    partition: str = Field(title="Partition", description="Its name.")
    items: int = Field(title="Items")
    share: Annotated[float, InTable(kind="share")] = Field(title="of items", description="Of the items.")

    @property
    def title(self) -> str:
        return "all items" if self.grouping == "all" else self.partition.replace("<=", "≤")

    @property
    def heading(self) -> str:
        """The partition's name in figures, with how many items it has."""
        return f"{'All' if self.grouping == 'all' else self.title} ({self.items:,})"


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
    alpha: Annotated[Number, AmongPeople] = Field(title="Alpha")
    low: Annotated[Limit, AmongPeople] = Field(title="low")
    high: Annotated[Limit, AmongPeople] = Field(title="high")
    percentage: Annotated[Share, AmongPeople] = Field(title="Percentage agreement", description="Percentage agreement.")
    pairwise: Annotated[Share, InTable(group="Among people", detail=True)] = Field(
        title="Pairwise agreement", description="Pairwise agreement."
    )
    fleiss: Annotated[Number, InTable(group="Among people", detail=True)] = Field(title="Fleiss")
    randolph: Annotated[Number, InTable(group="Among people", detail=True)] = Field(title="Randolph")
    random: RandomLabellersMeasures
    reason: Reason = Field(description="Why alpha is undefined; empty if it is defined.")


class PeopleStrata(Part):
    """People on the items that the same machines labelled."""

    machines: list[str] = Field(description="Those that labelled these items; empty if there is none.")
    rows: list[PeopleStratum]


class FourComparisons(Part):
    """A measure of agreement among people, among a machine's labels, and of people with the machine."""

    people: Number = Field(title="HH")
    machines: Number = Field(title="MM")
    typical: Number = Field(title="HʷMʷ", description="Between people's majority (or median) and the machine's.")
    random_person: Number = Field(
        title="H′Mʷ", description="Between one person at random and the machine's majority (or median)."
    )
    difference: Number = Field(
        title="HH − HʷMʷ", description="Among people, minus that of the majorities (or medians)."
    )
    reasons: dict[str, str] = Field(description="Why values are undefined, by their names.")


class ComparedAlphas(FourComparisons):
    """The same for Krippendorff's alpha, with intervals over items."""

    typical_low: Number
    typical_high: Number
    difference_low: Annotated[Limit, InTable(group="Difference", detail=True)] = Field(title="low")
    difference_high: Annotated[Limit, InTable(group="Difference", detail=True)] = Field(title="high")
    difference_reason: str


class StratumDivergence(Part):
    """Jensen-Shannon of people's labels and the machine's, binned by people's typical label and not binned."""

    binned: JensenShannon = Field(title="binned")
    pooled: JensenShannon = Field(title="not binned")
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

    spearman_median: Annotated[RankCorrelation, InTable(group="Spearman")] = Field(title="of medians")
    spearman_mean: Annotated[RankCorrelation, InTable(group="Spearman")] = Field(title="of means")
    kendall_median: Annotated[RankCorrelation, InTable(group="Kendall")] = Field(title="of medians")
    kendall_mean: Annotated[RankCorrelation, InTable(group="Kendall")] = Field(title="of means")


class MachineStratum(PartitionOfItems):
    """People and a machine in a partition of the items."""

    machine: str = Field(title="Machine")
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

    machine: str = Field(title="Machine")
    pearson: CorrelationOfValues = Field(title=COEFFICIENT_TITLES["pearson"])
    spearman: CorrelationOfValues = Field(title=COEFFICIENT_TITLES["spearman"])
    kendall: CorrelationOfValues = Field(title=COEFFICIENT_TITLES["kendall"], description="Kendall's tau-b.")
    reason: str = Field(description="Why the coefficients are undefined; empty if they are defined.")
    interval: BootstrapInterval = Field(description="For Spearman's coefficient, over items.")
    spread: list[ValuesOfLabel] = Field(description="One entry per label, in their order as numbers.")


class PerceptionBin(Part):
    """The items of one typical label: a panel of a perception chart. Shares have one number per label."""

    label: str = Field(title="People’s typical label", description="People's majority (or median).")
    items: int = Field(title="Items")
    share: Annotated[float, InTable(kind="share")] = Field(title="of items", description="Of the items.")
    value: Number = Field(
        title="Jensen-Shannon", description="Jensen-Shannon between people's labels and the machine's."
    )
    human: list[float] = Field(description="Among all human labels.")
    machine: list[float] | None = Field(description="Among all machine labels; null if there is no machine.")
    human_typical: list[float]
    machine_typical: list[float] | None
    reason: Annotated[str, InTable(remark="{}")]


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


PARTITION = ("by", "partition", "items", "share")
LEGEND = {
    "people": "among people",
    "machines": "among the machine’s labels of an item",
    "typical": "people’s majority (or median) and the machine’s",
    "random_person": "one person at random and the machine",
}
VALUES_ARE = {
    "ordinal": "Value of a machine: its expected value, the sum of point × probability (the mean over "
    "its systems). It is compared with the point that is people’s median.",
    "nominal": "Value of a metric: by how much “{0}” is closer than “{1}”. It is compared with "
    "people’s majority: {1} < {2}, {3} < {0}.",
}


def tables_of(findings: UncertaintyFindings, *, level: float) -> list[Table]:
    """The stratified table, kappas, correlations and win rates of machines; people's own agreement; the bins;
    correlations of machines that give numbers."""
    several = any(machine.most_labels_an_item > 1 for machine in findings.machines)
    measures = [key for key in LEGEND if several or key != "machines"]
    tables = [_people(findings, level)]
    if findings.strata:
        tables = [_stratified(findings.strata, measures, level), *tables, _kappas(findings.strata, measures)]
        if findings.scale == "ordinal":
            tables.append(_correlations(findings.strata))
        tables.append(_win_rates(findings))
    tables.append(
        table_of(
            "bins",
            "Items by people’s typical label: how differently people and machines distribute their labels",
            PerceptionBin,
            [(row, {"machine": entry.machine}) for entry in findings.perception for row in entry.bins],
            [column("machine", "Machine"), "label", "items", "share", "value"],
            notes=["The mean, weighted by the share of items, is the binned divergence of all items."],
        )
    )
    if findings.continuous:
        tables.append(_continuous(findings, level))
    return tables


def _legend(measures: Sequence[str]) -> list[str]:
    titles = FourComparisons.model_fields
    words = "; ".join(f"{titles[key].title}: {LEGEND[key]}" for key in measures)
    return [
        f"{words}.",
        *([] if "machines" in measures else ["Every machine gives an item one label, so there is no MM."]),
    ]


def _undefined(row: MachineStratum, compared: Sequence[FourComparisons], measures: Sequence[str]) -> str:
    """What is undefined in this row, each reason once."""
    if row.notes:
        return "; ".join(dict.fromkeys(row.notes))
    notes = []
    for four in compared:
        titles: dict[str, list[str]] = {}
        for key, reason in four.reasons.items():
            if key in measures:
                titles.setdefault(reason, []).append(str(FourComparisons.model_fields[key].title))
        notes += [f"{', '.join(names)} undefined: {reason}" for reason, names in titles.items()]
    return "; ".join(dict.fromkeys(notes))


def _stratified(rows: Sequence[MachineStratum], measures: Sequence[str], level: float) -> Table:
    return table_of(
        "stratified",
        "People and machines by how far people agree",
        (MachineStratum, ComparedAlphas, StratumDivergence),
        [
            (
                row,
                row.alpha,
                row.divergence,
                {
                    **cells_of(row.alpha, "alpha_"),
                    **cells_of(row.percentage, "percentage_"),
                    "partition": row.title,
                    "notes": _undefined(row, [row.alpha], measures),
                },
            )
            for row in rows
        ],
        [
            *("machine", *PARTITION),
            *columns_of(FourComparisons, [*measures, "difference"], prefix="alpha_", group="Krippendorff’s alpha"),
            *("difference_low", "difference_high"),
            *columns_of(FourComparisons, measures, prefix="percentage_", group="Percentage agreement", kind="share"),
            *("binned", "pooled"),
            column("notes", "Notes"),
        ],
        level=level,
        notes=[
            *_legend(measures),
            "Partitions by percentage agreement select items by the very agreement that HH then measures within them.",
        ],
    )


def _people(findings: UncertaintyFindings, level: float) -> Table:
    random = "Random labeller, mean"
    several = len(findings.people_strata) > 1
    return table_of(
        "people",
        f"How far people agree on {findings.items}, and random labellers with them",
        PeopleStratum,
        [
            (
                row,
                {
                    "labelled_by": ", ".join(group.machines),
                    "partition": row.title,
                    "random_alpha": row.random.alpha.mean,
                    "random_high": row.random.alpha.high,
                    "random_percentage": row.random.percentage.mean,
                    "random_divergence": row.random.divergence.mean,
                },
            )
            for group in findings.people_strata
            for row in group.rows
        ],
        [
            *([column("labelled_by", "Items labelled by")] if several else []),
            *(*PARTITION, "alpha", "low", "high", "percentage", "pairwise", "fleiss", "randolph"),
            column("random_alpha", "Alpha", group=random),
            column("random_high", f"{100 * level:g}% high", group=random),
            column("random_percentage", "Percentage agreement", group=random, kind="share"),
            column("random_divergence", "Binned JSD", group=random),
        ],
        level=level,
        notes=[
            "The random labeller gives every item one label, each equally often. Of such labellers, "
            f"{100 - 50 * (1 - level):g}% have an alpha of at most “high” with people’s typical label."
        ],
    )


def _kappas(rows: Sequence[MachineStratum], measures: Sequence[str]) -> Table:
    return table_of(
        "kappas",
        "The same by kappas",
        MachineStratum,
        [
            (
                row,
                {
                    **cells_of(row.fleiss, "fleiss_"),
                    **cells_of(row.randolph, "randolph_"),
                    "partition": row.title,
                    "notes": _undefined(row, [row.fleiss, row.randolph], measures),
                },
            )
            for row in rows
        ],
        [
            *("machine", *PARTITION),
            *columns_of(FourComparisons, measures, prefix="fleiss_", group="Fleiss’ kappa"),
            *columns_of(FourComparisons, measures, prefix="randolph_", group="Randolph’s kappa"),
            column("notes", "Notes"),
        ],
        notes=[*_legend(measures), "Randolph’s kappa counts the labels that occur."],
    )


def _correlations(rows: Sequence[MachineStratum]) -> Table:
    keys = list(RankCorrelations.model_fields)
    cells: list[tuple[MachineStratum, dict[str, object]]] = []
    for row in rows:
        if row.correlations is not None:
            correlations: dict[str, RankCorrelation] = {key: getattr(row.correlations, key) for key in keys}
            reasons = dict.fromkeys(entry.reason for entry in correlations.values() if entry.reason)
            notes = "; ".join(f"undefined: {reason}" for reason in reasons)
            values = {key: entry.value for key, entry in correlations.items()}
            cells.append((row, {**values, "partition": row.title, "notes": notes}))
    return table_of(
        "correlations",
        "Rank correlations of people with the machine",
        MachineStratum,
        cells,
        ["machine", *PARTITION, *columns_of(RankCorrelations, keys), column("notes", "Notes")],
    )


def _win_rates(findings: UncertaintyFindings) -> Table:
    return table_of(
        "win_rates",
        "How often each label is the typical one",
        MachineStratum,
        [
            (row, {"partition": row.title, "label": label, "people_rate": people, "machine_rate": machine})
            for row in findings.strata
            for label, people, machine in zip(findings.labels, row.win_rates.people, row.win_rates.machine, strict=True)
            if row.items
        ],
        [
            *("machine", *PARTITION),
            column("label", "Label"),
            column("people_rate", "of people", kind="share"),
            column("machine_rate", "of the machine", kind="share"),
        ],
        notes=["For preferences: win rates."],
    )


def _continuous(findings: UncertaintyFindings, level: float) -> Table:
    """Correlations of machines' numbers with people's typical labels, one row per machine and partition."""
    rows = []
    for row in findings.continuous:
        reason = row.interval.reason and (row.reason or row.interval.reason)
        cells = {"partition": row.title, "low": row.interval.low, "high": row.interval.high}
        rows.append((row, {**cells, "notes": f"undefined: {reason}" if reason else ""}))
    return table_of(
        "continuous",
        "Values of machines and people’s labels, by how far people agree",
        ContinuousStratum,
        rows,
        [
            *("machine", *PARTITION, *COEFFICIENTS),
            *columns_of(BootstrapInterval, ["low", "high"], level=level, group="Spearman’s interval"),
            column("notes", "Notes"),
        ],
        notes=[
            VALUES_ARE[findings.scale].format(*findings.labels),
            "If people agree on only a few labels, there is little variation to correlate with.",
        ],
    )


def typical(scale: Scale) -> str:
    """What represents an item's labels.

    >>> typical("nominal")
    'majority'
    """
    return "median" if scale == "ordinal" else "majority"


def answer(result: UncertaintyResult) -> str:
    """The machine with the highest alpha with people's typical label, beside how much people agree among themselves.

    The interval of the difference says whether this is more or less than among people; machines are not tested against
    one another.
    """
    rows = [row for row in result.strata if row.grouping == "all"]
    defined = [row for row in rows if row.alpha.typical is not None]
    if not defined:
        return _people_alone(result, rows)
    top = max(row.alpha.typical or 0.0 for row in defined)
    best = [row for row in defined if row.alpha.typical == top]
    lacking = [row for row in rows if row.alpha.typical is None]
    caution = sentence(
        [
            "typical answers vary less than single ones, which can favour a machine"
            if best[0].alpha.people is not None
            else "",
            "no test compares the machines, and the highest of several is optimistic" if len(defined) > 1 else "",
            undefined([row.machine for row in lacking], [row.alpha.reasons.get("typical", "") for row in lacking]),
        ]
    )
    return answered(_headline(result, best, len(defined)), sentence([_beside_people(result, best[0])]), caution)


def _headline(result: UncertaintyResult, best: list[MachineStratum], machines: int) -> str:
    alpha = best[0].alpha
    bounds = interval(alpha.typical_low, alpha.typical_high, _level(result))
    figures = f"alpha {number(alpha.typical or 0.0)}{within(bounds or 'no interval')}"
    among = f"the typical answers of {result.people}"
    if machines == 1:
        return f"The agreement of {name(best[0].machine)} with {among} is {figures}."
    of = f"Of {spelled(machines)} machines"
    if len(best) > 1:
        names = listed([row.machine for row in best])
        return f"{of}, {names} have the same agreement with {among}, the highest here: {figures}."
    return f"{of}, {name(best[0].machine)} has the highest agreement with {among}: {figures}."


def _beside_people(result: UncertaintyResult, best: MachineStratum) -> str:
    """The difference is the alpha among people minus that with the machine."""
    alpha = best.alpha
    if alpha.people is None:
        return f"how far {result.people} agree among themselves is undefined"
    lead = f"{result.people} agree among themselves at alpha {number(alpha.people)}"
    if alpha.difference is None or alpha.difference_low is None or alpha.difference_high is None:
        return lead
    low, high = -alpha.difference_high, -alpha.difference_low
    figures = f"{number(-alpha.difference)}{within(interval(low, high, _level(result)))}"
    if low > 0:
        return f"{lead}, less than with the machine: the difference is {figures}"
    if high < 0:
        return f"{lead}, more than with the machine: the difference is {figures}"
    return f"{lead}, which cannot be told apart from that with the machine: the difference is {figures}"


def _people_alone(result: UncertaintyResult, rows: list[MachineStratum]) -> str:
    """If no machine can be compared: how much people agree."""
    people = next((row for part in result.people_strata for row in part.rows if row.grouping == "all"), None)
    if rows:
        return (
            f"No machine can be compared with the {result.people}: {because(rows[0].alpha.reasons.get('typical', ''))}"
        )
    if people is None or people.alpha is None:
        return f"Agreement is undefined: {because(people.reason if people else '')}"
    bounds = interval(people.low, people.high, _level(result))
    figures = f"alpha {number(people.alpha)}{within(bounds or 'no interval')}"
    return answered(f"There is no machine to compare; the {result.people} agree among themselves at {figures}.")


def _level(result: UncertaintyResult) -> float:
    return float(result.parameters.get("level", 0.95))
