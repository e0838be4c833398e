"""What every result states, as a versioned schema. `base.computing` fills it in; an analysis adds its findings."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, model_validator

from metaeval.analyses.base.table import Name, Table
from metaeval.analyses.inputs.parts import Exclusion, Json, Part, Stated

SCHEMA_VERSION = 2
"""The version of the common part. Raised, with a migration of stored results, if a change could break a reader."""


class PlanStanding(Part):
    """Whether the same analysis, parameters and seed are in the plan that was fixed when the study opened."""

    status: Literal["planned", "exploratory"]
    sha256: str | None = Field(description="From the plan; null if none was fixed.")
    stamped_at: str | None


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
