"""Items by how far people agree on them: people's agreement in each group, and that of random labellers and machines
with people."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from annotations.arrays import Codes, Matrix
from metaeval.analyses.agreement.groups import few_labels
from metaeval.analyses.base.plans import agreement_plan
from metaeval.analyses.base.work import Plan
from metaeval.analyses.uncertainty.machine_labels import Machine, Sides
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.sampling import Replicates, ResamplingPlan, stream
from metaeval.stats import bootstrap_interval
from metaeval.stats.agreement import (
    Annotations,
    FleissKappa,
    KrippendorffAlpha,
    Measure,
    MeasuredAgreement,
    PairwiseAgreement,
    PercentageAgreement,
    RandolphKappa,
    krippendorff_alpha,
)
from metaeval.stats.uncertainty import (
    Partition,
    Stratum,
    jensen_shannon,
    paired,
    partitions_by_agreement,
    partitions_by_labels,
    side_by_side,
    stratified_table,
    typical_labels,
)

DRAWS_A_BLOCK = 8
EMPTY = "no item is in this partition"
ONE_LABEL = "one label an item"
ONE_ITEM = "one item only, which has no spread"
UNEQUAL = "items with one human judgement, which only one of the two measures counts"


class Frame:
    """Items that people and machines have in common, in partitions: what all machines on these items share."""

    def __init__(self, sides: Sides, places: Codes, parameters: Uncertainty, number: int) -> None:
        self.sides, self.parameters, self.number = sides, parameters, number
        self.human = sides.human.only(places)
        self.typical = sides.typical[places]
        self.partitions = _partitions(self.human, self.typical, sides, parameters)
        self.parts = [self.human.only(part.items) for _, part in self.partitions]
        self.people = [self._alpha(part) for part in self.parts]

    def _alpha(self, annotations: Annotations) -> KrippendorffAlpha:
        return KrippendorffAlpha(annotations, self.sides.scale, constant=self.parameters.constant_value)

    def compared(self, machine: Machine) -> list[KrippendorffAlpha]:
        """Alpha of people's majority or median with the machine's, one a partition: H^w M^w."""
        codes = self._codes(machine)
        return [
            self._alpha(side_by_side(part, self._typical(place), codes[list(self.partitions[place][1].items)]))
            for place, part in enumerate(self.parts)
        ]

    def _codes(self, machine: Machine) -> Codes:
        return typical_labels(paired(self.human, machine.annotations).machine, self.sides.scale).codes

    def _typical(self, place: int) -> Codes:
        return self.typical[list(self.partitions[place][1].items)]

    def strata(
        self, machine: Machine, seed: np.random.SeedSequence, steps: Callable[[int, int], None]
    ) -> list[Stratum]:
        parameters = self.parameters
        return list(
            stratified_table(
                self.human,
                machine.annotations,
                self.sides.scale,
                partitions=[part for _, part in self.partitions],
                typical=self.typical,
                constant=parameters.constant_value,
                base=parameters.base,
                squared=parameters.squared,
                seed=seed,
                progress=steps,
            )
        )

    def plans(self, machines: Mapping[str, Sequence[Measure]], root: np.random.SeedSequence) -> dict[str, Plan]:
        """Bootstraps of people's alphas and of those with each machine, on the same resamples; random labellers."""
        made: dict[str, Plan] = {}
        seeds = stream(root, self.number)
        for place in range(len(self.parts)):
            seed = stream(seeds, place)
            made[f"{self.number}/{place}"] = agreement_plan(
                self.people[place], resamples=self.parameters.resamples, seed=seed
            )
            for name, measures in machines.items():
                made[f"{self.number}/{place}/{name}"] = agreement_plan(
                    measures[place], resamples=self.parameters.resamples, seed=seed
                )
        made[f"{self.number}/random"] = ResamplingPlan(
            self._random, resamples=self.parameters.draws, seed=stream(seeds, len(self.parts)), block=DRAWS_A_BLOCK
        )
        return made

    def _random(self, stream_of_block: np.random.SeedSequence, size: int) -> Replicates:
        """Alpha and percentage agreement with people's typical label, and binned JSD, of random labellers in every
        partition: (size, partitions, 3)."""
        rng = np.random.default_rng(stream_of_block)
        drawn = rng.integers(0, len(self.human.labels), (size, len(self.human.items)))
        values = np.full((size, len(self.parts), 3), math.nan)
        for place, part in enumerate(self.parts):
            inside = list(self.partitions[place][1].items)
            typical = self.typical[inside]
            if not len(typical):
                continue
            spread = _by_bin(part, typical)
            for number in range(size):
                codes = drawn[number, inside]
                pair = side_by_side(part, typical, codes)
                alpha = krippendorff_alpha(pair, self.sides.scale, constant=self.parameters.constant_value)
                values[number, place] = alpha.value, (codes == typical).mean(), self._divergence(spread, typical, codes)
        return values

    def _divergence(self, spread: Mapping[int, Matrix], typical: Codes, codes: Codes) -> float:
        parts = []
        for label, shares in spread.items():
            inside = codes[typical == label]
            machine = np.bincount(inside, minlength=len(shares)) / len(inside)
            distance = jensen_shannon(shares, machine, base=self.parameters.base, squared=self.parameters.squared)
            parts.append(len(inside) / len(typical) * distance)
        return math.fsum(parts)

    def people_rows(self, replicates: Mapping[str, Replicates]) -> list[dict[str, Any]]:
        """One row a partition: how far people agree, and how far a random labeller agrees with them."""
        constant, level = self.parameters.constant_value, self.parameters.level
        random = replicates[f"{self.number}/random"]
        rows = []
        for place, (grouping, part) in enumerate(self.partitions):
            data = self.parts[place]
            alpha = self.people[place].result()
            measures: dict[str, Measure] = {
                "percentage": PercentageAgreement(data),
                "pairwise": PairwiseAgreement(data),
                "fleiss": FleissKappa(data, constant=constant),
                "randolph": RandolphKappa(data, constant=constant),
            }
            interval = bootstrap_interval(
                replicates[f"{self.number}/{place}"], level=level, undefined_because=alpha.reason or _alone(alpha)
            )
            rows.append(
                {
                    "grouping": grouping,
                    "partition": part.name,
                    "items": len(part.items),
                    "share": part.share,
                    "annotations": len(data.item),
                    "labels_that_occur": len(np.unique(data.label)),
                    "alpha": alpha.value,
                    "low": interval.low,
                    "high": interval.high,
                    **{name: measure.result().value for name, measure in measures.items()},
                    "random": {
                        name: _range(random[:, place, column], level)
                        for column, name in enumerate(("alpha", "percentage", "divergence"))
                    },
                    "reason": alpha.reason if part.items else EMPTY,
                }
            )
        return rows

    def machine_rows(
        self, machine: Machine, strata: Sequence[Stratum], replicates: Mapping[str, Replicates]
    ) -> list[dict[str, Any]]:
        """One row a partition: people, the machine, and both."""
        rows = []
        several = bool(len(machine.annotations.item)) and machine.annotations.table.sizes.max() > 1
        for place, (stratum, (grouping, _)) in enumerate(zip(strata, self.partitions, strict=True)):
            people = replicates[f"{self.number}/{place}"]
            typical = replicates[f"{self.number}/{place}/{machine.name}"]
            rows.append(
                {
                    "machine": machine.name,
                    "grouping": grouping,
                    "partition": stratum.partition,
                    "items": stratum.n_items,
                    "share": stratum.share,
                    "alpha": _four(stratum.alpha) | self._intervals(stratum, people, typical),
                    "percentage": _four(stratum.percentage, several=several),
                    "fleiss": _four(stratum.fleiss),
                    "randolph": _four(stratum.randolph),
                    "divergence": {
                        "binned": stratum.divergence.value,
                        "pooled": stratum.divergence.pooled,
                        "reason": stratum.divergence.reason,
                    },
                    "win_rates": {"people": stratum.human_win_rates, "machine": stratum.machine_win_rates},
                    "correlations": stratum.correlations,
                    "undecided": stratum.undecided,
                    "notes": [EMPTY] if not stratum.n_items else [],
                }
            )
        return rows

    def _intervals(self, stratum: Stratum, people: Replicates, typical: Replicates) -> dict[str, Any]:
        level = self.parameters.level
        alpha = stratum.alpha
        low = bootstrap_interval(typical, level=level, undefined_because=alpha.typical.reason or _alone(alpha.typical))
        same = alpha.among_humans.n_items == alpha.typical.n_items
        reason = alpha.reason or _alone(alpha.typical) or ("" if same else UNEQUAL)
        apart = bootstrap_interval(people - typical, level=level, undefined_because=reason)
        return {
            "typical_low": low.low,
            "typical_high": low.high,
            "difference_low": apart.low,
            "difference_high": apart.high,
            "difference_reason": apart.reason,
        }


