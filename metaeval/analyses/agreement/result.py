"""The results of the analysis of agreement, their tables, and the answer in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field

from metaeval.analyses.agreement.parameters import Grouping
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.table import Column, InTable, Limit, PValue, Reason, Share, Table, column, table_of
from metaeval.analyses.base.wording import answered, counted, interval, number, sentence, why, within
from metaeval.analyses.inputs.judged_items import Kind
from metaeval.analyses.inputs.parts import Number, Part, Sparse
from metaeval.stats import Interval
from metaeval.stats.agreement import IntraclassForm, KappaWeighting, MeasuredAgreement

AlphaDistance = Literal["nominal", "ordinal", "interval", "ratio", "jaccard", "masi"]

FORMS: dict[IntraclassForm, str] = {
    "1,1": "ICC(1,1): one judge per item, a different one each time",
    "2,1": "ICC(2,1): one judge from a sample of judges",
    "3,1": "ICC(3,1): one of these judges",
    "1,k": "ICC(1,k): mean of the judges, different ones for each item",
    "2,k": "ICC(2,k): mean of a sample of judges",
    "3,k": "ICC(3,k): mean of these judges",
}


class AgreementWithInterval(Sparse):
    """A measure of agreement with its interval over items; the JSON says why an interval that was requested is
    missing."""

    value: Number
    low: Limit = Field(title="low")
    high: Limit = Field(title="high")
    n_items: int | None = Field(title="Items", description="How many count; null if it is not about items.")
    n_annotations: Annotated[int | None, InTable(detail=True)] = Field(title="Judgements")
    excluded: int = Field(description="Items that fewer than two people judged.")
    reason: Reason
    notes: list[str]
    interval_reason: Annotated[str, InTable(remark="no interval: {}")] = ""

    @classmethod
    def with_interval(cls, agreement: MeasuredAgreement, interval: Interval | None, **more: object) -> Self:
        """From the numeric library's result; an undefined measure has no interval."""
        bounds = (
            {"low": None, "high": None}
            if interval is None
            else {"low": interval.low, "high": interval.high, "interval_reason": interval.reason}
        )
        names = ("value", "n_items", "n_annotations", "excluded", "reason", "notes")
        return cls.model_validate({name: getattr(agreement, name) for name in names} | bounds | more)

    def remarks(self, fewest: int = 2) -> str:
        """What a reader needs to know about a defined value; `fewest`: how many judgements an item needs."""
        if self.reason:
            return ""
        count = {1: "one", 2: "two", 3: "three"}.get(fewest, fewest)
        few = [f"{self.excluded} items have fewer than {count} judgements"] if self.excluded else []
        return "; ".join([*self.notes, *few])


class AgreementByMeasure(AgreementWithInterval):
    """The agreement of all people on all items, by one measure."""

    measure: str
    title: str = Field(title="Measure")
    value: Number = Field(title="Value")


class AgreementInGroup(AgreementWithInterval):
    """The alpha of a group of items."""

    grouping: Grouping = Field(description="What the items are grouped by.")
    by: str = Field(title="By", description="The same in words.")
    partition: str = Field(title="Group")
    items: int = Field(title="Items")
    share: Annotated[float, InTable(kind="share")] = Field(
        title="of items", description="Among those with at least two judgements."
    )
    percentage_agreement: Share = Field(title="Percentage agreement")
    value: Number = Field(title="Alpha")


class AgreementOnLabel(Part):
    """The alpha of one label: this one or another."""

    label: str = Field(title="Label")
    count: int = Field(title="Chosen")
    share: Annotated[float, InTable(kind="share")] = Field(title="of judgements")
    alpha: Annotated[Number, InTable(note="Krippendorff’s nominal alpha of “this label or not”.")] = Field(
        title="Alpha"
    )
    low: Limit = Field(title="low")
    high: Limit = Field(title="high")
    reason: Reason
    interval_reason: str

    @property
    def remark(self) -> str:
        """That a defined alpha has no interval."""
        return "" if self.reason or not self.interval_reason else f"no interval: {self.interval_reason}"


