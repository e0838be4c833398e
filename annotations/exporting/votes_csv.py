"""Pairwise votes as CSV."""

from __future__ import annotations

from annotations.exporting.formats import ExportFile, encoded
from annotations.exporting.spreadsheets import csv_lines
from annotations.exporting.votes import COLUMNS, VoteSource, vote_exporter


@vote_exporter(
    "csv",
    title="Votes (CSV)",
    description="One row per vote, for spreadsheets. Cells that a spreadsheet would run are neutralised.",
)
def votes_csv(source: VoteSource) -> ExportFile:
    return ExportFile("votes.csv", lambda: encoded(csv_lines(COLUMNS, source.rows())))
