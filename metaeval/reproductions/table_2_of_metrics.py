"""How metrics relate (Kurniawan et al. 2026, Table 2): simulations, so equal only within their sampling error."""

from __future__ import annotations

import math

from metaeval.analyses.inputs.gathering import Subject
from metaeval.reproductions.bench import Bench
from metaeval.reproductions.figures import PublishedFigure, reproduction

PAIRS = 500
"""The number of pairs, as in the paper."""

LETTERS = {"A": "accuracy", "J": "po_jsd", "E": "entropy_correlation", "S": "soft_accuracy"}
NAMES = {"A": "accuracy", "J": "PO-JSD", "E": "entropy correlation", "S": "soft accuracy"}


@reproduction(
    title="How metrics relate to one another",
    source="Kurniawan et al. (2026), Table 2",
    files=[],
    analysis="metric_relationship",
    golden="metric_relationship.json",
    note="Simulated on both sides, with 500 pairs of datasets each: what agrees lies within 3 standard errors of the "
    "difference, and is not expected to be equal. Distances are in standard errors.",
)
def table_2_of_metrics(bench: Bench) -> list[PublishedFigure]:
    result = bench.result(Subject.nothing(), "metric_relationship", pairs=PAIRS)
    found = {
        (setting["alpha"], setting["beta"], setting["labels"], frozenset((row["a"], row["b"]))): row["value"]
        for setting in result["settings"]
        for row in setting["relations"]
    }
    figures = []
    for row in bench.golden("metric_relationship.json")["rows"]:
        one, other = row["pair"].split("-")
        ours = found[row["alpha"], row["beta"], row["K"], frozenset((LETTERS[one], LETTERS[other]))]
        error = max(1 - ours**2, 1e-12) * math.sqrt(2 / PAIRS) + 0.005  # plus the rounding to two digits
        distance = (ours - row["published"]) / error
        figures.append(
            PublishedFigure(
                what=f"α = {row['alpha']:g}, β = {row['beta']:g}, K = {row['K']}: {NAMES[one]}, {NAMES[other]}",
                where="Table 2",
                published=f"{row['published']:.2f}",
                ours=ours,
                agrees=abs(distance) <= 3,
                why=f"another sample: {abs(distance):.1f} standard errors",
            )
        )
    return figures
