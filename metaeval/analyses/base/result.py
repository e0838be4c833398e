"""The common part of every result, as a versioned schema. `base.computing` fills it in and checks it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

SCHEMA_VERSION = 2
"""Of the common part. Raised with a migration of the stored results when a reader could stumble."""

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Cell = str | int | float | bool | None
NOTES = "notes"
"""The key of a column of remarks: a page shows it last, and the terminal as footnotes."""


class Column(BaseModel):
    """A column of a table."""

    model_config = ConfigDict(extra="forbid")

    key: Name
    title: str
    group: str = Field(default="", description="Neighbouring columns of one group stand under one heading.")
    detail: bool = Field(default=False, description="A narrow table may leave it away.")
    kind: Literal["", "p", "share"] = Field(
        default="", description="p: a p-value, never printed as 0. share: printed in per cent. Empty: as it is."
    )


class Table(BaseModel):
    """A named table. Every row has a cell for every column; null is: undefined."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    title: str = Field(min_length=1)
    columns: list[Column] = Field(min_length=1)
    rows: list[dict[str, Cell]]
    notes: list[str] = Field(default=[], description="Sentences that stand under the table.")

    @model_validator(mode="after")
    def _rows_fit_columns(self) -> Table:
        keys = [column.key for column in self.columns]
        if len(set(keys)) != len(keys):
            msg = f"the table {self.name} has two columns with one key"
            raise ValueError(msg)
        for number, row in enumerate(self.rows):
            if set(row) != set(keys):
                msg = f"row {number} of the table {self.name} has the cells {sorted(row)}; expected {sorted(keys)}"
                raise ValueError(msg)
        return self


class Exclusion(BaseModel):
    """What was left out, how much of it, and why; more keys may say of what."""

    model_config = ConfigDict(extra="allow")

    what: str
    count: int
    reason: str = Field(min_length=1)


class Stated(BaseModel):
    """What the result is about."""

    model_config = ConfigDict(extra="allow")

    kind: Literal["study", "dataset", "votes", "datasets", "nothing"]
    slug: str | None
    title: str


class PlanStanding(BaseModel):
    """Whether the same analysis, parameters and seed are in the plan that was fixed when the study opened."""

    status: Literal["planned", "exploratory"]
    sha256: str | None = Field(description="Of the plan; null where none was fixed.")
    stamped_at: str | None


class Result(BaseModel):
    """What every result states. An analysis adds keys of its own, which its figures read."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, title="Result of an analysis")

    schema_version: Literal[2] = Field(alias="schema")
    analysis: Name
    version: int = Field(ge=1, description="Of the analysis: another version may give other numbers.")
    title: str
    subject: Stated
    is_simulated: bool
    parameters: dict[str, Any]
    seed: int = Field(ge=0)
    fingerprint: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the inputs.")
    versions: dict[str, str] = Field(description="Of the libraries that computed it.")
    counts: dict[str, int]
    exclusions: list[Exclusion]
    notes: list[str] = Field(default=[], description="Sentences that a reader of the numbers must know.")
    tables: list[Table]
    plan: PlanStanding | None = Field(default=None, description="Of a study's results: whether they were planned.")

    @model_validator(mode="after")
    def _tables_have_names_of_their_own(self) -> Result:
        names = [table.name for table in self.tables]
        if len(set(names)) != len(names):
            msg = f"two tables have one name: {names}"
            raise ValueError(msg)
        return self


COMMON = frozenset({"schema", *Result.model_fields} - {"schema_version"})
"""The keys of the common part."""


def result_schema() -> dict[str, Any]:
    """JSON Schema of the common part."""
    return Result.model_json_schema(by_alias=True)
