"""How much people agree, and machines with them, in partitions of the items by how much people agree on them; and a
machine's numbers beside people's labels: Elangovan et al. (2025), Table 2, Figure 6."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Codes, Vector
from metaeval.analyses.agreement.measures import few_labels
from metaeval.analyses.base.plans import agreement_plan
from metaeval.analyses.base.result import BootstrapInterval
from metaeval.analyses.base.work import Plan
from metaeval.analyses.uncertainty.labelled_items import LabelledItems, Machine
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.analyses.uncertainty.result import (
    ComparedAlphas,
    ContinuousStratum,
    FourComparisons,
    LabelWinRates,
    MachineBesidePeople,
    MachineStratum,
    PartitionKind,
    PeopleStratum,
    Perception,
    PerceptionBin,
    RandomLabellersMeasures,
    RandomLabellersRange,
    RankCorrelations,
    StratumDivergence,
    ValuesOfLabel,
)
from metaeval.sampling import Replicates, ResamplingPlan, Steps, stream
from metaeval.stats import COEFFICIENTS, CorrelationBootstrap, bootstrap_interval, correlation
from metaeval.stats.agreement import (
    Annotations,
    FleissKappa,
    KrippendorffAlpha,
    MeasuredAgreement,
    PairwiseAgreement,
    PercentageAgreement,
    RandolphKappa,
    krippendorff_alpha,
)
from metaeval.stats.uncertainty import (
    MeasureComparison,
    Partition,
    Scale,
    jensen_shannon,
    paired,
    partitions_by_agreement,
    partitions_by_labels,
    side_by_side,
    stratified_table,
    typical_labels,
)

EMPTY = "no item is in this partition"
ONE_ITEM = "one item only, which has no spread"
ONE_LABEL = "one label per item"
UNEQUAL = "items with one human judgement, which only one of the two measures counts"
DRAWS_A_BLOCK = 8


@dataclass(frozen=True, eq=False)
class ItemPartition:
    """A partition: its items as positions among all, people's labels of them, and their typical labels."""

    kind: PartitionKind
    partition: Partition
    places: Codes
    human: Annotations
    typical: Codes


@dataclass(frozen=True, eq=False)
class PartitionedItems:
    """What all machines that labelled these items share. `number` distinguishes several such sets of items."""

    number: int
    scale: Scale
    human: Annotations
    typical: Codes
    partitions: tuple[ItemPartition, ...]

    @classmethod
    def of(cls, items: LabelledItems, places: Codes, parameters: Uncertainty, number: int) -> PartitionedItems:
        human, typical = items.human.only(places), items.typical[places]
        partitions = []
        for kind, part in _partitions(human, typical, items.scale, parameters):
            inside = np.array(part.items, dtype=np.int64)
            partitions.append(ItemPartition(kind, part, inside, human.only(part.items), typical[inside]))
        return cls(number, items.scale, human, typical, tuple(partitions))

    def key(self, place: int) -> str:
        """The name of the plan for people's alpha in a partition."""
        return f"{self.number}/{place}"

    def seeds(self, root: np.random.SeedSequence) -> list[np.random.SeedSequence]:
        """One stream per partition, which draws the same items for people and for every machine; the last is for random
        labellers."""
        streams = stream(root, self.number)
        return [stream(streams, place) for place in range(len(self.partitions) + 1)]

    def perception(self, titles: tuple[str, ...]) -> Perception:
        """The distribution of people's labels over the items of each typical label, without a machine."""
        bins = []
        for place, title in enumerate(titles):
            inside = self.typical == place
            size = int(inside.sum())
            counts = np.bincount(self.human.label[inside[self.human.item]], minlength=len(titles))
            bins.append(
                PerceptionBin(
                    label=title,
                    items=size,
                    share=size / len(inside),
                    value=None,
                    human=(counts / max(1, counts.sum())).tolist(),
                    machine=None,
                    human_typical=(np.eye(len(titles))[place] * bool(size)).tolist(),
                    machine_typical=None,
                    reason="there is no machine" if size else "no item has this typical label",
                )
            )
        return Perception(machine=None, binned=None, pooled=None, bins=bins)


def _partitions(
    human: Annotations, typical: Codes, scale: Scale, parameters: Uncertainty
) -> Iterator[tuple[PartitionKind, Partition]]:
    everything, *by_agreement = partitions_by_agreement(human, scale, bounds=parameters.bounds, typical=typical)
    yield "all", everything
    if "agreement" in parameters.partitions:
        for part in by_agreement:
            yield "agreement", part
    if "different_labels" in parameters.partitions:
        for part in few_labels(partitions_by_labels(human)[1:]):
            yield "different_labels", part