def _partitions(
    human: Annotations, typical: Codes, sides: Sides, parameters: Uncertainty
) -> list[tuple[str, Partition]]:
    by_agreement = partitions_by_agreement(human, sides.scale, bounds=parameters.bounds, typical=typical)
    found = [("all", by_agreement[0])]
    if "agreement" in parameters.partitions:
        found += [("agreement", part) for part in by_agreement[1:]]
    if "different_labels" in parameters.partitions:
        found += [("different_labels", part) for part in few_labels(partitions_by_labels(human)[1:])]
    return found


def _by_bin(human: Annotations, typical: Codes) -> dict[int, Matrix]:
    """The shares of all human labels of the items with each typical label."""
    found = {}
    for label in np.unique(typical).tolist():
        said = human.label[typical[human.item] == label]
        found[label] = np.bincount(said, minlength=len(human.labels)) / len(said)
    return found


def _four(comparison: Any, *, several: bool = True) -> dict[str, Any]:
    """Among people, among machines, of the typical labels, of one random person; with reasons where there is none."""
    parts = {
        "people": comparison.among_humans,
        "machines": comparison.among_machines,
        "typical": comparison.typical,
        "random_person": comparison.random_human,
    }
    values: dict[str, Any] = {name: part.value for name, part in parts.items()}
    reasons = {name: part.reason for name, part in parts.items() if part.reason}
    if not several:
        values["machines"], reasons["machines"] = math.nan, ONE_LABEL
    return values | {"difference": comparison.difference, "reasons": reasons}


def _alone(found: MeasuredAgreement) -> str:
    """Why there is no interval although there is a value."""
    return ONE_ITEM if found.n_items == 1 else ""


def _range(values: Replicates, level: float) -> dict[str, Any]:
    known = values[~np.isnan(values)]
    interval = bootstrap_interval(values, level=level)
    mean = float(known.mean()) if len(known) else math.nan
    return {"mean": mean, "low": interval.low, "high": interval.high, "reason": interval.reason}
