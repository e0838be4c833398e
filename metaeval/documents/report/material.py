"""What a report is written from: the study, its data, plan and results, and numbered figures and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from annotations.ground.bounds import TooMuchToRender
from annotations.models import Study
from metaeval.analyses.base.printing import as_csv
from metaeval.analyses.base.registry import Analysis, UnreadableResult, analyses
from metaeval.analyses.base.table import Table
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.gathering import Subject, gather
from metaeval.documents.report import methods
from metaeval.documents.report.blocks import Block, FigureBlock, FileReference, Paragraph, TableBlock
from metaeval.documents.report.tables import COLUMNS, FIRST, first_rows, shortened
from metaeval.documents.results import newest_runs, newest_runs_of_dataset
from metaeval.figures.captions import words_of
from metaeval.figures.sizes import SIZES
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.planning import meant, stored_plan
from metaeval.jobs.runs import figure_of, result_of, tables_of

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
        words = self.analysis.words.question
        return f"{words} ({self.differs_in})" if self.differs_in else words

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
    installed = [run for run in runs if run.analysis in analyses.names()]
    ordered = sorted(installed, key=lambda run: (_rank(run.analysis), run.analysis, run.created_at))
    in_order = sorted((_entry(run, installed, today) for run in ordered), key=lambda entry: entry.is_aside)
    return [replace(entry, place=place) for place, entry in enumerate(in_order)]


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
    as_planned = (entry for name in planned for entry in entries if entry.analysis.name == name and entry.is_planned)
    usual = (entry for name in ABOUT for entry in entries if entry.analysis.name == name)
    return next(chain(as_planned, usual, (entry for entry in entries if not entry.is_aside)), None)


APPENDIX_ROWS = 40
"""A table with more rows is in the appendix with its first rows, and complete in a file."""

HIGHEST, HIGHEST_BESIDE, HIGHEST_ASIDE = 450, 270, 300
"""The maximum height of a figure in points: for the main question, for anything else, and in the appendix. A page has
734, and what does not fit is moved to the next one, so low figures avoid half-empty pages."""

OVER = 12
"""How many points a figure may be higher than requested."""


@dataclass
class Numbering:
    """Counts what it creates. A table that is cut in the body is complete in the appendix, or in a file."""

    figures: int = 0
    tables: int = 0
    appendix_figures: int = 0
    appendix_tables: int = 0

    def figure(self, chart: Chart, *, appendix: bool = False, columns: Literal[1, 2] = 2) -> FigureBlock:
        """The chart under the next number, with its own caption and alternative text."""
        if appendix:
            self.appendix_figures += 1
        else:
            self.figures += 1
        number, words = f"A{self.appendix_figures}" if appendix else str(self.figures), words_of(chart)
        return FigureBlock(f"figure-{number.lower()}", f"Figure {number}", words.caption, words.alt, chart, columns)

    def table(
        self, table: Table, *, caption: str = "", notes: Sequence[str] = (), appendix: bool = False
    ) -> TableBlock:
        """The table, printed as it is, under the next number."""
        if appendix:
            self.appendix_tables += 1
        else:
            self.tables += 1
        number = f"A{self.appendix_tables}" if appendix else str(self.tables)
        return TableBlock(f"table-{number.lower()}", f"Table {number}", caption or table.title, table, tuple(notes))

    def short_table(self, table: Table, *, where: str, columns: int = COLUMNS, appendix: bool = False) -> TableBlock:
        """The main rows and columns of a table, and where to find the rest, which includes its notes."""
        cut = shortened(table, columns=columns)
        return self.table(cut.table, notes=cut.not_shown(where), appendix=appendix)

    def body_table(self, entry: str, table: Table) -> tuple[TableBlock, list[TableBlock | FileReference]]:
        """The table for the body and, if the body has no room for all of it, the whole table for the appendix."""
        if not is_cut(table):
            return self.table(table, notes=table.notes), []
        whole = self.long_table(entry, table)
        return self.short_table(table, where=label_of(whole)), whole

    def long_table(self, entry: str, table: Table) -> list[TableBlock | FileReference]:
        """The whole table for the appendix; of a very long one the first rows and a file with all."""
        if len(table.rows) <= APPENDIX_ROWS:
            return [self.table(table, notes=table.notes, appendix=True)]
        name = f"{entry}-{table.name}.csv".replace("_", "-")
        note = f"The first {FIRST} of {len(table.rows):,} rows; the file {name} has all of it."
        block = self.table(first_rows(table, FIRST), notes=[note, *table.notes], appendix=True)
        return [block, FileReference(name, f"{table.title}: {len(table.rows):,} rows", as_csv(table).encode())]


def is_cut(table: Table, *, columns: int = COLUMNS) -> bool:
    """Whether the body does not show all of a table."""
    return not shortened(table, columns=columns).is_whole


@dataclass(frozen=True)
class MainFigure:
    """A figure that the body has room for."""

    name: str
    chart: Chart
    columns: Literal[1, 2]


def main_figure(entry: ReportedResult, *, is_central: bool = True) -> MainFigure | None:
    """The first of an entry's figures for which the body has room.

    For the study's main question, this is half a page. Anything else has its figure beside its table, or a low one
    above.
    """
    widths: tuple[Literal[1, 2], ...] = (2,) if is_central else (1, 2)
    most = HIGHEST if is_central else HIGHEST_BESIDE
    for name in entry.figure_names():
        for columns in widths:
            chart = entry.chart(name, columns=columns, height=most)
            if height_of(chart) <= most + OVER:
                return MainFigure(name, chart, columns)
    return None


def height_of(chart: Chart) -> float:
    """The height of a chart, in points; without end if it is too large to be drawn."""
    from metaeval import figures

    try:
        height = re.search(rb'<svg[^>]* height="([\d.]+)', figures.image(chart, "svg"))
    except TooMuchToRender:
        return math.inf
    return float(height[1]) if height else math.inf


@dataclass(frozen=True)
class ReportedPlan:
    """What was planned, and when it was fixed; without a time, it can still change."""

    rows: Sequence[dict[str, Any]]
    sha256: str = ""
    at: datetime | None = None

    @property
    def is_fixed(self) -> bool:
        return self.at is not None


@dataclass(frozen=True)
class Material:
    """All of the material, and the counter of figures and tables."""

    study: Study
    inputs: StudyInputs
    plan: ReportedPlan
    entries: Sequence[ReportedResult]
    not_installed: Sequence[str]
    """Analyses with results that this installation cannot read."""
    main: ReportedResult | None
    """The result that the study is about."""
    numbering: Numbering


def material_of(study: Study, inputs: StudyInputs) -> Material:
    """Everything that the results and the plan need from the database.

    Questions about the dataset itself come beside those about the study, unless the study was asked the same.
    """
    runs = newest_runs(study)
    answered = {run.analysis for run in runs}
    of_dataset = [run for run in newest_runs_of_dataset(study.dataset) if run.analysis not in answered]
    today = gather(Subject.of_dataset(study.dataset), whole=False).fingerprint if of_dataset else ""
    runs += of_dataset
    entries = entries_of(runs, {inputs.fingerprint, today})
    shown = {entry.run.pk for entry in entries}
    rows, stamped = stored_plan(study)
    plan = ReportedPlan(rows, stamped.sha256, stamped.at) if stamped else ReportedPlan(rows)
    return Material(
        study=study,
        inputs=inputs,
        plan=plan,
        entries=entries,
        not_installed=sorted({run.analysis for run in runs if run.pk not in shown}),
        main=primary(entries, [row["analysis"] for row in plan.rows]),
        numbering=Numbering(),
    )


def label_of(blocks: Sequence[Block]) -> str:
    """The label of the first table among the blocks."""
    return next(block.label for block in blocks if isinstance(block, TableBlock))