class PeopleAgreement:
    """People's alpha in every partition of the items, beside random labellers, which label uniformly."""

    def __init__(self, items: PartitionedItems, parameters: Uncertainty) -> None:
        self.items, self.parameters = items, parameters
        constant = parameters.constant_value
        self._alphas = [KrippendorffAlpha(part.human, items.scale, constant=constant) for part in items.partitions]

    def plans(self, root: np.random.SeedSequence) -> dict[str, Plan]:
        """The bootstraps of the alphas over items, and random labellers."""
        *seeds, last = self.items.seeds(root)
        plans: dict[str, Plan] = {
            self.items.key(place): agreement_plan(alpha, resamples=self.parameters.resamples, seed=seed)
            for place, (alpha, seed) in enumerate(zip(self._alphas, seeds, strict=True))
        }
        labellers = ResamplingPlan(
            self._random_labellers, n_resamples=self.parameters.draws, seed=last, block=DRAWS_A_BLOCK
        )
        return plans | {f"{self.items.number}/random": labellers}

    def _random_labellers(self, seed: np.random.SeedSequence, size: int) -> Replicates:
        """For every labeller, alpha and percentage agreement with people's typical label, and binned divergence:
        (labellers, partitions, 3)."""
        items, parameters = self.items, self.parameters
        count = len(items.human.labels)
        labels = np.random.default_rng(seed).integers(0, count, (size, len(items.human.items)))
        values = np.full((size, len(items.partitions), 3), math.nan)
        for place, part in enumerate(items.partitions):
            if not len(part.places):
                continue
            shares: dict[int, Vector] = {}
            """Of all human labels of the items with each typical label."""
            for label in np.unique(part.typical).tolist():
                human = part.human.label[part.typical[part.human.item] == label]
                shares[label] = np.bincount(human, minlength=count) / len(human)
            for number in range(size):
                codes = labels[number, part.places]
                pair = side_by_side(part.human, part.typical, codes)
                alpha = krippendorff_alpha(pair, items.scale, constant=parameters.constant_value)
                distances = []
                for label, of_people in shares.items():
                    inside = codes[part.typical == label]
                    of_labeller = np.bincount(inside, minlength=count) / len(inside)
                    distance = jensen_shannon(of_people, of_labeller, base=parameters.base, squared=parameters.squared)
                    distances.append(len(inside) / len(codes) * distance)
                values[number, place] = alpha.value, (codes == part.typical).mean(), math.fsum(distances)
        return values

    def rows(self, replicates: Mapping[str, Replicates]) -> list[PeopleStratum]:
        """One row per partition: how much people agree, and how much a random labeller agrees with them."""
        rows = []
        level, constant = self.parameters.level, self.parameters.constant_value
        for place, (part, krippendorff) in enumerate(zip(self.items.partitions, self._alphas, strict=True)):
            alpha, data = krippendorff.result(), part.human
            interval = bootstrap_interval(
                replicates[self.items.key(place)],
                confidence_level=level,
                undefined_because=alpha.reason or _without_spread(alpha),
            )
            random = replicates[f"{self.items.number}/random"][:, place]
            of_alpha, of_percentage, of_divergence = (_range(column, level) for column in random.T)
            rows.append(
                PeopleStratum(
                    grouping=part.kind,
                    partition=part.partition.name,
                    items=len(part.places),
                    share=part.partition.share,
                    annotations=len(data.item),
                    labels_that_occur=len(np.unique(data.label)),
                    alpha=alpha.value,
                    low=interval.low,
                    high=interval.high,
                    percentage=PercentageAgreement(data).result().value,
                    pairwise=PairwiseAgreement(data).result().value,
                    fleiss=FleissKappa(data, constant=constant).result().value,
                    randolph=RandolphKappa(data, labels="observed", constant=constant).result().value,
                    random=RandomLabellersMeasures(alpha=of_alpha, percentage=of_percentage, divergence=of_divergence),
                    reason=alpha.reason if len(part.places) else EMPTY,
                )
            )
        return rows


def _range(values: Replicates, level: float) -> RandomLabellersRange:
    defined = values[~np.isnan(values)]
    interval = bootstrap_interval(values, confidence_level=level)
    mean = float(defined.mean()) if len(defined) else math.nan
    return RandomLabellersRange(mean=mean, low=interval.low, high=interval.high, reason=interval.reason)


def _without_spread(alpha: MeasuredAgreement) -> str:
    """Why there is no interval although there is a value; empty if there is one."""
    return ONE_ITEM if alpha.n_items == 1 else ""


