"""How often a table of equally good systems is split into clusters by the published rule of LeWiDi."""

from __future__ import annotations

import numpy as np

from metaeval.sampling import stream
from metaeval.stats import wilcoxon_clusters as clusters_of
from metaeval.validity.sections import Effort, ValidityTable, share, validity_section

ITEMS = 200
SYSTEMS = (2, 3, 6, 10)
ALIKE = (0.0, 0.8)


@validity_section(
    place=50,
    title="Clusters of a leaderboard",
    about=f"""
Systems that are equally good, {ITEMS} items each with normal scores that correlate between systems (0 or .8, since
the items are the same): in how many tables the rule of LeWiDi-2025 (sorted by mean; Wilcoxon's test of each against
the best of its cluster, p < .05) opens a second cluster.
""",
    finding="""
With two systems the rule is a test at 5%. With more, the best one is best by chance, everyone is compared with it, and
of tables with six systems that are all alike more than a third are split. That belongs to the rule as published: a new
cluster is no proof of a difference.
""",
)
def wilcoxon_clusters(effort: Effort) -> list[ValidityTable]:
    rows = []
    for systems in SYSTEMS:
        cells = []
        for place, alike in enumerate(ALIKE):
            root = np.random.SeedSequence([effort.seed, 50, systems, place])
            split = sum(_is_split(systems, alike, stream(root, at)) for at in range(effort.simulations))
            cells.append(share(split, effort.simulations))
        rows.append([f"{systems} systems", *cells])
    columns = ("all alike", *(f"scores correlate at {alike:g}" for alike in ALIKE))
    return [ValidityTable(columns, rows)]


def _is_split(systems: int, alike: float, source: np.random.SeedSequence) -> bool:
    rng = np.random.default_rng(source)
    own, shared = rng.normal(size=(systems, ITEMS)), rng.normal(size=ITEMS)
    scores = np.sqrt(alike) * shared + np.sqrt(1 - alike) * own
    return clusters_of({str(row): values for row, values in enumerate(scores)})[-1].cluster > 1
