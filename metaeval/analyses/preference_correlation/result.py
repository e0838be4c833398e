"""The results of correlating metrics with the experts' preference, and the answer that their tables support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from annotations.ground.units import Exchangeable
from metaeval.analyses.base.result import (
    COEFFICIENT_SYMBOLS,
    COEFFICIENT_TITLES,
    DescribedMetric,
    Findings,
    MeasuredValue,
    Result,
    in_titles,
)
from metaeval.analyses.base.table import InTable, PValue
from metaeval.analyses.base.wording import (
    ALPHA,
    answered,
    because,
    capital,
    inside,
    interval,
    listed,
    name,
    number,
    p_value,
    permuted,
    sentence,
    spelled,
    undefined,
    why,
    within,
)
from metaeval.analyses.inputs.parts import Exclusion, Number, Part
from metaeval.analyses.preference_correlation.parameters import InstancesOf, ValuesOf
from metaeval.stats import Alternative, Coefficient, StatisticName, TwoSided, Unit
from metaeval.stats.correlating.jackknife import Left
from metaeval.stats.intervals import IntervalMethod

FEW_SYSTEMS = 6
"""With fewer, a correlation near 1 or -1 can arise by chance alone."""

MonteCarlo = Annotated[Number, InTable(detail=True)]
"""The Monte Carlo standard error of a p-value."""


class JudgedSystem(Part):
    """A system: how often experts chose its distribution, and its value for every metric."""

    system: str
    fraction: Number = Field(description="The preference fraction: the share of its responses that chose it.")
    responses: int
    chosen: int = Field(description="Responses that chose it, alone or with the other.")
    both: int = Field(description="Responses that chose it and the other.")
    comparisons: int
    identical: int = Field(
        default=0, description="Responses to comparisons whose two sides looked the same; not counted before version 3."
    )
    reason: str = Field(description="Why it has no preference fraction; empty if it has one.")
    model: str
    method: str
    run: str
    metrics: dict[str, MeasuredValue]


class CorrelationBounds(Part):
    """The interval of a correlation; if there is none, without bounds and with the reason."""

    low: Number = Field(title="from")
    high: Number = Field(title="to")
    level: float
    method: Literal["jackknife", "bca by methods", IntervalMethod]
    statistic: StatisticName = Field(
        default="overall", description="About which correlation; always the overall one before version 3."
    )
    over: list[Unit | Left] = Field(description="What was resampled, or left out in turn.")
    units: int = Field(default=0, description="How many were left out in turn, or drawn.")
    resamples: int = Field(default=0, description="Bootstrap samples; 0 if none are drawn.")
    undefined: int = Field(default=0, description="Resamples without a value, which were left out.")
    standard_error: Number = Field(
        description="The standard deviation of the resamples' values; for the jackknife, the error of its arctanh."
    )
    reason: str
    notes: list[str]


class UnitOfAnalysis(Part):
    """What the tests exchange: what could have been different if metrics had nothing to do with preference."""

    exchangeable: Exchangeable
    by_default: bool = Field(description="Whether it follows from the systems' names; if not, it was chosen.")
    words: str = Field(description="What is exchanged and why, as a sentence.")
    statistic: StatisticName = Field(description="Which correlation is tested.")
    models: int = Field(description="About the systems that were judged.")
    methods: int
    possible: Number = Field(
        description="How many arrangements there are; null if there are more than a number can hold exactly."
    )
    smallest_p: Number = Field(description="No p-value can be smaller, whatever the data are.")
    cannot_reject: str = Field(description="A note that this is above 5%, as a sentence; empty otherwise.")
    beside: str = Field(description="A note about the overall correlation; empty if it is the tested one.")
    few: str = Field(description="A note that few systems were judged; empty otherwise.")

    @property
    def sentences(self) -> list[str]:
        """Everything that a reader must know, in order."""
        return [
            sentence
            for sentence in (f"How chance was judged. {self.words}", self.cannot_reject, self.few, self.beside)
            if sentence
        ]


class CorrelationOfMetric(Part):
    """A metric's correlation with the preference fractions, over systems, and its permutation test."""

    metric: str = Field(title="Metric")
    coefficient: Coefficient
    value: Number = Field(description="The correlation that is tested; `statistic` says which one.")
    statistic: StatisticName = Field(default="overall", description="Always the overall one before version 3.")
    overall: Number = Field(
        default=None,
        title="overall, not tested",
        description="Over all systems; not tested if another one is. Null before version 3.",
    )
    exchangeable: Exchangeable = Field(default="systems", description="What the test exchanges.")
    n: int = Field(title="Systems", description="Systems that count.")
    p_value: Annotated[PValue, InTable(key="p")] = Field(title="p")
    p_error: MonteCarlo = Field(
        title="± (Monte Carlo)",
        description="Monte Carlo standard error of p; 0 if every permutation was enumerated.",
    )
    p_family: Annotated[PValue, InTable(key="p_max_t")] = Field(
        title="p max-T", description="Step-down max-T, over the metrics of the coefficient."
    )
    alternative: Alternative
    two_sided: TwoSided
    exact: bool = Field(description="Whether every permutation was enumerated.")
    permutations: int
    count_greater_equal: int = Field(description="Permutations whose value is at least the observed one.")
    count_less_equal: int
    count_magnitude: int = Field(description="Permutations whose value is at least as large in magnitude.")
    excluded: list[str] = Field(description="Systems that were left out.")
    reason: str
    p_holm: PValue = Field(title="p Holm", description="Holm's correction over the metrics of the coefficient.")
    p_bh: PValue = Field(title="p BH", description="Benjamini-Hochberg correction over them.")
    flag: str = Field(default="", description="A caution about the metric's values; empty if there is none.")
    interval: CorrelationBounds | None = Field(
        default=None, description="Null if none was requested; version 1 of the analysis had none."
    )


