"""The results that a report shows, in the order of a paper, and which of them the study is about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from metaeval.analyses.base.registry import Analysis, UnreadableResult, analyses
from metaeval.analyses.base.table import Table
from metaeval.documents.report import methods
from metaeval.documents.report.blocks import Paragraph
from metaeval.figures.sizes import SIZES
from metaeval.jobs.files import figure_of, tables_of
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.planning import meant
from metaeval.jobs.runs import result_of

if TYPE_CHECKING:
    from altair.typing import ChartType as Chart

ORDER = (
    "system_scores",
    "method_ranking",
    "preference_correlation",
    "agreement",
    "uncertainty",
    "human_calibration",
    "leaderboard",
    "power",
    "study_quality",
)
"""In the order of Kurniawan et al., then how people agree, and the study itself. Others follow by name."""

ASIDE = frozenset({"metric_relationship", "uncertainty_simulation"})
"""Analyses that need no expert of the study are put in the appendix, unless they were planned."""

ABOUT = ("preference_correlation", "method_ranking", "system_scores")
"""What a study is about if no planned analysis was computed: the first of these that was."""

MAIN_TABLE = {"system_scores": "ranks"}
"""The table that the body shows, if it is not the first one."""


@dataclass(frozen=True)
class ReportedResult:
    """A result with the words about it."""

    run: AnalysisRun
    analysis: Analysis
    result: dict[str, Any]
    tables: Sequence[Table]
    is_stale: bool
    differs_in: str = ""
    """What distinguishes it from other results of the same analysis, in words."""
    unreadable: str = ""
    """Why this version of the program cannot draw it or say it in a sentence."""
    place: int = 0
    """Its position among all results."""

    @property
    def anchor(self) -> str:
        return f"result-{self.place + 1}"

    @property
    def number(self) -> str:
        """The number of its section; what experts chose comes before all results."""
        return "" if self.is_aside else f"3.{self.place + 2}"

    @property
    def section(self) -> str:
        """Its section, as named in a sentence."""
        return f"section {self.number}" if self.number else "the appendix"

    @property
    def is_aside(self) -> bool:
        return self.analysis.name in ASIDE and not self.is_planned

    @property
    def question(self) -> str:
        asked = self.analysis.words.question
        return f"{asked} ({self.differs_in})" if self.differs_in else asked

    @property
    def is_planned(self) -> bool:
        return bool((self.result.get("plan") or {}).get("status") == "planned")

    @property
    def standing(self) -> str:
        return "planned" if self.is_planned else "exploratory"

    @property
    def answer(self) -> str:
        return self.unreadable or self.analysis.answer(self.result)

    def answered(self, *, lead: str = "") -> list[Paragraph]:
        """The answer's headline, and its details as a separate paragraph."""
        headline, _, details = self.answer.partition("\n")
        return [Paragraph(headline, "answer", lead=lead), *([Paragraph(details)] if details else [])]

    @property
    def main_table(self) -> Table | None:
        named = MAIN_TABLE.get(self.analysis.name)
        return next((table for table in self.tables if table.name == named), self.tables[0] if self.tables else None)

    def figure_names(self) -> list[str]:
        """Its figures, without their variants, which are on the result's page."""
        return [] if self.unreadable else [name for name in self.run.figures if "-" not in name]

    def chart(self, name: str, *, columns: int = 2, height: int | None = None) -> Chart:
        """A figure as wide as one or two columns; if its height is limited, it shows what fits and says so."""
        size = SIZES["two" if columns == 2 else "one"]
        return figure_of(self.run, name, size=replace(size, height=height) if height else size)

    def chart_of_answer(self, name: str) -> Chart:
        """A figure with only the first coefficient, which the answer is about."""
        parts = {key: _of_first_coefficient(part) for key, part in self.result.items()}
        return self.analysis.draw(name, parts, size="two")


def _of_first_coefficient(part: Any) -> Any:
    """The rows of a result's part that are about the first coefficient, if it has rows for several."""
    rows = part if isinstance(part, list) else []
    names = [row["coefficient"] for row in rows if isinstance(row, dict) and "coefficient" in row]
    return [row for row in rows if row["coefficient"] == names[0]] if names and len(names) == len(rows) else part


def entries_of(runs: Sequence[AnalysisRun], today: Collection[str]) -> list[ReportedResult]:
    """Every run as an entry, in order; `today` has the fingerprints of the current data.

    Runs of an analysis that is not installed cannot be put into words and are left out.
    """
    known = [run for run in runs if run.analysis in analyses.names()]
    ordered = sorted(known, key=lambda run: (_rank(run.analysis), run.analysis, run.created_at))
    found = sorted((_entry(run, known, today) for run in ordered), key=lambda entry: entry.is_aside)
    return [replace(entry, place=place) for place, entry in enumerate(found)]


def _rank(analysis: str) -> int:
    return ORDER.index(analysis) if analysis in ORDER else len(ORDER)


def _entry(run: AnalysisRun, runs: Sequence[AnalysisRun], today: Collection[str]) -> ReportedResult:
    analysis, result = analyses.get(run.analysis), result_of(run)
    try:
        analysis.read(result)
        unreadable = ""
    except UnreadableResult as error:
        unreadable = error.message
    is_stale = run.fingerprint not in today
    return ReportedResult(run, analysis, result, tables_of(run), is_stale, _difference(run, runs), unreadable)


def _difference(run: AnalysisRun, runs: Sequence[AnalysisRun]) -> str:
    """The parameters, and the seed, in which it differs from another run of the same analysis."""
    others = [other for other in runs if other.analysis == run.analysis and other is not run]
    if not others:
        return ""
    mine = meant(run.analysis, run.parameters)
    names = [
        name
        for name in mine
        if any(meant(other.analysis, other.parameters).get(name) != mine[name] for other in others)
    ]
    differing = methods.parameters_in_words(run.analysis, {name: mine[name] for name in names})
    words = [f"{title.lower()}: {value}" for title, value in differing]
    return "; ".join([*words, *([] if names else [f"seed {run.seed}"])])


def primary(entries: Sequence[ReportedResult], planned: Sequence[str]) -> ReportedResult | None:
    """What the first page answers: the first planned analysis that was run as planned, else the usual question of
    studies."""
    for name in planned:
        for entry in entries:
            if entry.analysis.name == name and entry.is_planned:
                return entry
    for name in ABOUT:
        for entry in entries:
            if entry.analysis.name == name:
                return entry
    return next((entry for entry in entries if not entry.is_aside), None)
