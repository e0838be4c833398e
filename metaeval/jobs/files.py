"""What can be downloaded from a finished run: its figures and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.table import Table
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import result_of

if TYPE_CHECKING:
    from altair.typing import ChartType as Chart

    from metaeval.figures.sizes import Size


def figure_of(run: AnalysisRun, name: str, *, size: str | Size = "screen") -> Chart:
    """A figure of a run; `UnknownName` lists the known ones."""
    return analyses.get(run.analysis).draw(name, result_of(run), size=size)


def tables_of(run: AnalysisRun) -> list[Table]:
    """All tables of a run, in order."""
    return [Table.from_json(table) for table in result_of(run)["tables"]]


def table_of(run: AnalysisRun, name: str) -> Table | None:
    """One table of a run; None if it has none with this name."""
    return next((table for table in tables_of(run) if table.name == name), None)
