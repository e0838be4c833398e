"""How much do people agree? Krippendorff's alpha, kappas and percentages for a study's two steps, a dataset's
annotations, or votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotations.ground.errors import naming
from metaeval.analyses.agreement.groups import ItemGroups
from metaeval.analyses.agreement.intraclass import intraclass_of
from metaeval.analyses.agreement.label_alphas import label_alphas_of, label_counts, label_names, label_rows
from metaeval.analyses.agreement.measures import main_distance, main_weighting, measured, measures_of
from metaeval.analyses.agreement.pairs import PairsOfPeople
from metaeval.analyses.agreement.parameters import AgreementParameters
from metaeval.analyses.agreement.result import (
    AgreementFindings,
    AgreementOfJudgements,
    AgreementResult,
    VariationOfJudgements,
)
from metaeval.analyses.agreement.tables import tables_of
from metaeval.analyses.agreement.wording import WORDS
from metaeval.analyses.base.plans import agreement_plan, label_alphas_plan
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, VotesInputs
from metaeval.analyses.inputs.judged_items import JudgedItems, Kind, judged_items
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.sampling import Replicates, Steps, stream
from metaeval.stats.agreement import (
    BinaryAlphas,
    LabelDistance,
    Measure,
    SetAnnotations,
    SetDistance,
    label_variation,
)

STREAMS: tuple[Kind, ...] = ("labels", "preferences", "annotations", "votes")
STREAMS_EACH = 1_000_000


@analysis(
    title="How far do people agree?",
    subjects=["study", "dataset", "votes"],
    parameters=AgreementParameters,
    result=AgreementResult,
    version=2,
    figures=["agreement_measures", "agreement_labels", "agreement_partitions", "agreement_pairs"],
    example={"resamples": 100},
    words=WORDS,
)
def agreement(
    inputs: StudyInputs | DatasetInputs | VotesInputs, parameters: AgreementParameters, seed: int, work: Work
) -> AgreementFindings:
    """Measures how much people agree: over all items, label by label, for every pair of people and in groups of items.

    Every measure has a bootstrap interval over items; see `metaeval.stats.agreement` for the formulas and sources.
    Items are instances (step 1, annotations) or comparisons (step 2, votes) and are aligned by name, never by position.
    """
    found = judged_items(
        inputs, steps=parameters.steps, judges=parameters.judges, include_pilot=parameters.include_pilot
    )
    found = [entry.with_at_least(parameters.least_annotations) for entry in found]
    there = [entry for entry in found if len(entry.annotations.item)]
    if not there:
        raise AnalysisError(_nothing(inputs))
    work.stage("Pairs of people", until=0.3)
    parts = []
    for at, entry in enumerate(there):
        with naming(entry.title):
            parts.append(MeasuredJudgements.of(inputs, entry, parameters, _steps(work, at, len(there))))
    root = root_stream(seed, Purpose.AGREEMENT)
    plans = {name: plan for part in parts for name, plan in part.plans(root, resamples=parameters.resamples).items()}
    work.stage("Resampling")
    replicates = work.run(plans)
    answers = [part.answer(replicates, parameters) for part in parts]
    return AgreementFindings(
        judged=answers,
        tables=tables_of(answers, level=parameters.level, percentage_minimum=parameters.percentage_minimum),
        counts={f"{entry.name}_judgements": len(entry.annotations.item) for entry in there},
        exclusions=[exclusion for part in parts for exclusion in _exclusions(part, parameters)],
        notes=list(dict.fromkeys(note for entry in there for note in (*entry.notes, *_no_weights(entry, parameters)))),
    )


def _nothing(inputs: StudyInputs | DatasetInputs | VotesInputs) -> str:
    if isinstance(inputs, DatasetInputs):
        return (
            f"The dataset {inputs.slug} has judgement distributions but does not say who gave which "
            "label, so agreement cannot be measured. Import its annotations."
        )
    return "No judgements count yet. Collect responses, include the pilot, or choose other judges."


def _no_weights(found: JudgedItems, parameters: AgreementParameters) -> list[str]:
    """A note that weights were requested, but these labels have none."""
    if main_weighting(found, parameters.weighting) == parameters.weighting:
        return []
    return [f"{found.title}: the labels are not points on a scale, so kappas have no weights."]


def _steps(work: Work, place: int, parts: int) -> Steps:
    """The progress of one of several equal parts of a stage."""
    return lambda done, total: work.step(place * total + done, parts * total)


@dataclass(frozen=True, eq=False)
class MeasuredJudgements:
    """One set of judgements, and everything measured on it."""

    found: JudgedItems
    label_names: list[str]
    distance: LabelDistance | SetDistance
    measures: dict[str, Measure]
    labels: BinaryAlphas
    groups: ItemGroups
    pairs: PairsOfPeople

    @classmethod
    def of(
        cls,
        inputs: StudyInputs | DatasetInputs | VotesInputs,
        found: JudgedItems,
        parameters: AgreementParameters,
        steps: Steps,
    ) -> MeasuredJudgements:
        distance, constant = main_distance(found, parameters.distance), parameters.constant_value
        return cls(
            found=found,
            label_names=label_names(inputs, found),
            distance=distance,
            measures=measures_of(found, parameters),
            labels=label_alphas_of(found, constant=constant),
            groups=ItemGroups.of(found, distance, parameters),
            pairs=PairsOfPeople.of(found, distance, parameters, steps),
        )

    def plans(self, root: np.random.SeedSequence, *, resamples: int) -> dict[str, Plan]:
        """What to resample, every plan with its own stream: those of step 2 do not depend on how many step 1 uses."""
        first = STREAMS_EACH * STREAMS.index(self.found.name)
        made: dict[str, Plan] = {}
        for number, (name, measure) in enumerate((self.measures | self.groups.alphas).items()):
            made[self._key(name)] = agreement_plan(measure, resamples=resamples, seed=stream(root, first + number))
        last = stream(root, first + len(made))
        made[self._key("labels")] = label_alphas_plan(self.labels, resamples=resamples, seed=last)
        return made

    def _key(self, name: str) -> str:
        return f"{self.found.name}/{name}"

    def answer(self, replicates: Mapping[str, Replicates], parameters: AgreementParameters) -> AgreementOfJudgements:
        """The measures, with the intervals from the plans' replicates."""
        found = self.found
        mine = {name: replicates[self._key(name)] for name in (*self.measures, *self.groups.alphas, "labels")}
        return AgreementOfJudgements(
            name=found.name,
            title=found.title,
            items=found.items,
            people=found.people,
            distance=self.distance,
            variation=self._variation(),
            measures=[*measured(self.measures, mine, parameters), *self.pairs.mean()],
            labels=label_rows(found.annotations, self.label_names, self.labels, mine["labels"], level=parameters.level),
            partitions=self.groups.rows(mine, parameters),
            pairs=self.pairs.rows,
            pairs_left_out=self.pairs.left_out,
            people_known=found.annotations.annotator is not None,
            weighting=self.pairs.weighting,
            intraclass=intraclass_of(found, level=parameters.level),
        )

    def _variation(self) -> VariationOfJudgements:
        data = self.found.annotations
        single = data.as_labels() if isinstance(data, SetAnnotations) else data
        counts = dict(zip(self.label_names, label_counts(data).tolist(), strict=True))
        return VariationOfJudgements.from_found(label_variation(single), label_counts=counts)


def _exclusions(part: MeasuredJudgements, parameters: AgreementParameters) -> list[Exclusion]:
    found = part.found
    listed = list(found.exclusions)
    what = f"pairs of {found.people}"
    if part.pairs.left_out:
        reason = f"fewer than {parameters.least_common} items in common"
        listed.append(Exclusion(what=what, count=part.pairs.left_out, reason=reason, of=found.title))
    if part.pairs.unlisted:
        reason = f"only the {len(part.pairs.rows)} with the most items in common are listed; a mean counts all"
        listed.append(Exclusion(what=what, count=part.pairs.unlisted, reason=reason, of=found.title))
    dropped = int((found.annotations.table.sizes == 1).sum())
    if dropped:
        but = "" if parameters.percentage_minimum > 1 else ", which all measures but percentage agreement leave out"
        reason = f"one judgement only{but or ', which says nothing of agreement'}"
        listed.append(Exclusion(what=found.items, count=dropped, reason=reason, of=found.title))
    return listed
