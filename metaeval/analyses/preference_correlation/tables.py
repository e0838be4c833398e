"""The table of correlations that the field publishes, whether they hold, and the differences between metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from metaeval.analyses.base.coefficients import TITLES
from metaeval.analyses.base.measured import DescribedMetric, in_titles
from metaeval.analyses.base.saying import ALPHA, listed
from metaeval.analyses.base.table import Column, Row, Table, cells_of, column, columns_of, table, table_of
from metaeval.analyses.inputs.studies import NO_BAR
from metaeval.analyses.preference_correlation.parameters import CONFOUNDED, PreferenceCorrelation, Question
from metaeval.analyses.preference_correlation.result import (
    FEW_SYSTEMS,
    ComparisonByUnits,
    CorrelationBounds,
    CorrelationOfMetric,
    DifferenceOfMetrics,
    OtherQuestion,
    UnitOfAnalysis,
    Variation,
    VariationKind,
    VariedCorrelation,
    varied_correlations,
)

SHOWN_IS = (
    "Shown values are those that a chart draws, for people and systems alike: values that are not above "
    "the threshold are dropped, and the others are rounded to the shares that the text's people can give."
)
TWO_QUESTIONS = (
    "p and the interval answer two questions. p asks whether chance alone could have put these systems in such an "
    "order; the interval asks what other {} would show. So the interval can be wider than p suggests, and "
    "can include 0 although p is small."
)
AS_PUBLISHED = (
    "Williams’ test, as published, compares the overall correlations and treats systems as independent: "
    "if they share models or methods, it finds differences that do not exist, so no conclusion is drawn "
    "from it here."
)
KINDS: dict[VariationKind, str] = {
    "method left out": "one method left out",
    "model left out": "one model left out",
    "system left out": "one system left out",
    "one model": "each model by itself",
    "exchangeable": "what is exchanged",
    "both": "what “both” counts",
    "identical": "sides that looked the same",
    "given away": "sides that only a system has, left out",
    "values": "exact or shown values",
}
"""What was changed, in words."""


def tables_of(
    metrics: Sequence[DescribedMetric],
    correlations: Sequence[CorrelationOfMetric],
    comparisons: Sequence[DifferenceOfMetrics],
    others: Sequence[OtherQuestion],
    *,
    unit: UnitOfAnalysis,
    sensitivity: Sequence[Variation],
    parameters: PreferenceCorrelation,
) -> list[Table]:
    """The correlations, those that are always reported beside them, whether the answer holds and, with at least two
    metrics, differences."""
    question = parameters.questions[0]
    shared = shared_notes(correlations)
    notes = [*unit.sentences, f"Metrics were computed {question.in_words}."]
    notes += [SHOWN_IS] if question.values == "shown" else []
    notes += [CONFOUNDED] if question.is_confounded else []
    tables = [
        table(
            "correlations",
            "Correlation of each metric with the experts’ preference, over systems",
            _columns(correlations),
            _rows(metrics, correlations, shared),
            notes=[*notes, *_about_intervals(correlations, parameters), *shared],
        )
    ]
    for other in others:
        question = Question(other.values, other.instances)
        notes = [f"The same metrics {question.in_words}; corrections are only over the metrics of this table."]
        notes += [SHOWN_IS] if other.values == "shown" else []
        if empty := sum(exclusion.count for exclusion in other.exclusions if exclusion.reason == NO_BAR):
            notes.append(f"{empty:,} distributions without a bar on one of the sides are left out.")
        tables.append(
            table(
                f"correlations_{other.values}_{other.instances}",
                f"The same {question.in_words}",
                _columns(other.correlations),
                _rows(metrics, other.correlations, ()),
                notes=notes,
            )
        )
    if sensitivity:
        tables.append(_holding(metrics, correlations, sensitivity))
    if comparisons:
        tables.append(_differences(metrics, comparisons))
    return tables


def shared_notes(correlations: Sequence[CorrelationOfMetric]) -> list[str]:
    """Notes that apply to every interval."""
    notes = [row.interval.notes for row in correlations if row.interval]
    return [note for note in notes[0] if all(note in others for others in notes)] if notes else []


def _columns(correlations: Sequence[CorrelationOfMetric]) -> list[Column]:
    """The metric and, for each coefficient, its value, tests and interval."""
    columns = columns_of(CorrelationOfMetric, ["metric", "n"])
    for coefficient in dict.fromkeys(row.coefficient for row in correlations):
        rows = [row for row in correlations if row.coefficient == coefficient]
        title, statistic, prefix = TITLES[coefficient], rows[0].statistic, f"{coefficient}_"
        is_overall = statistic == "overall"
        tests = ["p", *([] if is_overall else ["overall"])]
        columns.append(column(coefficient, title if is_overall else statistic, group=title))
        columns += columns_of(CorrelationOfMetric, tests, prefix=prefix, group=title)
        if any(row.interval for row in rows):
            columns += columns_of(CorrelationBounds, ["low", "high"], prefix=prefix, group=title)
        corrected = ["p_error", "p_holm", "p_bh", "p_max_t"]
        columns += columns_of(CorrelationOfMetric, corrected, prefix=prefix, group=title)
    return [*columns, column("notes", "Notes")]


def _rows(
    metrics: Sequence[DescribedMetric], correlations: Sequence[CorrelationOfMetric], shared: Sequence[str]
) -> list[dict[str, object]]:
    """One row per metric; notes say why values are undefined, and which systems were left out."""
    everywhere = _reason_for_no_interval(correlations)
    rows = []
    for metric in metrics:
        tests = [row for row in correlations if row.metric == metric.name]
        row: dict[str, object] = {"metric": metric.title, "n": tests[0].n}
        notes = []
        for test in tests:
            row |= {test.coefficient: test.value, **cells_of(test, f"{test.coefficient}_")}
            if test.reason:
                what = "undefined" if test.value is None else "not tested"
                notes.append(f"{what}: {in_titles(test.reason, [metric])}")
            if interval := test.interval:
                row |= {f"{test.coefficient}_low": interval.low, f"{test.coefficient}_high": interval.high}
                if interval.reason not in {"", test.reason, everywhere}:
                    notes.append(f"no interval of {TITLES[test.coefficient]}: {in_titles(interval.reason, [metric])}")
                notes += [note for note in interval.notes if note not in shared]
        if tests[0].excluded:
            notes.append(f"left out: {', '.join(tests[0].excluded)}")
        if tests[0].flag:
            notes.append(tests[0].flag)
        rows.append(row | {"notes": "; ".join(dict.fromkeys(notes))})
    return rows


def _reason_for_no_interval(correlations: Sequence[CorrelationOfMetric]) -> str:
    """The reason why no row has an interval; empty if it is not the same for all."""
    reasons = {row.interval.reason if row.interval else "" for row in correlations}
    return reasons.pop() if len(reasons) == 1 else ""


def _about_intervals(correlations: Sequence[CorrelationOfMetric], parameters: PreferenceCorrelation) -> list[str]:
    intervals = [row.interval for row in correlations if row.interval]
    if not intervals:
        return []
    if reason := _reason_for_no_interval(correlations):
        return [f"There are no intervals: {reason}."]
    interval = next((interval for interval in intervals if not interval.reason), intervals[0])
    lead = f"From, to: {100 * parameters.level:g}%"
    over = listed(parameters.over)
    if parameters.interval == "jackknife":
        return [
            f"{lead} intervals of the tested correlation, by Fisher’s z, with the jackknife error of leaving out each "
            f"of the {interval.units} {interval.over[0]} in turn.",
            TWO_QUESTIONS.format(listed(interval.over)),
        ]
    if parameters.interval == "bca by methods":
        return [
            f"{lead} bootstrap intervals (BCa) over {over}, {parameters.resamples:,} resamples; systems that change "
            f"places together are also drawn together ({interval.units} units).",
            TWO_QUESTIONS.format(over),
        ]
    method = {"bca": "BCa", "percentile": "percentile"}[parameters.interval]
    notes = [
        f"{lead} bootstrap intervals ({method}) over {over}, {parameters.resamples:,} resamples.",
        TWO_QUESTIONS.format(over),
    ]
    fewest = min(row.n for row in correlations)
    if "systems" in parameters.over and fewest < FEW_SYSTEMS:
        notes.append(
            f"{fewest} systems are few: their interval can exclude 0 although no order of them has a small p, and it "
            "says little about other systems."
        )
    if any(row.statistic != "overall" for row in correlations):
        notes.append(
            "These intervals are of the overall correlation, not of the tested one, and treat systems as independent."
        )
    return notes


def _holding(
    metrics: Sequence[DescribedMetric], correlations: Sequence[CorrelationOfMetric], sensitivity: Sequence[Variation]
) -> Table:
    """By the first coefficient: one row per metric and kind of variation, with the lowest and the highest result."""
    coefficient = correlations[0].coefficient
    answers = {row.metric: row for row in correlations if row.coefficient == coefficient}
    rows: list[Row] = []
    for metric in metrics:
        answer = answers[metric.name]
        for kind in get_args(VariationKind):
            variations = [variation for variation in sensitivity if variation.kind == kind]
            varied = varied_correlations(variations, metric.name, coefficient)
            if not varied:
                continue
            by_value = sorted(varied, key=lambda pair: pair[1].value or 0.0)
            by_p = sorted(
                (pair for pair in varied if pair[1].p_value is not None), key=lambda pair: pair[1].p_value or 0
            )
            rows.append(
                {
                    "metric": metric.title,
                    "kind": KINDS[kind],
                    "value": answer.value,
                    "p_value": answer.p_value,
                    "lowest": by_value[0][1].value,
                    "highest": by_value[-1][1].value,
                    "lowest_by": by_value[0][0].name,
                    "highest_by": by_value[-1][0].name,
                    "lowest_p": by_p[0][1].p_value if by_p else None,
                    "highest_p": by_p[-1][1].p_value if by_p else None,
                    "highest_p_by": by_p[-1][0].name if by_p else "",
                    "holds": _holds(answer, [row for _, row in varied]),
                }
            )
    return table(
        "holding",
        f"Does the answer hold? {TITLES[coefficient]} with one thing changed",
        [
            column("metric", "Metric"),
            column("kind", "What is changed"),
            column("value", "Answer"),
            column("p_value", "p", kind="p"),
            column("lowest", "from", group="Correlation"),
            column("highest", "to", group="Correlation"),
            column("lowest_by", "lowest with", group="Correlation", detail=True),
            column("highest_by", "highest with", group="Correlation", detail=True),
            column("lowest_p", "from", group="p", kind="p"),
            column("highest_p", "to", group="p", kind="p"),
            column("highest_p_by", "highest with", group="p", detail=True),
            column("holds", f"Same sign and same side of {ALPHA:g}"),
        ],
        rows,
        notes=[
            "Each row changes one thing, keeps everything else, and shows the lowest and the highest result. "
            "With systems left out, a test has less to go on, so a larger p-value alone does not contradict the "
            "answer.",
            "Other units are exchanged only if such a test could reject at all. The correlation over all systems "
            "and the one within models answer different questions.",
            "The p-values here come from fewer permutations (at most 8,192); the result gives their Monte Carlo error. "
            "Leaving out single systems is not tested.",
        ],
    )


def _holds(answer: CorrelationOfMetric, varied: Sequence[VariedCorrelation]) -> str:
    """Whether it holds, in words; without tests, whether the sign stays the same."""
    if answer.value is None:
        return "–"
    if any(row.changes_sign(answer) for row in varied):
        return "no: the sign changes"
    if answer.p_value is None or all(row.p_value is None for row in varied):
        return "the sign stays"
    return "no: p crosses 0.05" if any(row.changes_decision(answer) for row in varied) else "yes"


def _differences(metrics: Sequence[DescribedMetric], comparisons: Sequence[DifferenceOfMetrics]) -> Table:
    """One row per pair of metrics and coefficient: the difference of their correlations, and its tests.

    If there is one, the test that takes the unit of analysis into account comes first, and Williams’ beside it.
    """
    titles = {metric.name: metric.title for metric in metrics}
    notes = ["Two-sided; Holm’s correction is over the pairs of one coefficient."]
    if any(row.notes for row in comparisons):
        notes.append("Williams’ test is derived for Pearson’s r; for ranks it is approximate.")
    if turned := ", ".join(metric.title for metric in metrics if metric.orientation == "lower"):
        notes.append(f"Lower values are better, so the sign is reversed: {turned}.")
    if about := next((row.by_units for row in comparisons if row.by_units), None):
        columns = _columns_by_units(about)
        notes = [_test_by_units(about), *notes, AS_PUBLISHED]
    else:
        columns = columns_of(DifferenceOfMetrics, ["t", "p_value", "p_value_holm"], group="Williams")
        if any(row.exchanges or row.exchange_reason for row in comparisons):
            exchanges = ["exchange_p", "exchange_error", "exchange_p_holm"]
            columns += columns_of(DifferenceOfMetrics, exchanges, group="Exchanging values")
    return table_of(
        "comparisons",
        "Differences between the metrics’ correlations",
        DifferenceOfMetrics,
        [
            (
                *([row.by_units] if row.by_units else []),
                row,
                {"first_metric": titles[row.first], "second_metric": titles[row.second], "notes": _notes(row)},
            )
            for row in comparisons
            if row.by_units or not about
        ],
        [
            *("first_metric", "second_metric", "coefficient", "n", "first_value", "second_value", "difference"),
            *columns,
            column("notes", "Notes"),
        ],
        notes=notes,
    )


def _columns_by_units(about: ComparisonByUnits) -> list[Column]:
    is_jackknife = about.test == "jackknife"
    keys = ["unit_p", "unit_p_holm", "unit_low", "unit_high", *([] if is_jackknife else ["unit_p_error"])]
    group = f"Leaving out {about.left_out}" if is_jackknife else f"Exchanging {about.left_out}"
    return [
        *columns_of(ComparisonByUnits, keys, group=group),
        *columns_of(DifferenceOfMetrics, ["p_value", "p_value_holm"], group="Williams, as published", detail=True),
    ]


def _test_by_units(about: ComparisonByUnits) -> str:
    correlations = "over all systems" if about.statistic == "overall" else about.statistic
    return f"The difference of the correlations {correlations}, " + (
        f"with the jackknife error of leaving out each of the {about.units} {about.left_out} in turn."
        if about.test == "jackknife"
        else f"against exchanging the two metrics’ values of whole {about.left_out} ({about.units})."
    )


def _notes(row: DifferenceOfMetrics) -> str:
    """Why the test by units, or else the other tests, are undefined, and which systems are left out."""
    reasons = [row.by_units.reason] if row.by_units else [row.reason, row.exchange_reason]
    notes = [f"undefined: {reason}" for reason in dict.fromkeys(reasons) if reason]
    return "; ".join([*notes, *([f"left out: {', '.join(row.excluded)}"] if row.excluded else [])])
