"""How far do people agree? Krippendorff's alpha, kappas and percentages of a study's two steps, of a dataset's
annotations, or of votes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from metaeval.analyses.agreement import measures as measuring
from metaeval.analyses.agreement.parameters import Agreement
from metaeval.analyses.agreement.tables import tables_of
from metaeval.analyses.base import seeding
from metaeval.analyses.base.plans import agreement_plan, label_alphas_plan
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Plan, Work
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, VotesInputs
from metaeval.analyses.inputs.judged_items import Judged, judged
from metaeval.sampling import stream
from metaeval.stats import bootstrap_interval
from metaeval.stats.agreement import KrippendorffAlpha, Measure, PercentageAgreement, SetAnnotations, label_variation


@analysis(
    title="How far do people agree?",
    subjects=["study", "dataset", "votes"],
    parameters=Agreement,
    figures=["agreement_measures", "agreement_labels", "agreement_partitions", "agreement_pairs"],
    example={"resamples": 100},
)
def agreement(
    inputs: StudyInputs | DatasetInputs | VotesInputs, parameters: Agreement, seed: int, work: Work
) -> dict[str, Any]:
    """Measures how far people agree, over all items, label by label, for every two people and in groups of items.

    Every measure has a bootstrap interval over items; see `metaeval.stats.agreement` for the formulas and sources.
    Items are instances (step 1, annotations) or comparisons (step 2, votes) and are aligned by name, never by position.
    """
    found = judged(inputs, steps=parameters.steps, judges=parameters.judges, include_pilot=parameters.include_pilot)
    found = [entry.with_at_least(parameters.least_annotations) for entry in found]
    there = [entry for entry in found if len(entry.annotations.item)]
    if not there:
        raise AnalysisError(_nothing(inputs))
    work.stage("Pairs of people", until=0.3)
    parts = [_Part(inputs, entry, parameters, work, (at, len(there))) for at, entry in enumerate(there)]
    root = seeding.root(seed, seeding.Purpose.AGREEMENT)
    plans = {name: plan for part in parts for name, plan in part.plans(root).items()}
    work.stage("Resampling")
    replicates = work.run(plans)
    answers = [part.answer(replicates) for part in parts]
    return {
        "judged": answers,
        "tables": tables_of(answers, level=parameters.level),
        "counts": {f"{entry.name}_judgements": len(entry.annotations.item) for entry in there},
        "exclusions": [exclusion for part in parts for exclusion in part.exclusions],
        "notes": list(dict.fromkeys(note for entry in there for note in entry.notes)),
    }


def _nothing(inputs: StudyInputs | DatasetInputs | VotesInputs) -> str:
    if isinstance(inputs, DatasetInputs):
        return (
            f"The dataset {inputs.slug} has judgement distributions but not who gave which label, so that agreement "
            "cannot be measured. Import its annotations."
        )
    return "No judgement counts yet. Collect responses, include the pilot, or choose other judges."


class _Part:
    """One set of judgements: its measures, what is to be resampled, and the answer."""

    def __init__(
        self,
        inputs: StudyInputs | DatasetInputs | VotesInputs,
        found: Judged,
        parameters: Agreement,
        work: Work,
        at: tuple[int, int],
    ) -> None:
        self.found, self.parameters = found, parameters
        self.constant = 1.0 if parameters.constant == "1" else math.nan
        self.distance = measuring.main_distance(found, parameters.distance)
        self.measures = measuring.measures_of(found, constant=self.constant)
        self.labels = measuring.label_alphas_of(found, constant=self.constant)
        self.paired = found.with_at_least(2)  # one judgement says nothing of agreement
        self.partitions = measuring.partitions_of(self.paired, parameters.partitions, parameters.bounds)
        self.names = _label_names(inputs, found)
        place, parts = at
        self.pairs, self.few = measuring.pair_rows(
            found,
            self.distance,
            least_common=parameters.least_common,
            constant=self.constant,
            steps=lambda done, total: work.step(place * total + done, parts * total),
        )

    def plans(self, root: np.random.SeedSequence) -> dict[str, Plan]:
        """What is to be resampled, every plan with a stream of its own."""
        key = f"{self.found.name}/"
        streams = (stream(root, number) for number in range(_first_stream(self.found.name), 2**31))
        resamples = self.parameters.resamples
        made: dict[str, Plan] = {}
        for name, measure in self._all_measures().items():
            made[key + name] = agreement_plan(measure, resamples=resamples, seed=next(streams))
        made[key + "labels"] = label_alphas_plan(self.labels, resamples=resamples, seed=next(streams))
        return made

    def _all_measures(self) -> dict[str, Measure]:
        return self.measures | {
            f"{grouping}/{number}": KrippendorffAlpha(
                self.paired.annotations.only(part.items), self.distance, constant=self.constant
            )
            for grouping, parts in self.partitions.items()
            for number, part in enumerate(parts)
        }

    def answer(self, replicates: dict[str, Any]) -> dict[str, Any]:
        found, key = self.found, f"{self.found.name}/"
        options = {"level": self.parameters.level, "method": self.parameters.interval}
        rows = {
            name: measuring.described(measure, replicates[key + name], **options)  # type: ignore[arg-type]  # both fit
            for name, measure in self._all_measures().items()
        }
        data, paired = found.annotations, self.paired.annotations
        single = data.as_labels() if isinstance(data, SetAnnotations) else data
        in_groups = paired.as_labels() if isinstance(paired, SetAnnotations) else paired
        return {
            "name": found.name,
            "title": found.title,
            "items": found.items,
            "people": found.people,
            "distance": self.distance,
            "variation": label_variation(single).to_dict() | {"label_counts": self._counts()},
            "measures": [{"measure": name, "title": measuring.TITLES[name], **rows[name]} for name in self.measures]
            + self._mean_of_pairs(),
            "labels": self._label_rows(replicates[key + "labels"]),
            "partitions": [
                {
                    "grouping": grouping,
                    "partition": part.name,
                    "items": len(part.items),
                    "share": part.share,
                    "percentage_agreement": PercentageAgreement(in_groups.only(part.items)).result().value,
                    **rows[f"{grouping}/{number}"],
                }
                for grouping, parts in self.partitions.items()
                for number, part in enumerate(parts)
            ],
            "pairs": self.pairs,
            "pairs_left_out": self.few,
            "people_known": data.annotator is not None,
        }

    @property
    def exclusions(self) -> list[dict[str, Any]]:
        listed = list(self.found.exclusions)
        if self.few:
            reason = f"fewer than {self.parameters.least_common} items in common"
            listed.append(
                {"what": f"pairs of {self.found.people}", "count": self.few, "reason": reason, "of": self.found.title}
            )
        dropped = int((self.found.annotations.table.sizes == 1).sum())
        if dropped:
            reason = "one judgement only, which all measures but percentage agreement leave out"
            listed.append({"what": self.found.items, "count": dropped, "reason": reason, "of": self.found.title})
        return listed

    def _counts(self) -> dict[str, int]:
        counts = measuring.label_counts(self.found.annotations).tolist()
        return dict(zip(self.names, counts, strict=True))

    def _mean_of_pairs(self) -> list[dict[str, Any]]:
        """The mean of the pairs' kappas; without an interval, for pairs are no sample of items."""
        if isinstance(self.found.annotations, SetAnnotations) or self.found.annotations.annotator is None:
            return []
        kappas = [row["value"] for row in self.pairs if not math.isnan(row["value"])]
        mean = float(np.mean(kappas)) if kappas else math.nan
        return [
            {
                "measure": "mean_cohen_kappa",
                "title": measuring.TITLES["mean_cohen_kappa"],
                "value": mean,
                "low": math.nan,
                "high": math.nan,
                "n_items": None,
                "n_annotations": None,
                "excluded": 0,
                "reason": "" if kappas else "no pair of people has a kappa",
                "notes": [f"of {len(kappas)} pairs; without an interval"] if kappas else [],
            }
        ]

    def _label_rows(self, replicates: np.ndarray[Any, Any]) -> list[dict[str, Any]]:
        data, alphas = self.found.annotations, self.labels.observed_alphas if self.labels.table.items else None
        counts = measuring.label_counts(data)
        rows = []
        for place, name in enumerate(self.names):
            alpha = math.nan if alphas is None else float(alphas[place])
            interval = bootstrap_interval(replicates[:, place], level=self.parameters.level)
            undefined = math.isnan(alpha)
            rows.append(
                {
                    "label": name,
                    "count": int(counts[place]),
                    "share": float(counts[place] / len(data.item)),
                    "alpha": alpha,
                    "low": math.nan if undefined else interval.low,
                    "high": math.nan if undefined else interval.high,
                    "reason": self._undefined(int(counts[place]), alphas is None) if undefined else "",
                    "interval_reason": interval.reason,
                }
            )
        return rows

    def _undefined(self, count: int, nothing: bool) -> str:
        if nothing:
            return "no item has two judgements"
        return "nobody chose it" if not count else "everybody chose it wherever two people judged, or nobody did"


def _first_stream(name: str) -> int:
    """Streams of step 2 do not depend on how many step 1 uses."""
    return 1_000_000 * ("labels", "preferences", "annotations", "votes").index(name)


def _label_names(inputs: StudyInputs | DatasetInputs | VotesInputs, found: Judged) -> list[str]:
    """Labels by name where the annotations hold their points on the scale."""
    if isinstance(inputs, VotesInputs) or found.name == "preferences":
        return [str(label) for label in found.annotations.labels]
    return list(inputs.labels)
