"""How metrics relate to one another: as a question, and its answer in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.coefficients import TITLES
from metaeval.analyses.base.saying import because, counted, number
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.metric_relationship.result import MetricRelationshipResult, RelationOfMetrics


def answer(result: MetricRelationshipResult) -> str:
    """The two metrics that go together most, and the two that go together least, in the first setting."""
    setting = result.settings[0]
    known = [row for row in setting.relations if row.value is not None]
    if not known:
        reason = setting.relations[0].reason if setting.relations else "there are fewer than two metrics"
        return f"No two metrics can be compared: {because(reason)}"
    most = max(known, key=lambda row: abs(row.value or 0.0))
    least = min(known, key=lambda row: abs(row.value or 0.0))
    coefficient = result.parameters.get("coefficient", "pearson")
    called = TITLES[coefficient]
    of = "simulated datasets" if setting.is_simulated else "systems"
    over = f"over {most.n:,} {of}"
    first = f"{_pair(most, result.titles)} go together most ({called} {_value(most)})"
    if len(known) == 1:
        return f"{first}, {over}."
    second = f"{_pair(least, result.titles)} least ({_value(least)})"
    return f"Of {counted(len(known), 'pair')} of metrics, {first}, {second}, {over}."


def _pair(row: RelationOfMetrics, titles: Mapping[str, str]) -> str:
    return f"{titles[row.a]} and {titles[row.b]}"


def _value(row: RelationOfMetrics) -> str:
    error = "" if row.error is None else f" ± {number(row.error)}"
    return f"{number(row.value or 0.0)}{error}"


WORDS = PlainWords(
    question="Do the metrics say the same?",
    group="The metrics",
    shows="Every two metrics with their correlation, so that you see which of them measure the same. It needs the "
    "predictions of three systems, or nothing at all for a simulation.",
    place=10,
    needs={SubjectKind.DATASET: ("three systems",)},
    compared=("metrics", "label_counts", "concentrations"),
    statistics=("coefficient", "pairs", "instances"),
    answer=answer,
)
