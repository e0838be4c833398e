"""The results of the analysis of agreement."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from metaeval.analyses.agreement.parameters import Grouping
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.judged_items import Kind
from metaeval.analyses.inputs.parts import Number, Part, Sparse
from metaeval.stats import Interval
from metaeval.stats.agreement import IntraclassForm, KappaWeighting, MeasuredAgreement

AlphaDistance = Literal["nominal", "ordinal", "interval", "ratio", "jaccard", "masi"]


class AgreementWithInterval(Sparse):
    """A measure of agreement with its interval over items; the JSON says why an interval that was requested is
    missing."""

    value: Number
    low: Number
    high: Number
    n_items: int | None = Field(description="How many count; null if it is not about items.")
    n_annotations: int | None
    excluded: int = Field(description="Items that fewer than two people judged.")
    reason: str = Field(description="Why it is undefined; empty if it is defined.")
    notes: list[str]
    interval_reason: str = ""

    @classmethod
    def with_interval(cls, found: MeasuredAgreement, interval: Interval | None, **more: object) -> Self:
        """From the numeric library's result; an undefined measure has no interval."""
        bounds = (
            {"low": None, "high": None}
            if interval is None
            else {"low": interval.low, "high": interval.high, "interval_reason": interval.reason}
        )
        counts = {"n_items": found.n_items, "n_annotations": found.n_annotations, "excluded": found.excluded}
        own = {"value": found.value, **counts, "reason": found.reason, "notes": found.notes}
        return cls.model_validate({**own, **bounds, **more})


class AgreementByMeasure(AgreementWithInterval):
    """The agreement of all people on all items, by one measure."""

    measure: str
    title: str


class AgreementInGroup(AgreementWithInterval):
    """The alpha of a group of items."""

    grouping: Grouping = Field(description="What the items are grouped by.")
    by: str = Field(description="The same in words.")
    partition: str = Field(description="The group's name.")
    items: int
    share: float = Field(description="Among the items with at least two judgements.")
    percentage_agreement: Number


class AgreementOnLabel(Part):
    """The alpha of one label: this one or another."""

    label: str
    count: int = Field(description="How often it was chosen.")
    share: float = Field(description="Among the judgements.")
    alpha: Number
    low: Number
    high: Number
    reason: str
    interval_reason: str


class AgreementOfPair(Part):
    """Two people, on the items that both judged."""

    first: str
    second: str
    value: Number = Field(description="Cohen's kappa with its weights or, for sets of labels, Krippendorff's alpha.")
    agreement: Number = Field(description="Share of equal answers.")
    n_items: int
    reason: str


class IntraclassOfRatings(Part):
    """One form of the intraclass correlation, for labels that are numbers on a scale."""

    form: IntraclassForm
    value: Number
    low: Number
    high: Number
    f: Number = Field(description="From the F test of 0; null without a reason means infinite.")
    degrees_targets: int = Field(description="Numerator degrees of freedom of F.")
    degrees_rest: int = Field(description="Denominator degrees of freedom of F.")
    p_value: Number
    n_targets: int = Field(description="Items.")
    n_judges: int = Field(description="Ratings per item.")
    excluded: int = Field(description="Items without a rating by every judge.")
    reason: str = Field(description="Why it is undefined; empty if it is defined.")
    notes: list[str]


class VariationOfJudgements(Part):
    """How much judgements of one item vary; a set of labels counts as one label."""

    n_items: int
    n_annotations: int
    n_labels: int = Field(description="How many labels occur.")
    annotations_mean: Number
    annotations_min: int
    annotations_max: int
    fewer_than_two: int = Field(description="Items that fewer than two people judged.")
    label_counts: dict[str, int] = Field(description="How often each label was chosen, alone or in a set.")
    unanimous_share: Number
    mean_modal_share: Number = Field(description="Mean share of an item's most frequent label.")
    mean_entropy: Number = Field(description="In bits.")
    tied_items: int = Field(description="Items with more than one most frequent label.")
    reason: str


class AgreementOfJudgements(Part):
    """All agreement in one set of judgements: a step of a study, a dataset's annotations, or votes."""

    name: Kind
    title: str
    items: str = Field(description="What the items are called.")
    people: str = Field(description="What the people are called.")
    distance: AlphaDistance = Field(description="For alpha in groups of items and of pairs.")
    variation: VariationOfJudgements
    measures: list[AgreementByMeasure]
    labels: list[AgreementOnLabel]
    partitions: list[AgreementInGroup]
    pairs: list[AgreementOfPair]
    pairs_left_out: int = Field(description="Pairs with too few items in common.")
    people_known: bool = Field(description="Whether it is known who gave which judgement.")
    weighting: KappaWeighting = Field(default="none", description="For the pairs' kappas; only on a scale.")
    intraclass: list[IntraclassOfRatings] = Field(
        default=[],
        description="For labels that are numbers on a scale; only the one-way forms if judges differ by item.",
    )

    @property
    def is_of_sets(self) -> bool:
        """Whether people gave sets of labels."""
        return any(row.measure == "alpha_masi" for row in self.measures)


class AgreementFindings(Findings):
    """How much people agree."""

    judged: list[AgreementOfJudgements]


class AgreementResult(AgreementFindings, Result):
    """The agreement of people."""

    analysis: Literal["agreement"]
