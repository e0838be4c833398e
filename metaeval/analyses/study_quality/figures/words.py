"""What figures of a study's quality have in common."""

from __future__ import annotations

from metaeval.analyses.base.table import Row
from metaeval.analyses.study_quality.result import QualityEstimate, StudyQualityResult


def state(result: StudyQualityResult) -> list[str]:
    """Whether a study is still running, and whether only its pilot is shown."""
    words = []
    if result.scope == "only":
        words.append("The pilot’s answers.")
    if result.state != "closed":
        words.append(f"The study is {result.state}: the answers so far.")
    return [" ".join(words)] if words else []


def interval_row(name: str, found: QualityEstimate) -> Row:
    """An estimate as a row with its interval."""
    return {"name": name, "value": found.value, "low": found.low, "high": found.high}