class ComparisonByUnits(Part):
    """Two metrics compared over systems that may share models and methods."""

    test: Literal["jackknife", "exchange methods"]
    statistic: StatisticName = Field(description="Of which correlations.")
    first: Annotated[Number, InTable(key="first_value")]
    second: Annotated[Number, InTable(key="second_value")]
    difference: Number = Field(description="Above 0: the first agrees better.")
    low: Annotated[Number, InTable(key="unit_low")] = Field(
        title="from", description="From the jackknife's interval of the difference."
    )
    high: Annotated[Number, InTable(key="unit_high")] = Field(title="to")
    t: Number = Field(description="From the jackknife.")
    p_value: Annotated[PValue, InTable(key="unit_p")] = Field(title="p")
    p_error: Annotated[MonteCarlo, InTable(key="unit_p_error")] = Field(
        title="± (Monte Carlo)", description="Monte Carlo standard error of exchanging; 0 if nothing is sampled."
    )
    p_holm: Annotated[PValue, InTable(key="unit_p_holm")] = Field(
        title="p Holm", description="Holm's correction over the pairs of the coefficient."
    )
    units: int = Field(description="How many were left out, or exchanged.")
    left_out: Left = Field(description="What they are.")
    exchanges: int
    reason: str


class DifferenceOfMetrics(Part):
    """Two metrics: the difference of their correlations with the preference fractions, and its tests.

    Metrics whose lower values are better are negated first.
    """

    coefficient: Annotated[Coefficient, InTable(words=COEFFICIENT_TITLES)] = Field(title="Coefficient")
    first: Annotated[str, InTable(key="first_metric")] = Field(title="Metric")
    second: Annotated[str, InTable(key="second_metric")] = Field(title="compared with")
    first_value: Number = Field(title="of the first")
    second_value: Number = Field(title="of the second")
    difference: Number = Field(title="Difference", description="Above 0: the first agrees better.")
    n: int = Field(title="Systems", description="Systems that have both metrics.")
    t: Annotated[Number, InTable(detail=True)] = Field(title="t", description="Williams' t.")
    p_value: PValue = Field(title="p", description="From Williams' test, two-sided.")
    reason: str
    notes: list[str]
    excluded: list[str] = Field(description="Systems that were left out.")
    exchange_p: PValue = Field(
        title="p", description="From the test that exchanges the two metrics' values of a system."
    )
    exchange_error: MonteCarlo = Field(title="± (Monte Carlo)", description="Its Monte Carlo standard error.")
    exchange_exact: bool | None = Field(description="Whether every exchange was enumerated.")
    exchanges: int
    exchange_reason: str
    p_value_holm: PValue = Field(title="p Holm", description="Holm's correction over the pairs of the coefficient.")
    exchange_p_holm: PValue = Field(title="p Holm")
    by_units: ComparisonByUnits | None = Field(
        default=None,
        description="The test that takes the unit of analysis into account; null if it was not requested.",
    )


