"""How much do people agree? Krippendorff's alpha, kappas and percentages for a study's two steps, a dataset's
annotations, or votes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from annotations.ground.errors import naming
from metaeval.analyses.agreement.measures import (
    ItemGroups,
    PairsOfPeople,
    intraclass_rows,
    label_counts,
    label_names,
    label_rows,
    main_distance,
    main_weighting,
    measured,
    measures_of,
    single_labels,
)
from metaeval.analyses.agreement.parameters import AgreementParameters
from metaeval.analyses.agreement.result import (
    AgreementFindings,
    AgreementOfJudgements,
    AgreementResult,
    VariationOfJudgements,
    answer,
    tables_of,
)
from metaeval.analyses.base.plans import agreement_plan, label_alphas_plan
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, SubjectKind, VotesInputs
from metaeval.analyses.inputs.judged_items import JudgedItems, Kind, judged_items
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.sampling import Replicates, Steps, stream
from metaeval.stats.agreement import BinaryAlphas, SetAnnotations, label_variation

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
    words=PlainWords(
        question="How far do people agree with each other?",
        group="The experts",
        shows="Agreement beyond chance as a number from 0 to 1 with its interval, by label, by text and by "
        "pair of people. It needs texts that at least two people have judged.",
        place=0,
        needs={SubjectKind.STUDY: ("answers",), SubjectKind.DATASET: ("annotations",)},
        compared=("steps", "judges", "partitions", "least_annotations", "include_pilot"),
        statistics=("distance", "weighting", "resamples", "level", "interval"),
        answer=answer,
    ),
)
def agreement(
    inputs: StudyInputs | DatasetInputs | VotesInputs, parameters: AgreementParameters, seed: int, work: Work
) -> AgreementFindings:
    """Measures how much people agree: over all items, label by label, for every pair of people and in groups of items.

    Every measure has a bootstrap interval over items; see `metaeval.stats.agreement` for the formulas and sources.
    Items are instances (step 1, annotations) or comparisons (step 2, votes) and are aligned by name, never by position.
    """
    judgements = [
        items.with_at_least(parameters.least_annotations)
        for items in judged_items(
            inputs, steps=parameters.steps, judges=parameters.judges, include_pilot=parameters.include_pilot
        )
    ]
    judgements = [items for items in judgements if len(items.annotations.item)]
    if not judgements:
        if isinstance(inputs, DatasetInputs):
            raise AnalysisError(
                f"The dataset {inputs.slug} has judgement distributions but does not say who gave which "
                "label, so agreement cannot be measured. Import its annotations."
            )
        raise AnalysisError("No judgements count yet. Collect responses, include the pilot, or choose other judges.")
    work.stage("Pairs of people", until=0.3)
    parts = []
    for place, items in enumerate(judgements):
        with naming(items.title):
            parts.append(MeasuredJudgements(inputs, items, parameters, work.part(place, len(judgements))))
    root = root_stream(seed, Purpose.AGREEMENT)
    work.stage("Resampling")
    replicates = work.run({name: plan for part in parts for name, plan in part.plans(root).items()})
    answers = [part.answer(replicates) for part in parts]
    notes = [note for items in judgements for note in items.notes]
    notes += [
        f"{items.title}: the labels are not points on a scale, so kappas have no weights."
        for items in judgements
        if main_weighting(items, parameters.weighting) != parameters.weighting
    ]
    return AgreementFindings(
        judged=answers,
        tables=tables_of(answers, level=parameters.level, percentage_minimum=parameters.percentage_minimum),
        counts={f"{items.name}_judgements": len(items.annotations.item) for items in judgements},
        exclusions=[exclusion for part in parts for exclusion in part.exclusions()],
        notes=list(dict.fromkeys(notes)),
    )


class MeasuredJudgements:
    """One set of judgements, and everything measured on it."""

    def __init__(
        self,
        inputs: StudyInputs | DatasetInputs | VotesInputs,
        items: JudgedItems,
        parameters: AgreementParameters,
        steps: Steps,
    ) -> None:
        self._items = items
        self._parameters = parameters
        self._label_names = label_names(inputs, items)
        self._distance = main_distance(items, parameters.distance)
        self._measures = measures_of(items, parameters)
        data = items.annotations
        self._labels = BinaryAlphas(
            data if isinstance(data, SetAnnotations) else data.one_hot(), constant=parameters.constant_value
        )
        self._groups = ItemGroups(items, self._distance, parameters)
        self._pairs = PairsOfPeople(items, self._distance, parameters, steps)

    def plans(self, root: np.random.SeedSequence) -> dict[str, Plan]:
        """What to resample, every plan with its own stream: those of step 2 do not depend on how many step 1 uses."""
        first, resamples = STREAMS_EACH * STREAMS.index(self._items.name), self._parameters.resamples
        plans: dict[str, Plan] = {}
        for number, (name, measure) in enumerate((self._measures | self._groups.alphas).items()):
            plans[self._key(name)] = agreement_plan(measure, resamples=resamples, seed=stream(root, first + number))
        last = stream(root, first + len(plans))
        plans[self._key("labels")] = label_alphas_plan(self._labels, resamples=resamples, seed=last)
        return plans

    def _key(self, name: str) -> str:
        return f"{self._items.name}/{name}"

    def answer(self, replicates: Mapping[str, Replicates]) -> AgreementOfJudgements:
        """The measures, with the intervals from the plans' replicates."""
        items, parameters = self._items, self._parameters
        mine = {name: replicates[self._key(name)] for name in (*self._measures, *self._groups.alphas, "labels")}
        data = items.annotations
        counts = dict(zip(self._label_names, label_counts(data).tolist(), strict=True))
        return AgreementOfJudgements(
            name=items.name,
            title=items.title,
            items=items.items,
            people=items.people,
            distance=self._distance,
            variation=VariationOfJudgements.from_found(label_variation(single_labels(items)), label_counts=counts),
            measures=[*measured(self._measures, mine, parameters), *self._pairs.mean()],
            labels=label_rows(data, self._label_names, self._labels, mine["labels"], level=parameters.level),
            partitions=self._groups.rows(mine, parameters),
            pairs=self._pairs.rows,
            pairs_left_out=self._pairs.left_out,
            people_known=data.annotator is not None,
            weighting=self._pairs.weighting,
            intraclass=intraclass_rows(items, level=parameters.level),
        )

    def exclusions(self) -> list[Exclusion]:
        """What is left out, and why."""
        items, pairs, parameters = self._items, self._pairs, self._parameters
        people = f"pairs of {items.people}"
        few = f"fewer than {parameters.least_common} items in common"
        many = f"only the {len(pairs.rows)} with the most items in common are listed; a mean counts all"
        alone = "one judgement only" + (
            ", which says nothing of agreement"
            if parameters.percentage_minimum > 1
            else ", which all measures but percentage agreement leave out"
        )
        single = int((items.annotations.table.sizes == 1).sum())
        counts = [(people, pairs.left_out, few), (people, pairs.unlisted, many), (items.items, single, alone)]
        return [
            *items.exclusions,
            *(Exclusion(what=what, count=n, reason=reason, of=items.title) for what, n, reason in counts if n),
        ]
