"""Recompute every number of a bundle from its own data, and say what is equal and what differs."""

from __future__ import annotations

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
from metaeval.bundles import layout
from metaeval.bundles.archive import MAX_BYTES, Archive, BundleError
from metaeval.bundles.comparing import Difference, differences, explained, is_of_earlier_rules, numbers_in
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
                    share = _ShareOfAll(progress, name, place, len(results))
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
    if is_of_earlier_rules(stored, entry.version):
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


class _ShareOfAll:
    """The progress of one result as a part of all."""

    def __init__(self, progress: Progress, name: str, place: int, of: int) -> None:
        self._progress, self._name, self._place, self._of = progress, name, place, of

    def __call__(self, done: int, total: int, message: str = "") -> None:
        share = done / total if total else 0.0
        self._progress(int(10_000 * (self._place + share) / self._of), 10_000, f"{self._name}: {message}")
