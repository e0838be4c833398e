"""The parameters of analyses that compare people's labels with those of machines."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.parameters import MetricNames, StudyParameters, choices

Units = Literal["methods", "each", "all"]


class MachineParameters(StudyParameters):
    """Which machines, and which items."""

    units: Units = Field(
        default="methods",
        title="Machine labels that stand together",
        description="Of a dataset: those of the runs of one model and method, each system's alone, or those of all "
        "systems. Of votes: each machine's alone, or (all) those of all machines.",
    )
    systems: list[str] = Field(
        default=[],
        title="Systems",
        description="Of a dataset: the systems to compare with people; of votes: only votes on two of these systems. "
        "None named: all.",
        json_schema_extra=choices("systems"),
    )
    label: str | None = Field(
        default=None,
        title="Label",
        description="Of a dataset: compare only whether this label was given. None named: all labels; where people "
        "give sets of labels, every label of every instance is a decision of its own.",
        json_schema_extra=choices("labels"),
    )
    least_annotations: int = Field(
        default=2,
        ge=1,
        le=1000,
        title="Least human judgements of an item",
        description="Items that fewer people judged are left out; one judgement says nothing of uncertainty.",
    )
    ties: Literal["label order", "first given"] = Field(
        default="label order",
        title="Ties of the majority",
        description="Which of several most frequent labels stands for people: the first in the order of the labels, or "
        "that which was given first, as published numbers have it.",
    )
    metrics: MetricNames = Field(
        default=[],
        title="Metrics as judges",
        description="Of a study: the metrics that judge its comparisons as a machine does; none named: those of the "
        "task's six that have a value for every instance.",
        json_schema_extra=choices("metrics"),
    )
    nearness: Literal["experts", "dataset"] = Field(
        default="experts",
        title="Nearer to what",
        description="Of a study: a metric prefers the side that is nearer to the experts' own labels of step 1, or (of "
        "studies that compare systems with systems) to the people of the dataset.",
    )
    margin: float = Field(
        default=0.0,
        ge=0,
        le=1,
        title="Margin",
        description="Of a study: a metric chooses both sides where its values differ by no more than this.",
    )