class MachineAgreement:
    """A machine's labels and people's, in every partition of the items that both labelled.

    `seed` draws the random person of H'M^w.
    """

    def __init__(
        self,
        machine: Machine,
        items: PartitionedItems,
        parameters: Uncertainty,
        *,
        seed: np.random.SeedSequence,
        steps: Steps,
    ) -> None:
        self.machine, self.items, self.parameters = machine, items, parameters
        self._strata = stratified_table(
            items.human,
            machine.annotations,
            items.scale,
            partitions=[part.partition for part in items.partitions],
            typical=items.typical,
            constant=parameters.constant_value,
            base=parameters.base,
            squared=parameters.squared,
            seed=seed,
            progress=steps,
        )
        codes = typical_labels(paired(items.human, machine.annotations).machine, items.scale).codes
        self._most_labels = int(machine.annotations.table.sizes.max(initial=0))
        self._alphas = [
            KrippendorffAlpha(
                side_by_side(part.human, part.typical, codes[part.places]),
                items.scale,
                constant=parameters.constant_value,
            )
            for part in items.partitions
        ]
        """Of people's majority or median with the machine's, H^w M^w."""

    def _key(self, place: int) -> str:
        return f"{self.items.key(place)}/{self.machine.name}"

    def plans(self, root: np.random.SeedSequence) -> dict[str, Plan]:
        """The bootstraps of the alphas, on the same resamples as people's own."""
        *seeds, _ = self.items.seeds(root)
        return {
            self._key(place): agreement_plan(alpha, resamples=self.parameters.resamples, seed=seed)
            for place, (alpha, seed) in enumerate(zip(self._alphas, seeds, strict=True))
        }

    def described(self) -> MachineBesidePeople:
        divergence = self._strata[0].divergence
        return MachineBesidePeople(
            name=self.machine.name,
            items=len(self.items.human.items),
            most_labels_an_item=self._most_labels,
            binned_divergence=divergence.value,
            pooled_divergence=divergence.pooled,
        )

    def rows(self, replicates: Mapping[str, Replicates]) -> list[MachineStratum]:
        """One row per partition: people, the machine, and both."""
        rows = []
        for place, (part, stratum) in enumerate(zip(self.items.partitions, self._strata, strict=True)):
            people, typical = replicates[self.items.key(place)], replicates[self._key(place)]
            divergence, correlations = stratum.divergence, stratum.correlations
            rows.append(
                MachineStratum(
                    grouping=part.kind,
                    partition=part.partition.name,
                    items=len(part.places),
                    share=part.partition.share,
                    machine=self.machine.name,
                    alpha=self._alphas_compared(stratum.alpha, people, typical),
                    percentage=_four(stratum.percentage, one_label=self._most_labels <= 1),
                    fleiss=_four(stratum.fleiss),
                    randolph=_four(stratum.randolph),
                    divergence=StratumDivergence(
                        binned=divergence.value, pooled=divergence.pooled, reason=divergence.reason
                    ),
                    win_rates=LabelWinRates(
                        people=list(stratum.human_win_rates), machine=list(stratum.machine_win_rates)
                    ),
                    correlations=None if correlations is None else RankCorrelations.from_found(correlations),
                    undecided=stratum.undecided,
                    notes=[] if stratum.n_items else [EMPTY],
                )
            )
        return rows

    def _alphas_compared(self, alpha: MeasureComparison, people: Replicates, typical: Replicates) -> ComparedAlphas:
        """The alphas, with the intervals of H^w M^w and of its difference from people's own, on the same resamples."""
        level, no_spread = self.parameters.level, _without_spread(alpha.typical)
        own = bootstrap_interval(typical, confidence_level=level, undefined_because=alpha.typical.reason or no_spread)
        is_same = alpha.among_humans.n_items == alpha.typical.n_items
        reason = alpha.reason or no_spread or ("" if is_same else UNEQUAL)
        difference = bootstrap_interval(people - typical, confidence_level=level, undefined_because=reason)
        intervals = {
            "typical_low": own.low,
            "typical_high": own.high,
            "difference_low": difference.low,
            "difference_high": difference.high,
            "difference_reason": difference.reason,
        }
        return ComparedAlphas.model_validate({**_four(alpha).plain(), **intervals})

    def perception(self, titles: tuple[str, ...]) -> Perception:
        """The distribution of people's labels and the machine's over the items of each typical label."""
        divergence = self._strata[0].divergence
        bins = [
            PerceptionBin(
                label=title,
                items=part.n_items,
                share=part.share,
                value=part.value,
                human=list(part.human),
                machine=list(part.machine),
                human_typical=list(part.human_typical),
                machine_typical=list(part.machine_typical),
                reason=part.reason,
            )
            for title, part in zip(titles, divergence.bins, strict=True)
        ]
        return Perception(machine=self.machine.name, binned=divergence.value, pooled=divergence.pooled, bins=bins)


