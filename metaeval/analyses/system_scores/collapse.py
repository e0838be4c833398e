"""Runs that collapsed: they predict no label for any text, or the same for every text (Kurniawan et al. 2026, 5.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotations.ground.arrays import Matrix, absent_rows
from metaeval.analyses.base.saying import counted, name, spelled
from metaeval.analyses.inputs import DatasetInputs
from metaeval.analyses.system_scores.result import Collapse, CollapsedMethod, ScoredSystem, SystemScoresFindings

NEGLIGIBLE = 0.01
"""A trained network never predicts exactly 0, and never exactly the same: smaller shares and differences are none."""
MOST_NAMED = 3
"""The maximum number of collapsed methods named in a sentence or a caption; a table's notes name all of them."""
DEFINED = (
    f"A run collapsed if none of the shares that it predicts differs by {NEGLIGIBLE} or more between texts; it "
    f"predicts no label if all are below {NEGLIGIBLE}."
)


def collapses(data: DatasetInputs) -> dict[str, Collapse]:
    """How each system of a dataset collapsed, by its name; those that did not are left out."""
    is_multilabel = data.task == "multilabel"
    found = {system: _collapse(np.asarray(data.Q[system]), is_multilabel=is_multilabel) for system in data.systems}
    return {system: kind for system, kind in found.items() if kind}


def _collapse(Q: Matrix, *, is_multilabel: bool) -> Collapse:
    """Q: what one run predicts (N, K); rows of NaN are texts for which it predicts nothing."""
    Q = Q[~absent_rows(Q)]
    if is_multilabel and len(Q) and Q.max() < NEGLIGIBLE:
        return "nothing"
    return "same" if len(Q) > 1 and np.ptp(Q, axis=0).max() < NEGLIGIBLE else ""


def collapsed_methods(systems: Sequence[ScoredSystem]) -> list[CollapsedMethod]:
    """The methods with runs that collapsed, in the systems' order."""
    runs: dict[tuple[str, str, str], list[Collapse]] = {}
    for system in systems:
        runs.setdefault((system.dataset, system.model, system.method), []).append(system.collapse)
    kinds: tuple[Collapse, ...] = ("nothing", "same")
    return [
        CollapsedMethod(
            dataset=dataset, model=model, method=method, collapse=kind, runs=found.count(kind), of=len(found)
        )
        for (dataset, model, method), found in runs.items()
        for kind in kinds
        if kind in found
    ]


def collapse_in_words(result: SystemScoresFindings, *, most: int = MOST_NAMED) -> list[str]:
    """What collapsed, each in words, without a full stop; of many, the last says how many more.

    The model is named if there are several.
    """
    several = len({system.model for system in result.systems}) > 1
    said = [_said(one, with_model=several) for one in result.collapsed]
    if len(said) <= most:
        return said
    more = len(said) - most + 1
    return [*said[: most - 1], f"{spelled(more)} other methods collapsed, which the notes of the first table name"]


def _said(one: CollapsedMethod, *, with_model: bool) -> str:
    who = name(one.method or one.model)
    if with_model and one.method:
        who += f" of {name(one.model)}"
    what = "no label for any text" if one.collapse == "nothing" else "the same for every text"
    if one.of == 1:
        runs = ""
    elif one.runs == one.of:
        runs = f" in all {one.of} runs"
    else:
        runs = f" in {one.runs} of {counted(one.of, 'run')}"
    where = f" on {name(one.dataset)}" if one.dataset else ""
    return f"{who} predicts {what}{runs}{where}: it collapsed"
