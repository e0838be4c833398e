"""The rules by which results are computed, and what was corrected in them since earlier results were stored.

A result states the version of the rules by which it was computed; results that state none are of version 1. A result of
earlier rules that is computed again must be equal, except for what a `Correction` declares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from metaeval.analyses.inputs.parts import Json

RULES = 4
"""The version of the rules. Raised at most once per release, when `CORRECTIONS` gets an entry for the next version."""


EVERY = "*"
"""Used in place of an analysis for corrections of all analyses."""


def _any_result(_: Json) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Correction:
    """What one corrected rule changes in results stored before it."""

    analysis: str
    """Its name in the registry, or `EVERY`."""
    paths: tuple[str, ...]
    """The parts of the result that may differ, with everything in them: `correlations[*].p_value`, where `[*]` is any
    place of a list and `*` any one name. Parts with names are addressed by them: `notes`, `exclusions`,
    `tables.correlations.rows[*].p_value`."""
    why: str
    """What was wrong and what is right, as a sentence for people who verify a published bundle."""
    since: int = RULES
    """The first version of the rules that is correct: the correction concerns results of earlier ones."""
    concerns: Callable[[Json], bool] = _any_result
    """Which stored results it can change, if this can be told from what they state, such as their parameters."""

    def is_about(self, analysis: str) -> bool:
        """Whether it concerns results of that analysis."""
        return self.analysis in (analysis, EVERY)

    def allows(self, path: str) -> bool:
        """Whether this place of the result may differ."""
        return any(_pattern(pattern).match(path) for pattern in self.paths)


@cache
def _pattern(path: str) -> re.Pattern[str]:
    words = re.escape(path).replace(r"\[\*\]", r"\[\d+\]").replace(r"\*", r"[^.\[\]]+")
    return re.compile(rf"{words}(?=$|[.\[])")


TIES = (
    "Values that are equal but for what rounding leaves in the last digit were taken for different ones where ranks "
    "are given; now they are tied."
)

DIVERGENCE = (
    "The Kullback-Leibler divergence was the difference of two entropies, cut off at 0; now it is the mean of its "
    "items, each from the ratios of the shares."
)


ONE_JUDGEMENT = (
    "Percentage agreement counted an item with one judgement as 0, though one person neither agrees nor disagrees; now "
    "it is left out and counted."
)
REASONS = (
    "Where there was no item at all, or nobody else who judged one, the reason said that no item has two annotations; "
    "now it says what is so."
)


def _with_divergence(result: Json) -> bool:
    return "kl_divergence" in json.dumps(result["parameters"])


WORDS = "Titles, notes and names are said in other words; what is said of the numbers is the same."
WORDED = ("title", "description", "notes", "tables.*.title", "tables.*.notes", "tables.*.columns.*.title")
"""The parts of every result that are words."""


CORRECTIONS: tuple[Correction, ...] = (
    Correction(
        since=2,
        analysis="leaderboard",
        paths=("boards[*].systems", "boards[*].standings[*].systems", "tables.*.rows", "tables.*.notes", "notes"),
        why=f"{TIES} Besides, a baseline without a score was scored as the other one.",
    ),
    Correction(since=2, analysis="uncertainty", paths=("strata[*].correlations", "tables.correlations.rows"), why=TIES),
    Correction(
        since=2,
        analysis="uncertainty",
        paths=(
            "strata[*].percentage",
            "people_strata[*].rows[*].percentage",
            "tables.stratified.rows",
            "tables.people.rows",
        ),
        why=ONE_JUDGEMENT,
    ),
    Correction(
        since=2,
        analysis="agreement",
        paths=(
            "judged[*].measures[*].reason",
            "judged[*].partitions[*].reason",
            "tables.measures.rows[*].notes",
            "tables.partitions.rows[*].notes",
        ),
        why=REASONS,
    ),
    Correction(
        since=2, analysis="uncertainty", paths=("strata[*].*.reasons", "strata[*].*.difference_reason"), why=REASONS
    ),
    Correction(since=2, analysis="study_quality", paths=("agreement", "tables.agreement.rows[*].notes"), why=REASONS),
    Correction(
        since=2,
        analysis="preference_correlation",
        paths=(
            "systems[*].fraction",
            "correlations",
            "comparisons",
            "lines",
            "tables.correlations.rows",
            "tables.comparisons.rows",
        ),
        why=(
            "Fractions that are means over comparisons were added up as floating-point numbers, so that equal ones "
            "ended in different digits and ranks took them for different; now they are worked out in whole numbers."
        ),
        concerns=lambda stored: stored["parameters"].get("average") == "comparisons",
    ),
    *(
        Correction(
            since=2, analysis=analysis, paths=(*paths, "tables.*.rows"), why=DIVERGENCE, concerns=_with_divergence
        )
        for analysis, paths in {
            "system_scores": ("systems[*].metrics.kl_divergence", "groups[*].metrics.kl_divergence"),
            "preference_correlation": (
                "systems[*].metrics.kl_divergence",
                "lines.kl_divergence",
                "correlations",
                "comparisons",
            ),
            "metric_relationship": ("settings[*].relations", "points"),
            "human_calibration": ("entries", "groups"),
        }.items()
    ),
    Correction(
        since=2,
        analysis="method_ranking",
        paths=("rankings[*].systems[*].interval", "tables.*.rows"),
        why="Intervals of preference fractions left [0, 1]; they are Wilson's now, with the same spread.",
    ),
    # These two come last, so that what a rule explains is not attributed to wording.
    *(
        Correction(since=3, analysis=analysis, paths=paths, why=WORDS)
        for analysis, paths in {
            EVERY: WORDED,
            "agreement": ("judged[*].partitions[*].partition", "tables.partitions.rows[*].partition"),
            "preference_correlation": ("tables.*.rows[*].notes",),
            "power": ("cells[*].reason", "observed.reason", "tables.*.rows[*].notes"),
            "uncertainty": ("*[*].partition", "*[*].rows[*].partition", "tables.*.rows[*].partition"),
            "uncertainty_simulation": ("machines[*].name", "tables.*.rows[*].machine"),
        }.items()
    ),
    *(
        Correction(since=4, analysis=analysis, paths=paths, why=WORDS)
        for analysis, paths in {
            EVERY: WORDED,
            "human_calibration": ("entries[*].reason", "tables.*.rows[*].notes"),
            "leaderboard": ("tables.*.rows[*].notes",),
            "power": ("unit.warning", "observed.unit.warning", "tables.assumptions.rows[*].name"),
            "preference_correlation": (
                "unit.cannot_reject",
                "unit.few",
                "unit.beside",
                "systems[*].reason",
                "correlations[*].flag",
                "tables.*.rows[*].notes",
            ),
            "study_quality": (
                "agreement[*].reason",
                "groups[*].reason",
                "leak.reason",
                "measures[*].notes",
                "measures[*].reason",
                "measures[*].title",
                "times[*].reason",
                "tables.measures.rows[*].title",
                "tables.*.rows[*].notes",
            ),
            "system_scores": ("ranks[*].reason", "tables.*.rows[*].notes"),
            "uncertainty_simulation": ("tables.*.rows[*].notes",),
        }.items()
    ),
)
"""Everything that was corrected, by analysis."""