class OtherQuestion(Part):
    """The same metrics on other values or instances than asked: a separate family of tests."""

    values: ValuesOf = Field(description="The exact predictions, or what experts were shown: thresholded and rounded.")
    instances: InstancesOf = Field(description="The whole dataset, or those on which experts judged the system.")
    is_confounded: bool = Field(description="The metric and the preference both depend on which texts a system got.")
    metrics: dict[str, dict[str, MeasuredValue]] = Field(description="By system, then by metric.")
    correlations: list[CorrelationOfMetric]
    exclusions: list[Exclusion]


VariationKind = Literal[
    "method left out",
    "model left out",
    "system left out",
    "one model",
    "exchangeable",
    "both",
    "identical",
    "given away",
    "values",
]


class VariedCorrelation(Part):
    """A metric's correlation in a variation."""

    metric: str
    coefficient: Coefficient
    value: Number
    n: int = Field(description="Systems that count.")
    p_value: Number = Field(description="Also null if none was computed, as for single systems left out.")
    p_error: Number = Field(description="Its Monte Carlo standard error; these tests draw fewer permutations.")
    reason: str

    def changes_sign(self, answer: CorrelationOfMetric) -> bool:
        return (self.value or 0.0) * (answer.value or 0.0) <= 0 and self.value != answer.value

    def changes_decision(self, answer: CorrelationOfMetric) -> bool:
        """Whether p is on the other side of .05; not if one of the two was not tested."""
        if self.p_value is None or answer.p_value is None:
            return False
        return (self.p_value < ALPHA) != (answer.p_value < ALPHA)


class Variation(Part):
    """The same analysis with one thing changed: does the answer hold?"""

    kind: VariationKind
    name: str = Field(description="What was left out, or which choice was made.")
    is_asked: bool = Field(description="Whether this is the choice of the analysis itself.")
    cannot_reject: bool = Field(description="Whether it allows no p-value below 5%, whatever the data are.")
    rows: list[VariedCorrelation]


def varied_correlations(
    sensitivity: Sequence[Variation], metric: str, coefficient: Coefficient
) -> list[tuple[Variation, VariedCorrelation]]:
    """A metric's defined correlations in every variation; of other exchanges, only in those that can reject."""
    return [
        (variation, row)
        for variation in sensitivity
        if not (variation.kind == "exchangeable" and variation.cannot_reject)
        for row in variation.rows
        if (row.metric, row.coefficient) == (metric, coefficient) and row.value is not None
    ]


class LeastSquaresLine(Part):
    """The preference fraction by a metric's value: least squares, and the confidence band of its mean."""

    slope: Number
    intercept: Number
    level: float
    n: int
    x: list[float] = Field(description="Places along the line.")
    y: list[float]
    lower: list[float]
    upper: list[float]
    reason: str


class PreferenceCorrelationFindings(Findings):
    """How much each metric agrees with the experts."""

    metrics: list[DescribedMetric]
    systems: list[JudgedSystem]
    correlations: list[CorrelationOfMetric]
    comparisons: list[DifferenceOfMetrics] = Field(
        default=[], description="For every two metrics and every coefficient; version 1 of the analysis had none."
    )
    lines: dict[str, LeastSquaresLine] = Field(description="One per metric.")
    values: ValuesOf = Field(default="exact", description="What metrics were computed on; exact before version 3.")
    instances: InstancesOf = Field(
        default="all", description="For which instances; see the parameters before version 3."
    )
    unit: UnitOfAnalysis | None = Field(
        default=None, description="What the tests exchange; null before version 3, when it was any two systems."
    )
    sensitivity: list[Variation] = Field(default=[], description="Does the answer hold? None before version 3.")
    others: list[OtherQuestion] = Field(
        default=[], description="What is always reported in addition; none before version 3."
    )


