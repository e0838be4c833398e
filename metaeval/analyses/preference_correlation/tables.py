"""The table of correlations that the field publishes, and the table of the metrics' differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metaeval.analyses.base.result import COEFFICIENT_TITLES, DescribedMetric, in_titles
from metaeval.analyses.base.table import Column, Kind, Row, Table, column, table
from metaeval.analyses.inputs.parts import Number
from metaeval.analyses.preference_correlation.metric_values import NO_BAR
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.questions import CONFOUNDED, Question
from metaeval.analyses.preference_correlation.result import (
    CorrelationOfMetric,
    DifferenceOfMetrics,
    OtherQuestion,
    UnitOfAnalysis,
    Variation,
)
from metaeval.analyses.preference_correlation.tables_of_differences import differences_table
from metaeval.analyses.preference_correlation.tables_of_holding import holding_table
from metaeval.analyses.preference_correlation.unit_of_analysis import FEW_SYSTEMS
from metaeval.stats import Coefficient

TESTS: tuple[tuple[Callable[[CorrelationOfMetric], Number], str, str, Kind], ...] = (
    (lambda row: row.p_value, "_p", "p", "p"),
    (lambda row: row.p_error, "_p_error", "± (Monte Carlo)", ""),
    (lambda row: row.p_holm, "_p_holm", "p Holm", "p"),
    (lambda row: row.p_bh, "_p_bh", "p BH", "p"),
    (lambda row: row.p_family, "_p_max_t", "p max-T", "p"),
)
"""For each column of tests: what it shows, the end of its key, its title and its kind."""
DETAILS = {"_p_error"}
SHOWN_IS = (
    "Shown values are those that a chart draws, for people and systems alike: values that are not above "
    "the threshold are dropped, and the others are rounded to the shares that the text's people can give."
)


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
    beside = [_other(metrics, one, parameters) for one in others]
    holding = [holding_table(metrics, correlations, sensitivity)] if sensitivity else []
    differences = [differences_table(metrics, comparisons)] if comparisons else []
    return [_correlations(metrics, correlations, unit, parameters), *beside, *holding, *differences]


def _other(metrics: Sequence[DescribedMetric], other: OtherQuestion, parameters: PreferenceCorrelation) -> Table:
    question = Question(other.values, other.instances)
    rows = _rows(metrics, other.correlations, parameters.coefficients, [])
    notes = [(f"The same metrics {question.in_words}; corrections are only over the metrics of this table.")]
    if other.values == "shown":
        notes.append(SHOWN_IS)
    if empty := sum(left.count for left in other.exclusions if left.reason == NO_BAR):
        notes.append(f"{empty:,} distributions without a bar on one of the sides are left out.")
    return table(
        f"correlations_{other.values}_{other.instances}",
        f"The same {question.in_words}",
        _columns(parameters.coefficients, other.correlations),
        rows,
        notes=notes,
    )


def shared_notes(correlations: Sequence[CorrelationOfMetric]) -> list[str]:
    """Notes that apply to every interval."""
    notes = [row.interval.notes for row in correlations if row.interval]
    return [note for note in notes[0] if all(note in others for others in notes)] if notes else []


def _correlations(
    metrics: Sequence[DescribedMetric],
    correlations: Sequence[CorrelationOfMetric],
    unit: UnitOfAnalysis,
    parameters: PreferenceCorrelation,
) -> Table:
    """One row per metric: for each coefficient its value, interval and p-values, and the number of systems.

    An undefined value is null, and the row's `notes` say why and which systems were left out.
    """
    shared = shared_notes(correlations)
    notes = [*_about_intervals(correlations, parameters), *shared]
    return table(
        "correlations",
        "Correlation of each metric with the experts’ preference, over systems",
        _columns(parameters.coefficients, correlations),
        _rows(metrics, correlations, parameters.coefficients, shared),
        notes=[*unit.sentences, *_about_question(parameters.question), *notes],
    )


def _about_question(question: Question) -> list[str]:
    words = [f"Metrics were computed {question.in_words}."]
    if question.values == "shown":
        words.append(SHOWN_IS)
    return [*words, CONFOUNDED] if question.is_confounded else words


def _rows(
    metrics: Sequence[DescribedMetric],
    correlations: Sequence[CorrelationOfMetric],
    coefficients: Sequence[Coefficient],
    shared: Sequence[str],
) -> list[Row]:
    by_metric = {(row.metric, row.coefficient): row for row in correlations}
    everywhere = _no_interval_anywhere(correlations)
    return [
        _row(metric, [by_metric[metric.name, name] for name in coefficients], shared, everywhere) for metric in metrics
    ]


def _no_interval_anywhere(correlations: Sequence[CorrelationOfMetric]) -> list[str]:
    """The reason why no row has an interval; empty if it is not the same for all."""
    reasons = {row.interval.reason if row.interval else "" for row in correlations}
    return sorted(reasons) if len(reasons) == 1 and reasons != {""} else []


def _columns(coefficients: Sequence[Coefficient], correlations: Sequence[CorrelationOfMetric]) -> list[Column]:
    columns = [column("metric", "Metric"), column("n", "Systems")]
    for coefficient in coefficients:
        title = COEFFICIENT_TITLES[coefficient]
        rows = [row for row in correlations if row.coefficient == coefficient]
        tested = next((row.statistic for row in rows), "overall")
        columns.append(column(coefficient, title if tested == "overall" else tested, group=title))
        tests = [
            column(f"{coefficient}{suffix}", words, group=title, detail=suffix in DETAILS, kind=kind)
            for _, suffix, words, kind in TESTS
        ]
        columns.append(tests[0])
        if tested != "overall":
            columns.append(column(f"{coefficient}_overall", "overall, not tested", group=title))
        if any(row.interval for row in rows):
            columns += [
                column(f"{coefficient}_low", "from", group=title),
                column(f"{coefficient}_high", "to", group=title),
            ]
        columns += tests[1:]
    return [*columns, column("notes", "Notes")]


def _row(
    metric: DescribedMetric,
    tests: Sequence[CorrelationOfMetric],
    shared: Sequence[str],
    everywhere: Sequence[str],
) -> Row:
    row: Row = {"metric": metric.title, "n": tests[0].n}
    notes = []
    for test in tests:
        name = test.coefficient
        row |= {name: test.value, f"{name}_overall": test.overall}
        row |= {f"{name}{suffix}": shown(test) for shown, suffix, _, _ in TESTS}
        if test.reason:
            what = "undefined" if test.value is None else "not tested"
            notes.append(f"{what}: {in_titles(test.reason, [metric])}")
        if interval := test.interval:
            row |= {f"{name}_low": interval.low, f"{name}_high": interval.high}
            if interval.reason not in {"", test.reason, *everywhere}:
                notes.append(f"no interval of {COEFFICIENT_TITLES[name]}: {in_titles(interval.reason, [metric])}")
            notes += [note for note in interval.notes if note not in shared]
    if tests[0].excluded:
        notes.append(f"left out: {', '.join(tests[0].excluded)}")
    if tests[0].flag:
        notes.append(tests[0].flag)
    row["notes"] = "; ".join(dict.fromkeys(notes))
    return row


def _about_intervals(correlations: Sequence[CorrelationOfMetric], parameters: PreferenceCorrelation) -> list[str]:
    intervals = [row.interval for row in correlations if row.interval]
    if not intervals:
        return []
    if everywhere := _no_interval_anywhere(correlations):
        return [f"There are no intervals: {everywhere[0]}."]
    if parameters.interval == "jackknife":
        left_out = next((one for one in intervals if not one.reason), intervals[0])
        return [
            f"From, to: {100 * parameters.level:g}% intervals of the tested correlation, by Fisher’s z, with the "
            f"jackknife error of leaving out each of the {left_out.units} {left_out.over[0]} in turn.",
            _two_questions(left_out.over),
        ]
    *others, last = parameters.over
    words = f"{', '.join(others)} and {last}" if others else last
    if parameters.interval == "bca by methods":
        drawn = next((one for one in intervals if not one.reason), intervals[0])
        return [
            f"From, to: {100 * parameters.level:g}% bootstrap intervals (BCa) over {words}, {parameters.resamples:,} "
            f"resamples; systems that change places together are also drawn together ({drawn.units} units).",
            _two_questions(parameters.over),
        ]
    method = {"bca": "BCa", "percentile": "percentile"}[parameters.interval]
    told = (
        f"From, to: {100 * parameters.level:g}% bootstrap intervals ({method}) over {words}, "
        f"{parameters.resamples:,} resamples."
    )
    notes = [told, _two_questions(parameters.over)]
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


def _two_questions(over: Sequence[str]) -> str:
    """Why an interval can contain 0 although p is small: it is wider than p suggests."""
    *others, last = over
    words = f"{', '.join(others)} and {last}" if others else last
    return (
        "p and the interval answer two questions. p asks whether chance alone could have put these systems in such an "
        f"order; the interval asks what other {words} would show. So the interval can be wider than p suggests, and "
        "can include 0 although p is small."
    )