class AgreementOfPair(Part):
    """Two people, on the items that both judged."""

    first: str = Field(title="One")
    second: str = Field(title="Other")
    n_items: int = Field(title="Common items")
    agreement: Share = Field(title="Equal answers")
    value: Annotated[
        Number, InTable(note="Cohen’s kappa for single labels, Krippendorff’s alpha for sets of labels.")
    ] = Field(title="Cohen’s kappa or alpha")
    reason: Reason


class IntraclassOfRatings(Part):
    """One form of the intraclass correlation, for labels that are numbers on a scale."""

    form: Annotated[IntraclassForm, InTable(key="title", words=FORMS)] = Field(title="Form")
    value: Number = Field(title="Value")
    low: Limit = Field(title="low")
    high: Limit = Field(title="high")
    f: Number = Field(title="F", description="From the F test of 0; null without a reason means infinite.")
    degrees_targets: int = Field(description="Numerator degrees of freedom of F.")
    degrees_rest: int = Field(description="Denominator degrees of freedom of F.")
    p_value: Annotated[
        PValue,
        InTable(
            note="After Shrout and Fleiss (1979); p: from the F test of 0. The limits hold for normally distributed "
            "ratings."
        ),
    ] = Field(title="p")
    n_targets: int = Field(title="Items")
    n_judges: int = Field(title="Judges", description="Ratings per item.")
    excluded: int = Field(title="Items left out", description="Those without a rating by every judge.")
    reason: Reason
    notes: list[str]


class VariationOfJudgements(Part):
    """How much judgements of one item vary; a set of labels counts as one label."""

    n_items: int = Field(title="Items")
    n_annotations: int = Field(title="Judgements")
    n_labels: int = Field(description="How many labels occur.")
    annotations_mean: Number = Field(title="per item, mean")
    annotations_min: int = Field(title="least")
    annotations_max: int = Field(title="most")
    fewer_than_two: int = Field(title="Items with fewer than two judgements")
    label_counts: dict[str, int] = Field(description="How often each label was chosen, alone or in a set.")
    unanimous_share: Share = Field(title="Unanimous items")
    mean_modal_share: Share = Field(title="Share of the most frequent label", description="The mean over items.")
    tied_items: int = Field(title="Items with a tie", description="Items with more than one most frequent label.")
    mean_entropy: Number = Field(title="Entropy in bits")
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


def tables_of(answers: Sequence[AgreementOfJudgements], *, level: float, percentage_minimum: int = 2) -> list[Table]:
    """Measures, labels, partitions, pairs and variation; if there are two steps, a column says which."""
    of: list[str | Column] = [column("of", "Of")] if len(answers) > 1 else []
    fewest = {"percentage_agreement": percentage_minimum}
    tables = [
        table_of(
            "measures",
            "Agreement over all items",
            AgreementByMeasure,
            [
                ({"of": answer.title, "notes": row.remarks(fewest.get(row.measure, 2))}, row)
                for answer in answers
                for row in answer.measures
            ],
            [*of, "title", "value", "low", "high", "n_items", "n_annotations"],
            level=level,
        ),
        table_of(
            "labels",
            "Agreement on each label",
            AgreementOnLabel,
            [({"of": answer.title, "notes": row.remark}, row) for answer in answers for row in answer.labels],
            [*of, "label", "count", "share", "alpha", "low", "high"],
            level=level,
        ),
    ]
    if any(answer.partitions for answer in answers):
        distances = ", ".join(f"{answer.title}: {answer.distance}" for answer in answers)
        tables.append(
            table_of(
                "partitions",
                "Agreement in groups of items",
                AgreementInGroup,
                [
                    ({"of": answer.title, "notes": row.remarks()}, row)
                    for answer in answers
                    for row in answer.partitions
                ],
                [*of, "by", "partition", "items", "share", "percentage_agreement", "value", "low", "high"],
                level=level,
                notes=[
                    f"Distances of alpha: {distances}. Only items with at least two judgements count.",
                    "Groups by agreement select items by the very agreement that is then measured within them.",
                ],
            )
        )
    if any(answer.pairs for answer in answers):
        tables.append(
            table_of(
                "pairs",
                "Agreement of every two people",
                AgreementOfPair,
                [({"of": answer.title}, row) for answer in answers for row in answer.pairs],
                [*of, "first", "second", "n_items", "agreement", "value"],
                notes=[
                    f"{answer.title}: {answer.weighting} weights, by the number of points between answers on the whole "
                    "scale."
                    for answer in answers
                    if answer.weighting != "none"
                ],
            )
        )
    if any(answer.intraclass for answer in answers):
        tables.append(
            table_of(
                "intraclass",
                "Intraclass correlations",
                IntraclassOfRatings,
                [
                    (
                        {
                            "of": answer.title,
                            "degrees": "" if row.reason else f"{row.degrees_targets}, {row.degrees_rest}",
                            "notes": "" if row.reason else "; ".join(row.notes),
                        },
                        row,
                    )
                    for answer in answers
                    for row in answer.intraclass
                ],
                [
                    *(*of, "title", "value", "low", "high", "f"),
                    column("degrees", "Degrees of freedom", detail=True),
                    *("p_value", "n_targets", "n_judges", "excluded"),
                ],
                level=level,
            )
        )
    tables.append(
        table_of(
            "variation",
            "How much judgements of one item vary",
            VariationOfJudgements,
            [({"of": answer.title}, answer.variation) for answer in answers],
            [
                *(*of, "n_items", "n_annotations", "annotations_mean", "annotations_min", "annotations_max"),
                *("fewer_than_two", "unanimous_share", "mean_modal_share", "tied_items", "mean_entropy"),
            ],
            notes=["A set of labels counts as one label."] if any(answer.is_of_sets for answer in answers) else [],
        )
    )
    return tables


