"""Which metric agrees best with the experts: as a question, and its answer in sentences that its tables support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.coefficients import SYMBOLS
from metaeval.analyses.base.measured import in_titles
from metaeval.analyses.base.permuting import permuted
from metaeval.analyses.base.saying import (
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
    sentence,
    spelled,
    undefined,
    why,
    within,
)
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.preference_correlation.result import (
    CorrelationOfMetric,
    PreferenceCorrelationResult,
    Variation,
    VariationKind,
    VariedCorrelation,
    varied_correlations,
)

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
        self._symbol = SYMBOLS[row.coefficient]

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


WORDS = PlainWords(
    question="Which metric agrees best with the experts?",
    group="The metrics",
    is_preset=True,
    shows="How well each metric agrees with the experts’ choices, how certain that is, and whether one metric agrees "
    "better than another. It needs experts’ choices about at least three systems.",
    place=0,
    needs={SubjectKind.STUDY: ("preferences", "three systems")},
    compared=("metrics", "values", "instances", "include_pilot"),
    statistics=("coefficients", "level", "permutations", "alternative", "both", "average", "weights"),
    answer=answer,
)
