"""How metrics relate to one another: as a question, and its answer in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.coefficients import TITLES
from metaeval.analyses.base.saying import answered, because, counted, inside, name, number, sentence, spelled, why
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.metric_relationship.result import MetricRelationshipResult, RelationOfMetrics, RelationsInSetting


def answer(result: MetricRelationshipResult) -> str:
    """The pair of metrics with the strongest correlation and the one with the weakest, in the first setting.

    Nothing tests one pair against another, so only numbers are compared.
    """
    setting = result.settings[0]
    defined = [row for row in setting.relations if row.value is not None]
    if not defined:
        reason = setting.relations[0].reason if setting.relations else "there are fewer than two metrics"
        return f"No two metrics can be compared: {because(reason)}"
    sizes = [_size(row) for row in defined]
    most = [row for row in defined if _size(row) == max(sizes)]
    least = [row for row in defined if _size(row) == min(sizes)]
    called = TITLES[result.parameters.get("coefficient", "pearson")]
    over = f"Over {spelled(most[0].n)} {'simulated datasets' if setting.is_simulated else 'systems'}"
    if len(defined) == 1:
        lead = f"{over}, the correlation of {_pair(most[0], result)} is {_value(most[0])} ({called})."
    elif len(most) == len(defined):
        pairs = f"all {spelled(len(defined))} pairs of metrics"
        lead = f"{over}, {pairs} have a correlation of the same size: {_value(most[0])} ({called})."
    else:
        lead = (
            f"{over}, the strongest correlation of {spelled(len(defined))} pairs of metrics is that of "
            f"{_pairs(most, result)}: {_value(most[0])}; the weakest is that of {_pairs(least, result)}: "
            f"{_value(least[0])} ({called})."
        )
    caution = "no test compares the pairs" if len(defined) > 1 else ""
    return answered(lead, sentence([*_elsewhere(result, most[0]), caution, *_undefined(setting, result)]))


def _size(row: RelationOfMetrics) -> float:
    return abs(row.value or 0.0)


def _pair(row: RelationOfMetrics, result: MetricRelationshipResult) -> str:
    return f"{inside(name(result.titles[row.a]))} with {inside(name(result.titles[row.b]))}"


def _pairs(rows: Sequence[RelationOfMetrics], result: MetricRelationshipResult) -> str:
    others = f" (and of {counted(len(rows) - 1, 'other pair')})" if len(rows) > 1 else ""
    return _pair(rows[0], result) + others


def _value(row: RelationOfMetrics) -> str:
    error = "" if row.error is None else f" ± {number(row.error)}"
    return f"{number(row.value or 0.0)}{error}"


def _elsewhere(result: MetricRelationshipResult, pair: RelationOfMetrics) -> list[str]:
    """The range of the strongest pair over all settings, if there are several."""
    values = [
        row.value
        for setting in result.settings
        for row in setting.relations
        if (row.a, row.b) == (pair.a, pair.b) and row.value is not None
    ]
    if len(result.settings) == 1 or len(values) < 2:
        return []
    low, high = number(min(values)), number(max(values))
    moves = f"is {low}" if low == high else f"lies between {low} and {high}"
    return [f"over {spelled(len(values))} settings, the first of these correlations {moves}"]


def _undefined(setting: RelationsInSetting, result: MetricRelationshipResult) -> list[str]:
    without = [row for row in setting.relations if row.value is None]
    if not without:
        return []
    if len(without) == 1:
        return [f"that of {_pair(without[0], result)} is undefined ({why(without[0].reason)})"]
    reasons = {why(row.reason) for row in without}
    mostly = next(iter(sorted(reasons))) if len(reasons) == 1 else f"{why(without[0].reason)}, and other reasons"
    return [f"{counted(len(without), 'correlation')} are undefined ({mostly})"]


WORDS = PlainWords(
    question="Do the metrics measure the same thing?",
    group="The metrics",
    shows="The correlation between every two metrics, which shows which of them measure the same thing. "
    "It needs the predictions of three systems, or nothing at all for a simulation.",
    place=10,
    needs={SubjectKind.DATASET: ("three systems",)},
    compared=("metrics", "label_counts", "concentrations"),
    statistics=("coefficient", "pairs", "instances"),
    answer=answer,
)
