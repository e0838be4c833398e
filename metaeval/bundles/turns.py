"""Keys and turns in a bundle: what is needed to draw its sides again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from annotations.ground.sides import ShownTurn, StatedKey, order_of_names
from metaeval.analyses.inputs import StudyInputs
from metaeval.bundles import layout
from metaeval.bundles.archive import Archive
from metaeval.bundles.errors import BundleError
from metaeval.bundles.rebuilding import UNREADABLE, rebuilt

TurnRow = tuple[int | None, str, int | None]
"""Turn, phase and rule of a row of `data/answers.csv`; empty if no side was drawn."""


def cells(rows: Iterable[TurnRow]) -> Iterable[tuple[str, str, str]]:
    """The cells for CSV."""
    return (("" if turn is None else str(turn), phase, "" if rule is None else str(rule)) for turn, phase, rule in rows)


def told_in_bundle(path: Path) -> tuple[list[StatedKey], list[ShownTurn]]:
    """The keys and turns of a bundle. Raises `BundleError`, also for a bundle from before there were keys."""
    with Archive(path) as archive:
        return told_in(archive, rebuilt(archive))


def told_in(archive: Archive, inputs: StudyInputs) -> tuple[list[StatedKey], list[ShownTurn]]:
    """The same for an open archive and the inputs rebuilt from it."""
    if layout.SIDES not in archive.paths or layout.TURNS not in archive.paths:
        raise BundleError("This bundle has no keys and turns: it comes from a version without them.")
    rows = archive.table(layout.TURNS, [column.name for column in layout.TURN_FIELDS])
    answers, origins = inputs.answers, [(one["model"], one["method"], one["run"]) for one in inputs.origins]
    try:
        if len(rows) != len(answers):
            raise BundleError(f"{layout.TURNS} has {len(rows)} rows, {layout.ANSWERS} {len(answers)}.")
        keys = [StatedKey(**_key(one)) for one in archive.json(layout.SIDES)["keys"]]
        turns = []
        for place, row in enumerate(rows):
            if row["turn"]:
                first, second = int(answers.first[place]), int(answers.second[place])
                in_order = order_of_names(None if first < 0 else origins[first], origins[second])
                shown = bool(answers.first_is_a[place]) == in_order
                expert = int(answers.expert[place])
                turns.append(ShownTurn(expert, row["phase"], int(row["turn"]), int(row["rule"]), shown))
    except UNREADABLE as error:
        raise BundleError("The keys and turns of this bundle were not written by this program.") from error
    return keys, turns


def _key(stated: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: stated[name] for name in ("phase", "name", "sha256", "key")}
    bytes.fromhex(found["key"] or "")
    return found