def _four(measure: MeasureComparison, *, one_label: bool = False) -> FourComparisons:
    """The four comparisons; if the machine gave every item one label, its labels have no agreement of their own."""
    parts = {
        "people": measure.among_humans,
        "machines": measure.among_machines,
        "typical": measure.typical,
        "random_person": measure.random_human,
    }
    reasons = {name: part.reason for name, part in parts.items() if part.reason}
    return FourComparisons(
        people=measure.among_humans.value,
        machines=None if one_label else measure.among_machines.value,
        typical=measure.typical.value,
        random_person=measure.random_human.value,
        difference=measure.difference,
        reasons=reasons | ({"machines": ONE_LABEL} if one_label else {}),
    )


FEWEST = 3
"""With two items, every coefficient is 1 or -1."""
FEW = "fewer than three items"
SAME_LABEL = "people's label has one and the same value on all of these items"
ONE_VALUE = "the machine has one and the same value on all of these items"
QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}


class ContinuousMachine:
    """A machine's values for the items, and people's labels as numbers (`points`, one per label, named by `titles`)."""

    def __init__(
        self,
        machine: Machine,
        items: PartitionedItems,
        points: Vector,
        titles: tuple[str, ...],
        parameters: Uncertainty,
    ) -> None:
        self.name, self.items, self.points, self.titles = machine.name, items, points, titles
        self.parameters = parameters
        place = {name: at for at, name in enumerate(machine.annotations.items.tolist())}
        self.values: Vector = np.asarray(machine.values)[[place[name] for name in items.human.items.tolist()]]

    def _of(self, part: ItemPartition) -> tuple[Vector, Vector]:
        """The machine's values in a partition, and people's labels as numbers."""
        return self.values[part.places], self.points[part.typical]

    def _key(self, place: int) -> str:
        return f"{self.items.key(place)}/{self.name}/continuous"

    def plans(self, root: np.random.SeedSequence) -> dict[str, Plan]:
        """The bootstraps of Spearman's coefficient over items, if it is defined; all machines draw the same."""
        *seeds, _ = self.items.seeds(root)
        plans: dict[str, Plan] = {}
        for place, (part, seed) in enumerate(zip(self.items.partitions, seeds, strict=True)):
            values, people = self._of(part)
            if not undefined_because(values, people):
                plans[self._key(place)] = CorrelationBootstrap(
                    {self.name: values},
                    people,
                    coefficients=["spearman"],
                    n_resamples=self.parameters.resamples,
                    seed=seed,
                ).plan
        return plans

    def rows(self, replicates: Mapping[str, Replicates]) -> list[ContinuousStratum]:
        """One row per partition.

        Pearson's r, Spearman's rho and Kendall's tau-b (`metaeval.stats.correlation`) of the machine's values with
        people's typical labels, with a percentile interval of Spearman's over items; the distribution of values for
        every label. Undefined for fewer than three items, and where one side does not vary, e.g. where all items have
        the same label.

        Source: Elangovan et al. 2025, Table 2 and Figure 6.
        """
        rows = []
        order = np.argsort(self.points, kind="stable").tolist()
        for place, part in enumerate(self.items.partitions):
            values, people = self._of(part)
            reason = undefined_because(values, people)
            interval = bootstrap_interval(
                np.zeros(0) if reason else replicates[self._key(place)][:, 0, 0],
                confidence_level=self.parameters.level,
                undefined_because=reason,
            )
            coefficients = {name: None if reason else correlation(values, people, name).value for name in COEFFICIENTS}
            rows.append(
                ContinuousStratum(
                    grouping=part.kind,
                    partition=part.partition.name,
                    items=len(part.places),
                    share=part.partition.share,
                    machine=self.name,
                    pearson=coefficients["pearson"],
                    spearman=coefficients["spearman"],
                    kendall=coefficients["kendall"],
                    reason=reason,
                    interval=BootstrapInterval.from_found(interval),
                    spread=[spread(self.titles[label], values[part.typical == label]) for label in order],
                )
            )
        return rows


def undefined_because(values: Vector, people: Vector) -> str:
    """Why no coefficient of a machine's values with people's labels exists; empty if it does."""
    if not len(values):
        return EMPTY
    if len(values) < FEWEST:
        return FEW
    if (people == people[0]).all():
        return SAME_LABEL
    return ONE_VALUE if correlation(values, people).reason else ""


def spread(label: str, values: Vector) -> ValuesOfLabel:
    """Mean and quantiles (linear between two values) of a machine's values for one label of people.

    >>> spread("good", np.array([0.0, 1.0, 2.0])).p25
    0.5
    """
    if not len(values):
        return ValuesOfLabel(label=label, items=0, mean=None, **dict.fromkeys(QUANTILES))
    quantiles = np.quantile(values, list(QUANTILES.values())).tolist()
    return ValuesOfLabel(
        label=label, items=len(values), mean=float(values.mean()), **dict(zip(QUANTILES, quantiles, strict=True))
    )