class PreferenceCorrelationResult(PreferenceCorrelationFindings, Result):
    """The correlation of metrics with the experts' preference."""

    analysis: Literal["preference_correlation"]

    @property
    def coefficients(self) -> list[Coefficient]:
        """The computed coefficients, in the order of the parameter."""
        return list(dict.fromkeys(row.coefficient for row in self.correlations))


CHOICES = "the experts’ choices"
MOST_NAMED = 3
"""If there are more other metrics than this, they are not named; so with variations in which the answer changes."""

VARIED: Mapping[VariationKind, str] = {
    "method left out": "without {name}",
    "model left out": "without {name}",
    "system left out": "without {name}",
    "one model": "in {name} alone",
    "exchangeable": "exchanging {name}",
    "both": "with “both” counted as {name}",
    "identical": "with sides that looked the same counted as “{name}”",
    "given away": "without the sides that only a system can have",
    "values": "on {name} values",
}
"""A row of the sensitivity table, in words."""

NAMES_OF_VARIATIONS = {
    "exact x all": "exact",
    "shown x all": "shown",
    "exact x judged": "the judged texts’ exact",
    "shown x judged": "the judged texts’ shown",
    "within model": "systems within models",
}


def answer(result: PreferenceCorrelationResult) -> str:
    """What the first coefficient says, in three sentences: which metric is highest and which others it is distinguished
    from; how far this can be trusted; whether it holds.

    A metric *agrees best* only if it is distinguished from every other one, after correction; otherwise it *has the
    highest correlation here*. If none is above 0, none agrees. If a test does not reject, nothing is claimed and the
    interval is given. An answer *holds* if its sign and its decision are the same in every row of the sensitivity
    table.
    """
    coefficient = result.coefficients[0]
    rows = [row for row in result.correlations if row.coefficient == coefficient and row.value is not None]
    if not rows:
        reasons = Counter(in_titles(row.reason, result.metrics) for row in result.correlations if row.reason)
        # The reason shared by most metrics is what keeps the study from an answer; the first one's may be its own.
        (reason, _), *_ = reasons.most_common(1) or [("", 0)]
        return f"No metric can be compared with {CHOICES}: {because(reason)}"
    best = BestMetric(result, rows)
    return answered(capital(best.headline()), best.caution(), best.robustness())


