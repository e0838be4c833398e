"""Which metric agrees best with the experts: as a question, and its answer in sentences that its tables support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from metaeval.analyses.base.result import in_titles
from metaeval.analyses.base.wording import (
    PlainWords,
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
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.preference_correlation.best_metric import BestMetric, best_metric
from metaeval.analyses.preference_correlation.result import (
    CorrelationOfMetric,
    PreferenceCorrelationResult,
    UnitOfAnalysis,
)
from metaeval.analyses.preference_correlation.wording_of_holding import holding
from metaeval.stats import Coefficient

SYMBOLS: Mapping[Coefficient, str] = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
CHOICES = "the experts’ choices"
MOST_NAMED = 3
"""If there are more other metrics than this, they are not named."""


def answer(result: PreferenceCorrelationResult) -> str:
    """What the first coefficient says, in three sentences: which metric is highest and which others it is distinguished
    from; how far this can be trusted; whether it holds.

    A metric *agrees best* only if it is distinguished from every other one, after correction; otherwise it *has the
    highest correlation here*. If none is above 0, none agrees. If a test does not reject, nothing is claimed and the
    interval is given. An answer *holds* if its sign and its decision are the same in every row of the sensitivity
    table.
    """
    best = best_metric(result)
    if best is None:
        reasons = Counter(in_titles(row.reason, result.metrics) for row in result.correlations if row.reason)
        # The reason shared by most metrics is what keeps the study from an answer; the first one's may be its own.
        (reason, _), *_ = reasons.most_common(1) or [("", 0)]
        return f"No metric can be compared with {CHOICES}: {because(reason)}"
    words = _Words(result, best)
    return answered(capital(words.headline()), words.caution(), words.robustness())


class _Words:
    """What may be said about the highest metric."""

    def __init__(self, result: PreferenceCorrelationResult, best: BestMetric) -> None:
        self._result, self._best = result, best
        self._metrics = {metric.name: metric for metric in result.metrics}
        self._symbol = SYMBOLS[best.row.coefficient]

    def headline(self) -> str:
        best, others = self._best, len(self._best.known) - 1
        called, figures = self._called(best.row.metric), self._figures()
        if not others:
            return self._alone(called, figures)
        if best.agreement <= 0:
            none = "Neither of the two metrics" if others == 1 else f"None of the {spelled(others + 1)} metrics"
            return f"{none} agrees with the experts: the highest correlation, of {called}, is {figures}."
        if best.level:
            return self._tied(called, figures)
        if best.agrees_best:
            every = "the other metric" if others == 1 else f"each of the {spelled(others)} others"
            return f"{called} agrees best with the experts: {figures}, told apart from {every} after correction."
        beside = "; ".join(part for part in ("".join([self._own(), self._alike()]), *self._beside()) if part)
        return f"{called} has the highest correlation with {CHOICES} here: {figures}{'; ' if beside else ''}{beside}."

    def _alone(self, called: str, figures: str) -> str:
        """The sentence if there is only one metric."""
        best = self._best
        if best.agreement <= 0:
            return f"{called} does not agree with the experts: its correlation with their choices is {figures}."
        far = "" if best.is_found or best.p is None else ", which cannot be told apart from 0"
        return f"The correlation of {called} with {CHOICES} is {figures}{far}."

    def _tied(self, called: str, figures: str) -> str:
        names = [self._best.row.metric, *self._best.level]
        is_turned = len({self._metrics[metric].orientation for metric in names}) > 1
        turned = " (with its sign reversed because lower is better)" if is_turned else ""
        whose = f"of {called} " if is_turned else ""
        same = f"have the same correlation with {CHOICES}{turned}, the highest here"
        return f"{self._names(names)} {same}: {whose}{figures}."

    def _own(self) -> str:
        """Its own correlation, if it is not distinguished from 0."""
        return "" if self._best.is_found or self._best.p is None else ("it cannot be told apart from 0")

    def _alike(self) -> str:
        """The metrics that it is not distinguished from."""
        if not self._best.alike:
            return ""
        count = len(self._best.alike)
        if count > MOST_NAMED and count == len(self._best.known) - 1:
            return f"{', nor' if self._own() else 'it cannot be told apart'} from any of the {spelled(count)} others"
        if self._own():
            return f", nor from {self._names(self._best.alike, last='or')}"
        return f"it cannot be told apart from {self._names(self._best.alike)}"

    def _beside(self) -> Sequence[str]:
        """How the other metrics compare with it."""
        best, said = self._best, []
        others = len(best.known) - 1
        if len(best.apart) == others:
            said.append("it can be told apart from " + ("the other metric" if others == 1 else "every other metric"))
        if best.beaten_by:
            agree = "agrees" if len(best.beaten_by) == 1 else "agree"
            said.append(f"on the systems that both have, {self._names(best.beaten_by)} {agree} better")
        if best.untested:
            rest = "the others" if len(best.untested) == others > 1 else self._names(best.untested)
            said.append(f"whether it differs from {rest} could not be tested")
        return said

    def _names(self, names: Sequence[str], last: str = "and") -> str:
        return listed([inside(self._metrics[metric].title) for metric in names], last=last)

    def _called(self, metric: str) -> str:
        is_lower = self._metrics[metric].orientation == "lower"
        turned = f" (lower is better, so that a negative {self._symbol} is agreement)" if is_lower else ""
        return inside(name(self._metrics[metric].title)) + turned

    def _figures(self) -> str:
        """Its correlation, with its interval and the p-value that decides."""
        row = self._best.row
        where = "" if row.statistic == "overall" else f" {row.statistic}"
        left = f"over {row.n} of {row.n + len(row.excluded)} systems" if row.excluded else ""
        value = f"{self._symbol} = {number(row.value or 0.0)}{where}"
        return value + within(self._interval(), self._chance(), left)

    def _interval(self) -> str:
        bounds, row = self._best.row.interval, self._best.row
        found = "" if bounds is None else interval(bounds.low, bounds.high, bounds.level)
        if bounds is None or not found:
            return "no interval"
        return found if bounds.statistic == row.statistic else f"{found} of the correlation {_whose(bounds.statistic)}"

    def _chance(self) -> str:
        row, p = self._best.row, self._best.p
        if p is None:
            return "not tested"
        tail = "" if row.alternative == "two-sided" else "one-sided "
        corrected = "corrected " if row.p_holm is not None and len(self._best.known) > 1 else ""
        return f"{tail}{corrected}{p_value(p)}"

    def caution(self) -> str:
        """Reasons for caution: chance, the choice of the highest, what is undefined."""
        said = []
        unit, row = self._result.unit, self._best.row
        if unit is not None and row.p_value is not None:
            said.append(_exchanged(unit, row))
        if unit is not None and unit.few:
            said.append(f"with only {spelled(row.n)} systems, a correlation near 1 or −1 can arise by chance alone")
        if len(self._best.known) > 1:
            said.append(
                f"as the largest of {spelled(len(self._best.known))} correlations, {self._symbol} is optimistic"
            )
        if self._result.instances == "judged":
            said.append(
                "metrics were computed on the judged texts alone, which by itself can make them correlate with choices"
            )
        said.append(self._undefined())
        return sentence(said)

    def _undefined(self) -> str:
        coefficient = self._best.row.coefficient
        left = [row for row in self._result.correlations if row.coefficient == coefficient and row.value is None]
        return undefined(
            [inside(self._metrics[row.metric].title) for row in left],
            [in_titles(row.reason, self._result.metrics) for row in left],
        )

    def robustness(self) -> str:
        """Whether it holds, and its value on what experts were shown."""
        return sentence([holding(self._result.sensitivity, self._best.row, self._symbol), self._otherwise()])

    def _otherwise(self) -> str:
        """The same metric's correlation on shown values or, if these were asked for, on the exact predictions."""
        asked = self._result.values
        for other in self._result.others:
            if other.instances != "all" or other.values == asked:
                continue
            for row in other.correlations:
                if (row.metric, row.coefficient) == (self._best.row.metric, self._best.row.coefficient):
                    on = "what experts were shown" if other.values == "shown" else "the exact predictions"
                    if row.value is None:
                        return f"on {on} it is undefined ({why(in_titles(row.reason, self._result.metrics))})"
                    return f"on {on} it is {number(row.value)}"
        return ""


def _exchanged(unit: UnitOfAnalysis, row: CorrelationOfMetric) -> str:
    """What the tests exchange, and whether that can reject at all."""
    what = permuted(unit.exchangeable, systems=row.n, models=unit.models, methods=unit.methods)
    said = f"chance was judged by permuting {what}"
    if unit.cannot_reject:
        least = "" if unit.smallest_p is None else f" (none can be below {number(unit.smallest_p, 3)})"
        said += f", which are too few for any p-value to fall below .05{least}"
    return said


def _whose(statistic: str) -> str:
    return "over all systems" if statistic == "overall" else statistic


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
