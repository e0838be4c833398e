"""Two runs of one analysis side by side: what was asked differently, whether the data changed, and how the results
differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict
from metaeval.analyses.base.comparing_tables import ComparedTable, compare_tables
from metaeval.analyses.base.parameter_labels import LABEL
from metaeval.analyses.base.registry import analyses
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.planning import meant
from metaeval.jobs.runs import result_of, tables_of


class CannotCompare(Conflict):
    """Only results that answer the same question can be compared."""

    code = "cannot_compare"


@dataclass(frozen=True)
class Change:
    """What differs between both, in words."""

    name: str
    first: str
    second: str


@dataclass(frozen=True)
class RunComparison:
    """What changed from the first run to the second."""

    first: AnalysisRun
    second: AnalysisRun
    asked: list[Change]
    """Parameters, and the seed."""
    is_same_data: bool
    counts: list[Change]
    versions: list[Change]
    tables: list[ComparedTable]
    """The main table with every row, the others with the rows that changed."""

    @property
    def compared(self) -> int:
        """How many cells are in both."""
        return sum(table.compared for table in self.tables)

    @property
    def changed(self) -> int:
        """How many cells differ."""
        return sum(table.changed for table in self.tables)


def compare_runs(*, first: AnalysisRun, second: AnalysisRun) -> RunComparison:
    """Compare two finished runs of one analysis; `CannotCompare` for two analyses, `NotFinished` without a result."""
    if first.analysis != second.analysis:
        raise CannotCompare("Two runs of the same analysis can be compared; these answer two different questions.")
    one, other = result_of(first), result_of(second)
    return RunComparison(
        first=first,
        second=second,
        asked=_asked(first, second),
        is_same_data=bool(one["fingerprint"] == other["fingerprint"]),
        counts=_changes(one["counts"], other["counts"]),
        versions=_changes(_versions(one), _versions(other)),
        tables=_tables(first, second),
    )


def _asked(first: AnalysisRun, second: AnalysisRun) -> list[Change]:
    """Parameters by their titles in the form; those that a run did not know mean what was meant then."""
    declared = analyses.get(first.analysis).schema().get("properties", {})
    titles = {
        name: translation.gettext(str(schema.get(LABEL) or schema.get("title") or name))
        for name, schema in declared.items()
    }
    one, other = (
        {titles.get(name, name): value for name, value in meant(run.analysis, run.parameters).items()}
        for run in (first, second)
    )
    seed = _("Seed")
    return _changes({**one, seed: str(first.seed)}, {**other, seed: str(second.seed)})


def _versions(result: Mapping[str, Any]) -> dict[str, Any]:
    return {"Analysis": result["version"], "Rules": result.get("rules", 1), **result["versions"]}


def _tables(first: AnalysisRun, second: AnalysisRun) -> list[ComparedTable]:
    earlier, later = ({table.name: table for table in tables_of(run)} for run in (first, second))
    names = dict.fromkeys([*later, *earlier])
    return [compare_tables(earlier.get(name), later.get(name), whole=not at) for at, name in enumerate(names)]


def _changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Change]:
    names = dict.fromkeys([*second, *first])
    return [
        Change(name, _in_words(first.get(name)), _in_words(second.get(name)))
        for name in names
        if first.get(name) != second.get(name)
    ]


def _in_words(value: Any) -> str:
    """A value of a parameter, or a count.

    >>> _in_words(True), _in_words([]), _in_words(["a", "b"]), _in_words(100000), _in_words(None)
    ('yes', 'none named', 'a, b', '100,000', 'not set')
    """
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_in_words, value)) or "none named"
    return f"{value:,}" if isinstance(value, int) else str(value)
