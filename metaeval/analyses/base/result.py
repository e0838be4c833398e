"""What every result states, as a versioned schema, and parts that several results share.

`base.computing` fills in what every result states; an analysis adds its findings.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from metaeval import metrics
from metaeval.analyses.base.table import InTable, Limit, Name, Table
from metaeval.analyses.base.wording import inside
from metaeval.analyses.inputs.parts import Exclusion, Json, Number, Part, Stated
from metaeval.stats.intervals import IntervalMethod

if TYPE_CHECKING:
    from metaeval.stats import Coefficient

SCHEMA_VERSION = 2
"""The version of the common part. Raised, with a migration of stored results, if a change could break a reader."""
COEFFICIENT_TITLES: dict[Coefficient, str] = {
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
    "kendall": "Kendall τ-b",
}
COEFFICIENT_SYMBOLS: dict[Coefficient, str] = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
"""Symbols, if there is no room for names."""


class PlanStanding(Part):
    """Whether the same analysis, parameters and seed are in the plan that was fixed when the study opened."""

    status: Literal["planned", "exploratory"]
    sha256: str | None = Field(description="From the plan; null if none was fixed.")
    stamped_at: str | None


def plan_digest(content: Sequence[Mapping[str, object]]) -> str:
    """SHA-256 of a plan as canonical JSON: sorted keys, no spaces, ASCII.

    >>> plan_digest([])[:12]
    '4f53cda18c2b'
    """
    text = json.dumps(list(content), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Findings(Part):
    """What an analysis itself contributes to its result. It declares its fields in a subclass of this one."""

    counts: dict[str, int] = Field(default={}, description="The sizes: systems, instances, labels and so on.")
    exclusions: list[Exclusion] = Field(default=[], description="What was left out, and why.")
    notes: list[str] = Field(default=[], description="Sentences that a reader needs to understand the numbers.")
    tables: list[Table]

    @model_validator(mode="after")
    def _tables_have_names_of_their_own(self) -> Findings:
        names = [table.name for table in self.tables]
        if len(set(names)) != len(names):
            msg = f"two tables have the same name: {names}"
            raise ValueError(msg)
        return self


class Result(Findings):
    """What every result states. An analysis's own result has the fields of its findings too."""

    schema_version: Literal[2] = Field(alias="schema")
    analysis: Name
    version: int = Field(ge=1, description="The version of the analysis: another version may give other numbers.")
    rules: int = Field(
        default=1, ge=1, description="The version of the rules by which it was computed; 1 if none is stated."
    )
    title: str
    subject: Stated
    is_simulated: bool
    parameters: Json = Field(description="All parameters, as the analysis declares them.")
    seed: int = Field(ge=0)
    fingerprint: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the inputs.")
    versions: dict[str, str] = Field(description="The versions of the libraries that computed it.")
    plan: PlanStanding | None = Field(default=None, description="For results of a study: whether they were planned.")


class AnyResult(Result):
    """The common part of a result of any analysis."""

    model_config = ConfigDict(extra="allow", title="Result of an analysis")


def result_schema() -> Json:
    """JSON Schema of the common part."""
    return AnyResult.model_json_schema(by_alias=True)


class DescribedMetric(Part):
    """A metric that a result is about."""

    name: str
    title: str
    orientation: Literal["higher", "lower"] = Field(description="Whether higher or lower values are better.")
    range: list[Number] = Field(
        min_length=2, max_length=2, description="The lowest and the highest possible value; null means no limit."
    )

    @classmethod
    def named(cls, name: str) -> Self:
        """The metric as the registry describes it."""
        entry = metrics.get(name)
        return cls(name=name, title=entry.title, orientation=entry.orientation, range=list(entry.range))


def in_titles(reason: str, metrics: Iterable[DescribedMetric]) -> str:
    """A reason from the numeric library, with the metrics' titles in place of their names.

    >>> in_titles("all values of macro_f1 are equal", [DescribedMetric.named("macro_f1")])
    'all values of macro F1 are equal'
    """
    for metric in metrics:
        reason = re.sub(rf"\b{re.escape(metric.name)}\b", inside(metric.title), reason)
    return reason


class MeasuredValue(Part):
    """A metric's value for a system."""

    value: Number
    reason: str = Field(description="Why it is undefined; empty if it is defined.")


class BootstrapInterval(Part):
    """A bootstrap confidence interval; if there is none, without bounds and with the reason."""

    low: Limit = Field(title="low")
    high: Limit = Field(title="high")
    level: float
    method: IntervalMethod
    resamples: int
    undefined: int = Field(description="Resamples without a value, which were left out.")
    standard_error: Number = Field(description="The standard deviation of the resamples' values.")
    reason: Annotated[str, InTable(remark="no interval: {}")]
