"""The table of correlations that the field publishes, and the table of the metrics' differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metaeval.analyses.base.tables import Kind, column, table
from metaeval.analyses.preference_correlation.parameters import PreferenceCorrelation
from metaeval.stats import Coefficient

SYMBOLS: dict[Coefficient, str] = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b"}
TESTS: tuple[tuple[str, str, str, Kind], ...] = (
    ("p_value", "_p", "p", "p"),
    ("p_error", "_p_error", "± (Monte Carlo)", ""),
    ("p_holm", "_p_holm", "p Holm", "p"),
    ("p_bh", "_p_bh", "p BH", "p"),
    ("p_family", "_p_max_t", "p max-T", "p"),
)
DETAILS = {"p_error"}


def correlation_table(
    metrics: Sequence[dict[str, Any]], correlations: Sequence[dict[str, Any]], parameters: PreferenceCorrelation
) -> dict[str, Any]:
    """A row a metric; for each coefficient its value, interval and p-values, and how many systems stand behind it.

    An undefined value is null, and the row's `notes` say why and which systems were left out.
    """
    columns = [column("metric", "Metric"), column("n", "Systems")]
    for coefficient in parameters.coefficients:
        symbol = SYMBOLS[coefficient]
        columns.append(column(coefficient, symbol, group=symbol))
        if parameters.resamples:
            columns += [
                column(f"{coefficient}_low", "from", group=symbol),
                column(f"{coefficient}_high", "to", group=symbol),
            ]
        columns += [
            column(f"{coefficient}{suffix}", title, group=symbol, detail=field in DETAILS, kind=kind)
            for field, suffix, title, kind in TESTS
        ]
    columns.append(column("notes", "Notes"))
    by_metric = {(row["metric"], row["coefficient"]): row for row in correlations}
    rows = [
        _row(metric, [by_metric[metric["name"], name] for name in parameters.coefficients], shared_notes(correlations))
        for metric in metrics
    ]
    return table(
        "correlations",
        "Correlation of each metric with the experts’ preference, over systems",
        columns,
        rows,
        notes=[_about_intervals(parameters), *shared_notes(correlations)] if parameters.resamples else [],
    )


def comparison_table(
    metrics: Sequence[dict[str, Any]], comparisons: Sequence[dict[str, Any]], *, turned: Sequence[str]
) -> dict[str, Any]:
    """A row for every two metrics and coefficient: the difference of their correlations, and its tests."""
    titles = {metric["name"]: metric["title"] for metric in metrics}
    exchanged = any(row["exchanges"] or row["exchange_reason"] for row in comparisons)
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
    if exchanged:
        columns += [
            column("exchange_p", "p", group="Exchanging values", kind="p"),
            column("exchange_error", "± (Monte Carlo)", group="Exchanging values", detail=True),
            column("exchange_p_holm", "p Holm", group="Exchanging values", kind="p"),
        ]
    columns.append(column("notes", "Notes"))
    rows = [
        row
        | {
            "first_metric": titles[row["first"]],
            "second_metric": titles[row["second"]],
            "coefficient": SYMBOLS[row["coefficient"]],
            "notes": _comparison_notes(row),
        }
        for row in comparisons
    ]
    notes = ["Two-sided; Holm’s correction is over the pairs of one coefficient."]
    if any(row["notes"] for row in comparisons):
        notes.append("Williams’ test is derived for Pearson’s r; of ranks it is approximate.")
    if turned:
        names = ", ".join(titles[name] for name in turned)
        notes.append(f"Lower values are better, so the sign is turned round: {names}.")
    return table("comparisons", "Differences between the metrics’ correlations", columns, rows, notes=notes)


def shared_notes(correlations: Sequence[dict[str, Any]]) -> list[str]:
    """What is to be said of every interval alike."""
    notes = [row["interval"]["notes"] for row in correlations if row["interval"]]
    return [note for note in notes[0] if all(note in others for others in notes)] if notes else []


def _about_intervals(parameters: PreferenceCorrelation) -> str:
    *others, last = parameters.over
    words = f"{', '.join(others)} and {last}" if others else last
    method = {"bca": "BCa", "percentile": "percentile"}[parameters.interval]
    return (
        f"From, to: {100 * parameters.level:g} % bootstrap intervals ({method}) over {words}, "
        f"{parameters.resamples:,} resamples."
    )


def _row(metric: dict[str, Any], tests: list[dict[str, Any]], shared: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"metric": metric["title"], "n": tests[0]["n"]}
    notes = []
    for test in tests:
        name = test["coefficient"]
        row |= {name: test["value"]} | {f"{name}{suffix}": test[field] for field, suffix, _, _ in TESTS}
        if test["reason"]:
            notes.append(f"undefined: {test['reason']}")
        if interval := test["interval"]:
            row |= {f"{name}_low": interval["low"], f"{name}_high": interval["high"]}
            if interval["reason"] and interval["reason"] != test["reason"]:
                notes.append(f"no interval of {SYMBOLS[name]}: {interval['reason']}")
            notes += [note for note in interval["notes"] if note not in shared]
    if tests[0]["excluded"]:
        notes.append(f"left out: {', '.join(tests[0]['excluded'])}")
    row["notes"] = "; ".join(dict.fromkeys(notes))
    return row


def _comparison_notes(row: dict[str, Any]) -> str:
    reasons = dict.fromkeys(reason for reason in (row["reason"], row["exchange_reason"]) if reason)
    notes = [f"undefined: {reason}" for reason in reasons]
    if row["excluded"]:
        notes.append(f"left out: {', '.join(row['excluded'])}")
    return "; ".join(notes)
