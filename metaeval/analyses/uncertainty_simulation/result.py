"""The results of agreement against the share of certain items, their tables, and the answer in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.table import InTable, Reason, Table, column, table_of
from metaeval.analyses.base.wording import answered, because, name, number, sentence, share
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


def answer(result: UncertaintySimulationResult) -> str:
    """The share of certain items from which the last machine falls behind people; the random labeller comes first."""
    curve = result.machines[-1]
    defined = _defined(curve)
    if not defined:
        reason = next((point.reason for point in curve.points if point.reason), "")
        return f"Agreement with “{name(curve.name)}” cannot be computed: {because(reason)}"
    items = result.items.replace("instances", "texts")
    return answered(_falls_behind(curve, defined, items), sentence([_random(result, curve, items)]))


def _falls_behind(curve: CertaintyCurve, defined: list[CertaintyPoint], items: str) -> str:
    title, last = f"“{name(curve.name)}”", defined[-1]
    less = "agrees with people less than they do with each other"
    figures = f"with {share(last.share)} of the {items} certain, alpha is {_alpha(last)}"
    if curve.below_from is not None:
        start = share(curve.below_from)
        if curve.below_from == defined[0].share:
            return f"{title} {less}, whatever the share of certain {items} (from {start}): {figures}."
        if curve.below_from == last.share:
            return f"{title} {less} once {start} of the {items} are certain, not before: alpha is then {_alpha(last)}."
        return f"{title} {less} once {start} of the {items} are certain: {figures}."
    if (last.machine or 0.0) < (last.people or 0.0):
        unknown = "is not known, because it is undefined for the largest"
        return f"From which share of certain {items} on {title} {less} {unknown}: {figures}."
    no_less = "agrees with people no less than they do with each other"
    return f"Even with {share(last.share)} of the {items} certain, {title} {no_less}: alpha is {_alpha(last)}."


def _alpha(point: CertaintyPoint) -> str:
    spread = (
        "" if point.machine_sd is None or point.repeats < 2 else f" (standard deviation {number(point.machine_sd)})"
    )
    return f"{number(point.machine or 0.0)} with it{spread} and {number(point.people or 0.0)} among people"


def _random(result: UncertaintySimulationResult, curve: CertaintyCurve, items: str) -> str:
    """What random labels get where the fewest items are certain: what uncertainty hides."""
    labeller = result.machines[0]
    defined = _defined(labeller)
    if labeller is curve or not defined:
        return ""
    return f"labels at random, with {share(defined[0].share)} certain, reach alpha {_alpha(defined[0])}"


def _defined(curve: CertaintyCurve) -> list[CertaintyPoint]:
    return [point for point in curve.points if point.machine is not None and point.people is not None]
