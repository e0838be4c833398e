"""A result of earlier rules compared with the current one: which differences a corrected rule explains, and which
not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metaeval.analyses.base.rules import RULES, Correction
from metaeval.analyses.inputs.parts import Json
from metaeval.bundles.comparing import NOTHING, Difference, differences

FIRST_RULES = 1
"""The version of results that state none."""

OF_THE_RULES = frozenset({"version", "rules", "parameters"})
"""The keys that say by which rules a result was computed, and its parameters in their terms."""


@dataclass(frozen=True)
class Explained:
    """The differences between two results: those that a correction declares, and the others."""

    corrected: tuple[tuple[Correction, tuple[Difference, ...]], ...]
    unexplained: tuple[Difference, ...]


def is_of_earlier_rules(stored: Json, version: int) -> bool:
    """Whether a stored result was computed by earlier rules, or by a version of its analysis before `version`."""
    return bool(stored.get("rules", FIRST_RULES) < RULES or stored["version"] < version)


def explained(stored: Json, found: Json, *, tolerance: float = 0.0, corrections: Sequence[Correction]) -> Explained:
    """What differs between a result of earlier rules and the same one computed now.

    What the stored one did not yet say (new fields, tables, columns, notes) is not a difference.
    """
    rules = stored.get("rules", FIRST_RULES)
    possible = [
        one for one in corrections if one.is_about(stored["analysis"]) and rules < one.since and one.concerns(stored)
    ]
    by_correction: dict[int, list[Difference]] = {}
    unexplained = []
    for difference in _lost_or_changed(stored, found, tolerance):
        place = next((place for place, one in enumerate(possible) if one.allows(difference.path)), None)
        if place is None:
            unexplained.append(difference)
        else:
            by_correction.setdefault(place, []).append(difference)
    return Explained(
        corrected=tuple((possible[place], tuple(found)) for place, found in sorted(by_correction.items())),
        unexplained=tuple(unexplained),
    )


def _lost_or_changed(stored: Json, found: Json, tolerance: float) -> Iterator[Difference]:
    for difference in differences(_by_name(stored), _by_name(found), tolerance=tolerance):
        in_a_list = difference.path.endswith("]")
        if difference.stored is not NOTHING or in_a_list:
            yield difference


def _by_name(result: Json) -> Json:
    """The result with named parts keyed by their names, so that new ones do not shift the others."""
    named = {key: value for key, value in result.items() if key not in OF_THE_RULES}
    named["tables"] = {
        table["name"]: {**table, "columns": {column["key"]: _said(column) for column in table["columns"]}}
        | {"notes": dict.fromkeys(table.get("notes", []), "said")}
        for table in result["tables"]
    }
    named["notes"] = dict.fromkeys(result.get("notes", []), "said")
    named["exclusions"] = {json.dumps(one, sort_keys=True): "said" for one in result.get("exclusions", [])}
    return named


def _said(column: Json) -> Json:
    """What a column states: without a group, nothing of a heading that may since stand above it."""
    return {key: value for key, value in column.items() if key != "group" or value}