class BestMetric:
    """The highest metric by the first coefficient, how the others compare with it, and what may be said about it.

    `rows` are the defined correlations. The corrected p-values of the tests that take the unit of analysis into account
    decide, and no others. Agreement is above 0 if the metric is better where experts chose more often, whether higher
    or lower values are better.
    """

    def __init__(self, result: PreferenceCorrelationResult, rows: Sequence[CorrelationOfMetric]) -> None:
        self._result, self._rows = result, rows
        self._metrics = {metric.name: metric for metric in result.metrics}
        signs = {metric.name: 1.0 if metric.orientation == "higher" else -1.0 for metric in result.metrics}
        agreement = {row.metric: signs[row.metric] * (row.value or 0.0) for row in rows}
        self.row = row = max(rows, key=lambda row: agreement[row.metric])
        self.agreement = agreement.pop(row.metric)
        self.others = list(agreement)
        self.equal = [metric for metric, value in agreement.items() if value == self.agreement]
        self.p = row.p_value if row.p_holm is None else row.p_holm
        self.is_above_chance = self.p is not None and self.p < ALPHA
        outcomes = {metric: self._compared_with(metric) for metric in self.others}
        self.apart, self.alike, self.better, self.untested = (
            [metric for metric in self.others if outcomes[metric] == outcome]
            for outcome in ("apart", "alike", "better", "untested")
        )
        self._symbol = COEFFICIENT_SYMBOLS[row.coefficient]

    def _compared_with(self, other: str) -> str:
        """What the test says of another metric, which may be better on the systems that both have."""
        for pair in self._result.comparisons:
            if pair.coefficient != self.row.coefficient or {pair.first, pair.second} != {self.row.metric, other}:
                continue
            test = pair.by_units
            if test is None or test.p_holm is None or test.difference is None:
                return "untested"
            if test.p_holm >= ALPHA or not test.difference:
                return "alike"
            return "apart" if (test.difference > 0) == (pair.first == self.row.metric) else "better"
        return "untested"

    def headline(self) -> str:
        count = len(self.others)
        title, figures = self._title(), self._figures()
        if not count:
            if self.agreement <= 0:
                return f"{title} does not agree with the experts: its correlation with their choices is {figures}."
            chance = "" if self._is_decided else ", which cannot be told apart from 0"
            return f"The correlation of {title} with {CHOICES} is {figures}{chance}."
        if self.agreement <= 0:
            none = "Neither of the two metrics" if count == 1 else f"None of the {spelled(count + 1)} metrics"
            return f"{none} agrees with the experts: the highest correlation, of {title}, is {figures}."
        if self.equal:
            names = [self.row.metric, *self.equal]
            is_turned = len({self._metrics[metric].orientation for metric in names}) > 1
            turned = " (with its sign reversed because lower is better)" if is_turned else ""
            whose = f"of {title} " if is_turned else ""
            same = f"have the same correlation with {CHOICES}{turned}, the highest here"
            return f"{self._names(names)} {same}: {whose}{figures}."
        if self.is_above_chance and len(self.apart) == count:
            every = "the other metric" if count == 1 else f"each of the {spelled(count)} others"
            return f"{title} agrees best with the experts: {figures}, told apart from {every} after correction."
        tests = "; ".join(self._tests())
        return f"{title} has the highest correlation with {CHOICES} here: {figures}{'; ' if tests else ''}{tests}."

    @property
    def _is_decided(self) -> bool:
        """Whether nothing need be said about chance: it is above it, or was not tested."""
        return self.is_above_chance or self.p is None

    def _tests(self) -> list[str]:
        """What it is not distinguished from, 0 or other metrics, and how others compare with it."""
        count = len(self.others)
        statements = [] if self._is_decided else ["it cannot be told apart from 0"]
        if self.alike:
            lead = "it cannot be told apart" if self._is_decided else f"{statements.pop()}, nor"
            if len(self.alike) > MOST_NAMED and len(self.alike) == count:
                statements.append(f"{lead} from any of the {spelled(count)} others")
            else:
                statements.append(f"{lead} from {self._names(self.alike, last='and' if self._is_decided else 'or')}")
        if len(self.apart) == count:
            statements.append(
                "it can be told apart from " + ("the other metric" if count == 1 else "every other metric")
            )
        if self.better:
            agree = "agrees" if len(self.better) == 1 else "agree"
            statements.append(f"on the systems that both have, {self._names(self.better)} {agree} better")
        if self.untested:
            rest = "the others" if len(self.untested) == count > 1 else self._names(self.untested)
            statements.append(f"whether it differs from {rest} could not be tested")
        return statements

    def _names(self, names: Sequence[str], last: str = "and") -> str:
        return listed([inside(self._metrics[metric].title) for metric in names], last=last)

    def _title(self) -> str:
        metric = self._metrics[self.row.metric]
        lower = f" (lower is better, so that a negative {self._symbol} is agreement)"
        return inside(name(metric.title)) + (lower if metric.orientation == "lower" else "")

    def _figures(self) -> str:
        """Its correlation, with its interval and the p-value that decides."""
        row = self.row
        where = "" if row.statistic == "overall" else f" {row.statistic}"
        systems = f"over {row.n} of {row.n + len(row.excluded)} systems" if row.excluded else ""
        bounds = "" if row.interval is None else interval(row.interval.low, row.interval.high, row.interval.level)
        if row.interval is not None and bounds and row.interval.statistic != row.statistic:
            whose = "over all systems" if row.interval.statistic == "overall" else row.interval.statistic
            bounds = f"{bounds} of the correlation {whose}"
        chance = "not tested"
        if self.p is not None:
            tail = "" if row.alternative == "two-sided" else "one-sided "
            corrected = "corrected " if row.p_holm is not None and self.others else ""
            chance = f"{tail}{corrected}{p_value(self.p)}"
        value = f"{self._symbol} = {number(row.value or 0.0)}{where}"
        return value + within(bounds or "no interval", chance, systems)

    def caution(self) -> str:
        """Reasons for caution: chance, the choice of the highest, what is undefined."""
        statements = []
        unit, row = self._result.unit, self.row
        if unit is not None and row.p_value is not None:
            what = permuted(unit.exchangeable, systems=row.n, models=unit.models, methods=unit.methods)
            chance = f"chance was judged by permuting {what}"
            if unit.cannot_reject:
                least = "" if unit.smallest_p is None else f" (none can be below {number(unit.smallest_p, 3)})"
                chance += f", which are too few for any p-value to fall below .05{least}"
            statements.append(chance)
        if unit is not None and unit.few:
            statements.append(
                f"with only {spelled(row.n)} systems, a correlation near 1 or −1 can arise by chance alone"
            )
        if self.others:
            statements.append(
                f"as the largest of {spelled(len(self._rows))} correlations, {self._symbol} is optimistic"
            )
        if self._result.instances == "judged":
            statements.append(
                "metrics were computed on the judged texts alone, which by itself can make them correlate with choices"
            )
        lacking = [
            other for other in self._result.correlations if other.coefficient == row.coefficient and other.value is None
        ]
        titles = [inside(self._metrics[other.metric].title) for other in lacking]
        statements.append(undefined(titles, [in_titles(other.reason, self._result.metrics) for other in lacking]))
        return sentence(statements)

    def robustness(self) -> str:
        """Whether it holds, and its value on what experts were shown."""
        return sentence([self._holding(), self._on_other_values()])

    def _on_other_values(self) -> str:
        """The same metric's correlation on shown values or, if these were requested, on the exact predictions."""
        for other in self._result.others:
            if other.instances != "all" or other.values == self._result.values:
                continue
            for row in other.correlations:
                if (row.metric, row.coefficient) == (self.row.metric, self.row.coefficient):
                    where = "what experts were shown" if other.values == "shown" else "the exact predictions"
                    if row.value is None:
                        return f"on {where} it is undefined ({why(in_titles(row.reason, self._result.metrics))})"
                    return f"on {where} it is {number(row.value)}"
        return ""

    def _holding(self) -> str:
        """Where the answer does not hold if one thing is changed, and the range of the correlation; empty if nothing
        was varied."""
        varied = varied_correlations(self._result.sensitivity, self.row.metric, self.row.coefficient)
        values = [row.value for _, row in varied if row.value is not None]
        if not values:
            return ""
        count = f"{spelled(len(varied))} variation{'s' if len(varied) > 1 else ''}"
        low, high = number(min(values)), number(max(values))
        spread = f"{self._symbol} is {low}" if low == high else f"{self._symbol} lies between {low} and {high}"
        changed = [
            _varied(variation, row)
            for variation, row in varied
            if row.changes_sign(self.row) or row.changes_decision(self.row)
        ]
        if not changed:
            is_tested = any(row.p_value is not None for _, row in varied) and self.row.p_value is not None
            same = "sign and the same side of p = .05" if is_tested else "sign"
            every = f"in all {count}" if len(varied) > 1 else "in the one variation"
            return f"the answer holds {every} (the same {same}; {spread})"
        if len(varied) == 1:
            return f"the answer does not hold {changed[0]}"
        holds = "none" if len(changed) == len(varied) else f"all but {spelled(len(changed))}"
        if len(changed) > MOST_NAMED + 1:
            changed = [*changed[:MOST_NAMED], f"in {spelled(len(changed) - MOST_NAMED)} others"]
        where = changed[0] if len(changed) == 1 else f"{', '.join(changed[:-1])} or {changed[-1]}"
        return f"the answer holds in {holds} of {count}: not {where}; {spread}"


def _varied(variation: Variation, row: VariedCorrelation) -> str:
    """What was changed, and the result."""
    title = variation.name
    if variation.kind in {"values", "exchangeable"}:
        title = NAMES_OF_VARIATIONS.get(title, title)
    p = "" if row.p_value is None else p_value(row.p_value)
    return VARIED[variation.kind].format(name=name(title)) + within(number(row.value or 0.0), p)
