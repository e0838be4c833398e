"""The table of correlations that the field publishes, and the table of the metrics' differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metaeval.analyses.base.coefficients import TITLES
from metaeval.analyses.base.measured import DescribedMetric
from metaeval.analyses.base.table import Column, Kind, Row, Table, column, table
from metaeval.analyses.inputs.parts import Number
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.analyses.preference_correlation.result import CorrelationOfMetric, DifferenceOfMetrics

TESTS: tuple[tuple[Callable[[CorrelationOfMetric], Number], str, str, Kind], ...] = (
    (lambda row: row.p_value, "_p", "p", "p"),
    (lambda row: row.p_error, "_p_error", "± (Monte Carlo)", ""),
    (lambda row: row.p_holm, "_p_holm", "p Holm", "p"),
    (lambda row: row.p_bh, "_p_bh", "p BH", "p"),
    (lambda row: row.p_family, "_p_max_t", "p max-T", "p"),
)
"""For each column of tests what it shows, the end of its key, its title and its kind."""
DETAILS = {"_p_error"}


def tables_of(
    metrics: Sequence[DescribedMetric],
    correlations: Sequence[CorrelationOfMetric],
    comparisons: Sequence[DifferenceOfMetrics],
    parameters: PreferenceCorrelation,
) -> list[Table]:
    """The correlations and, where there are two metrics, their differences."""
    differences = [_differences(metrics, comparisons)] if comparisons else []
    return [_correlations(metrics, correlations, parameters), *differences]


def shared_notes(correlations: Sequence[CorrelationOfMetric]) -> list[str]:
    """What is to be said of every interval alike."""
    notes = [row.interval.notes for row in correlations if row.interval]
    return [note for note in notes[0] if all(note in others for others in notes)] if notes else []


def _correlations(
    metrics: Sequence[DescribedMetric], correlations: Sequence[CorrelationOfMetric], parameters: PreferenceCorrelation
) -> Table:
    """A row a metric; for each coefficient its value, interval and p-values, and how many systems stand behind it.

    An undefined value is null, and the row's `notes` say why and which systems were left out.
    """
    by_metric = {(row.metric, row.coefficient): row for row in correlations}
    shared = shared_notes(correlations)
    return table(
        "correlations",
        "Correlation of each metric with the experts’ preference, over systems",
        _columns(parameters),
        [
            _row(metric, [by_metric[metric.name, name] for name in parameters.coefficients], shared)
            for metric in metrics
        ],
        notes=[_about_intervals(parameters), *shared] if parameters.resamples else [],
    )


def _columns(parameters: PreferenceCorrelation) -> list[Column]:
    columns = [column("metric", "Metric"), column("n", "Systems")]
    for coefficient in parameters.coefficients:
        title = TITLES[coefficient]
        columns.append(column(coefficient, title, group=title))
        if parameters.resamples:
            columns += [
                column(f"{coefficient}_low", "from", group=title),
                column(f"{coefficient}_high", "to", group=title),
            ]
        columns += [
            column(f"{coefficient}{suffix}", words, group=title, detail=suffix in DETAILS, kind=kind)
            for _, suffix, words, kind in TESTS
        ]
    return [*columns, column("notes", "Notes")]


def _row(metric: DescribedMetric, tests: Sequence[CorrelationOfMetric], shared: Sequence[str]) -> Row:
    row: Row = {"metric": metric.title, "n": tests[0].n}
    notes = []
    for test in tests:
        name = test.coefficient
        row |= {name: test.value} | {f"{name}{suffix}": shown(test) for shown, suffix, _, _ in TESTS}
        if test.reason:
            notes.append(f"undefined: {test.reason}")
        if interval := test.interval:
            row |= {f"{name}_low": interval.low, f"{name}_high": interval.high}
            if interval.reason and interval.reason != test.reason:
                notes.append(f"no interval of {TITLES[name]}: {interval.reason}")
            notes += [note for note in interval.notes if note not in shared]
    if tests[0].excluded:
        notes.append(f"left out: {', '.join(tests[0].excluded)}")
    row["notes"] = "; ".join(dict.fromkeys(notes))
    return row


def _about_intervals(parameters: PreferenceCorrelation) -> str:
    *others, last = parameters.over
    words = f"{', '.join(others)} and {last}" if others else last
    method = {"bca": "BCa", "percentile": "percentile"}[parameters.interval]
    return (
        f"From, to: {100 * parameters.level:g} % bootstrap intervals ({method}) over {words}, "
        f"{parameters.resamples:,} resamples."
    )


def _differences(metrics: Sequence[DescribedMetric], comparisons: Sequence[DifferenceOfMetrics]) -> Table:
    """A row for every two metrics and coefficient: the difference of their correlations, and its tests."""
    titles = {metric.name: metric.title for metric in metrics}
    columns = [
        column("first_metric", "Metric"),
        column("second_metric", "compared with"),
        column("coefficient", "Coefficient"),
        column("n", "Systems"),
        column("first_value", "of the first"),
        column("second_value", "of the second"),
        column("difference", "Difference"),
        column("t", "t", group="Williams", detail=True),
        column("p_value", "p", group="Williams", kind="p"),
        column("p_value_holm", "p Holm", group="Williams", kind="p"),
    ]
    if any(row.exchanges or row.exchange_reason for row in comparisons):
        columns += [
            column("exchange_p", "p", group="Exchanging values", kind="p"),
            column("exchange_error", "± (Monte Carlo)", group="Exchanging values", detail=True),
            column("exchange_p_holm", "p Holm", group="Exchanging values", kind="p"),
        ]
    columns.append(column("notes", "Notes"))
    rows = [
        row.plain()
        | {
            "first_metric": titles[row.first],
            "second_metric": titles[row.second],
            "coefficient": TITLES[row.coefficient],
            "notes": _why_undefined(row),
        }
        for row in comparisons
    ]
    notes = ["Two-sided; Holm’s correction is over the pairs of one coefficient."]
    if any(row.notes for row in comparisons):
        notes.append("Williams’ test is derived for Pearson’s r; of ranks it is approximate.")
    if turned := ", ".join(metric.title for metric in metrics if metric.orientation == "lower"):
        notes.append(f"Lower values are better, so the sign is turned round: {turned}.")
    return table("comparisons", "Differences between the metrics’ correlations", columns, rows, notes=notes)


def _why_undefined(row: DifferenceOfMetrics) -> str:
    reasons = dict.fromkeys(reason for reason in (row.reason, row.exchange_reason) if reason)
    notes = [f"undefined: {reason}" for reason in reasons]
    if row.excluded:
        notes.append(f"left out: {', '.join(row.excluded)}")
    return "; ".join(notes)
