"""Where two results differ, and which differences a corrected rule explains."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from metaeval.analyses.base.rules import RULES, Correction
from metaeval.analyses.inputs.parts import Json

NUMBERS = (int, float)
ROUNDING = 1e-14
"""The size of zero's rounding error when sums of numbers around one are rounded differently; relative differences are
meaningless there."""


@dataclass(frozen=True)
class Difference:
    """One place of a result: what is stored there, and what was found."""

    path: str
    stored: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.path}: stored {_short(self.stored)}, found {_short(self.found)}"


def differences(stored: Any, found: Any, *, tolerance: float = 0.0, path: str = "") -> Iterator[Difference]:
    """Every place in which two pieces of plain JSON differ; numbers by more than `tolerance` of the larger one.

    With a tolerance, values less than `ROUNDING` apart also count as the same.

    >>> [str(one) for one in differences({"a": [1, 2.5]}, {"a": [1, 2.75], "b": None})]
    ['a[1]: stored 2.5, found 2.75', 'b: stored nothing, found None']
    """
    if isinstance(stored, dict) and isinstance(found, dict):
        for key in [*stored, *(key for key in found if key not in stored)]:
            here = f"{path}.{key}" if path else key
            if key not in stored or key not in found:
                yield Difference(here, stored.get(key, NOTHING), found.get(key, NOTHING))
            else:
                yield from differences(stored[key], found[key], tolerance=tolerance, path=here)
    elif isinstance(stored, list) and isinstance(found, list):
        for place in range(max(len(stored), len(found))):
            before, after = (side[place] if place < len(side) else NOTHING for side in (stored, found))
            yield from differences(before, after, tolerance=tolerance, path=f"{path}[{place}]")
    elif not _same(stored, found, tolerance):
        yield Difference(path, stored, found)


def numbers_in(value: Any) -> int:
    """How many numbers there are."""
    if isinstance(value, dict):
        return sum(map(numbers_in, value.values()))
    if isinstance(value, list):
        return sum(map(numbers_in, value))
    return int(isinstance(value, NUMBERS) and not isinstance(value, bool))


def _same(stored: Any, found: Any, tolerance: float) -> bool:
    if any(isinstance(side, bool) or not isinstance(side, NUMBERS) for side in (stored, found)):
        return type(stored) is type(found) and bool(stored == found)
    return bool(stored == found) or (tolerance > 0 and math.isclose(stored, found, rel_tol=tolerance, abs_tol=ROUNDING))


class _Nothing:
    """Stands for what one side does not have."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


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
        correction
        for correction in corrections
        if correction.is_about(stored["analysis"]) and rules < correction.since and correction.concerns(stored)
    ]
    by_correction: dict[int, list[Difference]] = {}
    unexplained = []
    for difference in _lost_or_changed(stored, found, tolerance):
        place = next((place for place, correction in enumerate(possible) if correction.allows(difference.path)), None)
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
    named["exclusions"] = {json.dumps(exclusion, sort_keys=True): "said" for exclusion in result.get("exclusions", [])}
    return named


def _said(column: Json) -> Json:
    """What a column states: without a group, nothing of a heading that may since stand above it."""
    return {key: value for key, value in column.items() if key != "group" or value}