ON: Mapping[Kind, str] = {
    "labels": "on labels",
    "preferences": "on which side is better",
    "annotations": "on labels",
    "votes": "on which system is better",
}
ONE_FORM: Mapping[str, str] = {"instances": "text", "comparisons": "comparison", "items": "item"}


def answer(result: AgreementResult) -> str:
    """Krippendorff's alpha of everything that was judged, and whether its interval excludes chance."""
    if not result.judged:
        return "No agreement can be measured: nothing has been judged."
    level = float(result.parameters.get("level", 0.95))
    mains = [(judged, _main(judged)) for judged in result.judged]
    defined = [(judged, row) for judged, row in mains if row is not None and row.value is not None]
    undefined = [
        f"{ON[judged.name]} agreement is undefined ({why('' if row is None else row.reason)})"
        for judged, row in mains
        if row is None or row.value is None
    ]
    if not defined:
        return sentence(undefined)
    scale = "0 means chance and 1 means full agreement" if any(_is_alpha(row) for _, row in defined) else ""
    excluded = sum(row.excluded for _, row in defined)
    exclusion = (
        f"{counted(excluded, 'item')} judged by fewer than two people {'is' if excluded == 1 else 'are'} left out"
        if excluded
        else ""
    )
    clauses = [_clause(judged, row, level, again=number > 0) for number, (judged, row) in enumerate(defined)]
    return answered(sentence(clauses), sentence([scale, exclusion, *undefined]))


def _clause(judged: AgreementOfJudgements, row: AgreementByMeasure, level: float, *, again: bool) -> str:
    """How much people agree and, only with an interval, whether this is beyond chance."""
    value, on = row.value or 0.0, ON[judged.name]
    they, of_people = ("they", "their agreement") if again else (judged.people, f"the agreement of {judged.people}")
    bounds = interval(row.low, row.high, level)
    over = counted(row.n_items, ONE_FORM.get(judged.items, judged.items.removesuffix("s"))) if row.n_items else ""
    called = "Krippendorff’s alpha" if _is_alpha(row) else row.title
    figures = f"{called} {number(value)}{within(bounds or 'no interval', over)}"
    if not _is_alpha(row) or row.low is None or row.high is None:
        return f"{of_people} {on} is {figures}"
    if row.low > 0:
        return f"{they} agree {on} beyond chance: {figures}"
    if row.high < 0:
        return f"{they} agree {on} less than expected by chance: {figures}"
    return f"{of_people} {on} cannot be told apart from chance: {figures}"


def _is_alpha(row: AgreementByMeasure) -> bool:
    return row.measure.startswith("alpha_")


def _main(judged: AgreementOfJudgements) -> AgreementByMeasure | None:
    """The alpha with the distance that fits the labels."""
    alpha = f"alpha_{judged.distance}"
    return next((row for row in judged.measures if row.measure == alpha), next(iter(judged.measures), None))
