"""Pairwise votes as JSON lines."""

from __future__ import annotations

from annotations.exporting.cells import to_json
from annotations.exporting.formats import ExportFile, encoded
from annotations.exporting.votes import COLUMNS, VoteSource, vote_exporter


@vote_exporter("jsonl", title="Votes (JSON lines)", description="One object per vote, for programs.")
def votes_json_lines(source: VoteSource) -> ExportFile:
    return ExportFile(
        "votes.jsonl",
        lambda: encoded(to_json(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in source.rows()),
    )
