"""The table of machines that give numbers."""

from __future__ import annotations

from metaeval.analyses.base.result import COEFFICIENT_TITLES
from metaeval.analyses.base.table import Table, column, table
from metaeval.analyses.uncertainty.partition_columns import partition_columns, placed
from metaeval.analyses.uncertainty.result import UncertaintyFindings
from metaeval.stats import COEFFICIENTS

NOTES = {
    "ordinal": "Value of a machine: its expected value, the sum of point × probability (the mean over "
    "its systems). It is compared with the point that is people’s median.",
    "nominal": "Value of a metric: by how much “{first}” is closer than “{second}”. It is compared with "
    "people’s majority: {second} < {both}, {neither} < {first}.",
}


def continuous_table(found: UncertaintyFindings, level: float) -> Table:
    """Correlations of machines' numbers with people's typical labels, one row per machine and partition."""
    interval, group = f"{100 * level:g}%", "Correlation of values with people’s labels"
    note = NOTES[found.scale]
    if found.scale == "nominal":
        note = note.format(**dict(zip(("first", "second", "both", "neither"), found.labels, strict=True)))
    return table(
        "continuous",
        "Values of machines and people’s labels, by how far people agree",
        [
            *partition_columns(),
            *(column(name, COEFFICIENT_TITLES[name], group=group) for name in COEFFICIENTS),
            column("low", f"{interval} low", group="Spearman’s interval"),
            column("high", f"{interval} high", group="Spearman’s interval"),
            column("notes", "Notes"),
        ],
        [
            {
                **placed(row),
                "machine": row.machine,
                **{name: getattr(row, name) for name in COEFFICIENTS},
                "low": row.interval.low,
                "high": row.interval.high,
                "notes": f"undefined: {row.reason or row.interval.reason}" if row.interval.reason else "",
            }
            for row in found.continuous
        ],
        notes=[note, ("If people agree on only a few labels, there is little variation to correlate with.")],
    )
