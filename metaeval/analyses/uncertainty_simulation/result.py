"""The results of the analysis of agreement against the share of certain items, and their tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.table import InTable, Reason, Table, column, table_of
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.stats.uncertainty import Scale

RANDOM = "Random labeller"
PEOPLE, MACHINE, PERSON = "Among people (HH)", "With the machine (HʷMʷ)", "With another person (HʷH′)"


class CertaintyPoint(Part):
    """Krippendorff's alpha if a share of the items is certain: means and standard deviations over repeats."""

    share: Annotated[float, InTable(kind="share")] = Field(
        title="Certain items", description="Of items about which people are certain."
    )
    people: Annotated[Number, InTable(key="people_mean", group=PEOPLE)] = Field(
        title="mean", description="Among people."
    )
    people_sd: Annotated[Number, InTable(group=PEOPLE)] = Field(title="SD")
    machine: Annotated[Number, InTable(key="machine_mean", group=MACHINE)] = Field(
        title="mean", description="Between people's majority (or median) and the machine."
    )
    machine_sd: Annotated[Number, InTable(group=MACHINE)] = Field(title="SD")
    person: Annotated[Number, InTable(key="person_mean", group=PERSON)] = Field(
        default=None,
        title="mean",
        description="Between one person and the majority (or median) of the others; earlier results had none.",
    )
    person_sd: Annotated[Number, InTable(group=PERSON)] = Field(default=None, title="SD")
    repeats: int = Field(title="Repeats")
    undefined: Annotated[int, InTable(detail=True)] = Field(
        title="without value", description="Repeats without a value, which are left out."
    )
    reason: Reason = Field(description="Why there is no value; empty if there is one.")


class CertaintyCurve(Part):
    """A machine's agreement with people against the share of certain items."""

    name: Annotated[str, InTable(key="machine")] = Field(title="Machine")
    points: list[CertaintyPoint]
    below_from: Annotated[float | None, InTable(kind="share", key="share")] = Field(
        title="Certain items",
        description="The smallest share of certain items at which the machine agrees less with people "
        "than they do among themselves; null if that is not so even at the largest share.",
    )


class UncertaintySimulationFindings(Findings):
    """Agreement against the share of certain items."""

    machines: list[CertaintyCurve]
    scale: Scale
    items: str = Field(description="What the items are called.")


class UncertaintySimulationResult(UncertaintySimulationFindings, Result):
    """How human uncertainty affects agreement with a machine."""

    analysis: Literal["uncertainty_simulation"]


def tables_of(curves: Sequence[CertaintyCurve]) -> list[Table]:
    """The curves, and where each machine falls behind people."""
    return [
        table_of(
            "curves",
            "Krippendorff’s alpha against the share of certain items",
            CertaintyPoint,
            [(point, {"machine": curve.name}) for curve in curves for point in curve.points],
            [
                column("machine", "Machine"),
                *("share", "people_mean", "people_sd", "machine_mean", "machine_sd", "person_mean", "person_sd"),
                *("repeats", "undefined"),
            ],
        ),
        table_of(
            "crossing",
            "The share of certain items from which machines agree less with people than people do among themselves",
            CertaintyCurve,
            [
                (curve, {"notes": "not even at the largest share there is" if curve.below_from is None else ""})
                for curve in curves
            ],
            ["machine", "share", column("notes", "Notes")],
            notes=["This is based on the means; shares in between were not computed."],
        ),
    ]
