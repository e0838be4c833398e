"""Recompute every number of a bundle from its own data, and say what is equal and what differs; numbers may
differ by a tolerance, and by what corrected rules declare.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

from annotations.ground.errors import HLVError
from annotations.ground.fingerprints import matrix_fingerprint
from annotations.ground.progress import Progress, silent
from annotations.ground.registry import UnknownName
from annotations.ground.sides import draw_again
from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.result import plan_digest
from metaeval.analyses.base.rules import CORRECTIONS, RULES, Correction
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.parts import Json
from metaeval.bundles import layout
from metaeval.bundles.archive import MAX_BYTES, Archive, BundleError
from metaeval.bundles.rebuilding import rebuilt, results_in, told_in

SHOWN, SHOWN_OF_A_RULE = 20, 3
"""How many differences of one result are listed: unexplained ones, and examples of a corrected rule's effect."""

OF_THE_DAY = frozenset({"plan", "versions", "subject"})
"""What a result states about when and where it was made: its status in the plan, libraries, the study at that time."""


NOT_A_BUNDLES: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What reading values of the wrong kind, size or depth raises."""


class Equality(StrEnum):
    EQUAL = "equal"
    CORRECTED = "corrected"
    """Equal, except for what a since corrected rule changes."""
    NOT_CHECKED = "not checked"
    """The bundle, correctly, does not contain what would be needed."""
    DIFFERS = "differs"
    UNKNOWN = "cannot be recomputed"


HOLDS = frozenset({Equality.EQUAL, Equality.CORRECTED, Equality.NOT_CHECKED})
"""Verdicts that are not failures."""


@dataclass(frozen=True)
class Finding:
    """What was checked, the verdict, and where it differs."""

    what: str
    verdict: Equality
    details: tuple[str, ...] = ()
    numbers: int = 0


def verify(
    path: Path,
    *,
    tolerance: float = 0.0,
    only: Collection[str] = (),
    max_bytes: int = MAX_BYTES,
    progress: Progress = silent,
    corrections: Sequence[Correction] = CORRECTIONS,
) -> list[Finding]:
    """Findings on the bundle at `path`, in order. It reads that file and nothing else: no database.

    Args:
        tolerance: how far apart two numbers may be, as a share of the larger one; 0: equal to the last digit.
        only: names of the analyses to recompute; empty: all.
        corrections: what results of earlier rules may differ in.

    Raises:
        BundleError: the archive is not a bundle or not safe to read, or its files do not match its checksums.
    """
    try:
        with Archive(path, max_bytes=max_bytes) as archive:
            inputs = rebuilt(archive)
            results = results_in(archive)
            checksums = Finding(f"checksums of {len(archive.paths)} files", Equality.EQUAL)  # others cannot be opened
            findings = [checksums, _fingerprint(archive, inputs), _plan(archive), _sides(archive, inputs)]
            for place, (name, stored) in enumerate(results):
                if not only or stored.get("analysis") in only:
                    share = _share_of_all(progress, name, place, len(results))
                    findings.append(
                        _recomputed(name, stored, inputs, share, tolerance=tolerance, corrections=corrections)
                    )
            return findings
    except NOT_A_BUNDLES as error:
        # Whoever made the archive may have put anything into its files; what a bundle holds is read without surprises.
        raise BundleError(
            f"{path.name} is not a bundle that can be checked: what is in one of its files does not fit the rest "
            f"({type(error).__name__})."
        ) from error


def _fingerprint(archive: Archive, inputs: StudyInputs) -> Finding:
    stated = archive.json(layout.STUDY)
    details = [] if stated["study"].get("fingerprint") == inputs.fingerprint else ["the study's inputs"]
    details += [
        f"the predictions of {system['name']}"
        for system, name in zip(stated["systems"], inputs.data.systems, strict=True)
        if system.get("fingerprint") != matrix_fingerprint(inputs.data.Q[name])
    ]
    return Finding("fingerprint of the data", Equality.DIFFERS if details else Equality.EQUAL, tuple(details))


def _plan(archive: Archive) -> Finding:
    plan = archive.json(layout.PLAN)
    if not plan.get("sha256"):
        return Finding("analysis plan: none was fixed", Equality.EQUAL)
    same = plan_digest(plan.get("planned") or []) == plan["sha256"]
    return Finding("SHA-256 of the analysis plan", Equality.EQUAL if same else Equality.DIFFERS)


def _sides(archive: Archive, inputs: StudyInputs) -> Finding:
    """Whether the keys reproduce every side, if the bundle contains the keys."""
    if not {layout.SIDES, layout.TURNS} & set(archive.paths):
        return Finding("sides: the bundle comes from a version without keys and turns", Equality.NOT_CHECKED)
    keys, turns = told_in(archive, inputs)
    if inputs.state != "closed" and not any(key.key for key in keys):
        return Finding(
            ("sides: the study was not closed, so their key has not been published yet"), Equality.NOT_CHECKED
        )
    checked = draw_again(keys, turns)
    if checked.differences:
        return Finding("sides and the keys that drew them", Equality.DIFFERS, tuple(_told(iter(checked.differences))))
    others = f" ({checked.earlier:,} more from before there were keys, or from elsewhere)" if checked.earlier else ""
    if not checked.drawn:
        return Finding(f"sides: no key drew one{others}", Equality.NOT_CHECKED)
    drawn = f"{checked.drawn:,} turns{others}"
    return Finding(f"Every side was drawn by the key whose hash was published: {drawn}.", Equality.EQUAL)


def _recomputed(
    path: str,
    stored: dict[str, Any],
    inputs: StudyInputs,
    progress: Progress,
    *,
    tolerance: float,
    corrections: Sequence[Correction],
) -> Finding:
    try:
        entry = analyses.get(str(stored["analysis"]))
        if entry.version < stored["version"] or stored.get("rules", 1) > RULES:
            reason = (
                f"it is of version {stored['version']} of the analysis (rules {stored.get('rules', 1)}), "
                f"and here is {entry.version} (rules {RULES})"
            )
            return Finding(path, Equality.UNKNOWN, (reason,))
        recomputed = result_of(
            inputs=inputs,
            entry=entry,
            parameters=entry.asked_in(stored),
            seed=int(stored["seed"]),
            work=Work(progress),
        )
        recomputed["parameters"] = entry.recalled(stored["parameters"]).model_dump(mode="json")
    except (UnknownName, KeyError, TypeError) as error:
        return Finding(path, Equality.UNKNOWN, (f"not an analysis of this program: {error}",))
    except HLVError as error:
        return Finding(path, Equality.DIFFERS, (f"recomputing fails with: {error.message}",))
    if stored.get("rules", FIRST_RULES) < RULES or stored["version"] < entry.version:
        return _of_earlier_rules(path, stored, recomputed, tolerance, corrections)
    sides = [{key: value for key, value in side.items() if key not in OF_THE_DAY} for side in (stored, recomputed)]
    details = _told(differences(*sides, tolerance=tolerance))
    if details and stored.get("versions") != recomputed["versions"]:
        details.append(f"it was computed with {stored.get('versions')}, and here is {recomputed['versions']}")
    return Finding(path, Equality.DIFFERS if details else Equality.EQUAL, tuple(details), numbers_in(sides[0]))


def _of_earlier_rules(
    path: str, stored: dict[str, Any], recomputed: dict[str, Any], tolerance: float, corrections: Sequence[Correction]
) -> Finding:
    """The result must be equal, except for what corrected rules change; it may say less."""
    sides = [{key: value for key, value in side.items() if key not in OF_THE_DAY} for side in (stored, recomputed)]
    seen = explained(*sides, tolerance=tolerance, corrections=corrections)
    details = [
        line
        for correction, places in seen.corrected
        for line in (f"corrected ({len(places)} places): {correction.why}", *_told(iter(places), most=SHOWN_OF_A_RULE))
    ]
    verdict = Equality.CORRECTED if seen.corrected else Equality.EQUAL
    if seen.unexplained:
        verdict = Equality.DIFFERS
        made = f"version {stored['version']}, rules {stored.get('rules', 1)}, {stored.get('versions')}"
        here = f"version {recomputed['version']}, rules {recomputed['rules']}, {recomputed['versions']}"
        lines = _told(iter(seen.unexplained))
        details = [
            *lines,
            f"which no corrected rule explains; computed with {made}, and here is {here}",
            *details,
        ]
    return Finding(path, verdict, tuple(details), numbers_in(sides[0]))


def _told(differing: Iterator[Difference | str], most: int = SHOWN) -> list[str]:
    lines = [str(difference) for difference in islice(differing, most + 1)]
    if len(lines) > most:
        lines[most:] = ["... and more"]
    return lines


def _share_of_all(progress: Progress, name: str, place: int, of: int) -> Progress:
    """The progress of one result as a part of all."""

    def tell(done: int, total: int, message: str = "") -> None:
        share = done / total if total else 0.0
        progress(int(10_000 * (place + share) / of), 10_000, f"{name}: {message}")

    return tell


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
