"""The tables of agreement against the share of certain items."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.analyses.base.table import Table, column, table
from metaeval.analyses.uncertainty_simulation.result import CertaintyCurve


def tables_of(curves: Sequence[CertaintyCurve]) -> list[Table]:
    """The curves, and where each machine falls behind people."""
    return [_curves(curves), _crossing(curves)]


def _curves(curves: Sequence[CertaintyCurve]) -> Table:
    people, machine, person = "Among people (HH)", "With the machine (HʷMʷ)", "With another person (HʷH′)"
    columns = [
        column("machine", "Machine"),
        column("share", "Certain items", kind="share"),
        column("people_mean", "mean", group=people),
        column("people_sd", "SD", group=people),
        column("machine_mean", "mean", group=machine),
        column("machine_sd", "SD", group=machine),
        column("person_mean", "mean", group=person),
        column("person_sd", "SD", group=person),
        column("repeats", "Repeats"),
        column("undefined", "without value", detail=True),
        column("notes", "Notes"),
    ]
    rows = [
        {
            **point.plain(),
            "machine": curve.name,
            "people_mean": point.people,
            "machine_mean": point.machine,
            "person_mean": point.person,
            "notes": f"undefined: {point.reason}" if point.reason else "",
        }
        for curve in curves
        for point in curve.points
    ]
    return table("curves", "Krippendorff’s alpha against the share of certain items", columns, rows)


def _crossing(curves: Sequence[CertaintyCurve]) -> Table:
    return table(
        "crossing",
        ("The share of certain items from which machines agree less with people than people do among themselves"),
        [column("machine", "Machine"), column("share", "Certain items", kind="share"), column("notes", "Notes")],
        [
            {
                "machine": curve.name,
                "share": curve.below_from,
                "notes": "" if curve.below_from is not None else ("not even at the largest share there is"),
            }
            for curve in curves
        ],
        notes=["This is based on the means; shares in between were not computed."],
    )
