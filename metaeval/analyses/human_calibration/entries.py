"""Whose calibration is judged: systems unscaled and scaled, people, and sub-samples of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from annotations.ground.arrays import Codes, Integers, Matrix, absent_rows
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.human_calibration.result import Kind
from metaeval.analyses.human_calibration.temperatures import Temperatures, scaled_by_fold
from metaeval.analyses.inputs import DatasetInputs
from metaeval.sampling import Replicates
from metaeval.stats.agreement import Annotations

ORACLE = "People (oracle)"
UNKNOWN_VOTES = "it is not known how many people gave which label, so people cannot be resampled"


@dataclass(frozen=True, eq=False)
class Entry:
    """Something that predicts: a system, unscaled or scaled, people themselves, or a sub-sample of them.

    `Q` returns its distributions for the instances at `places` (None: all of the dataset).
    """

    name: str
    kind: Kind
    model: str
    method: str
    run: str
    Q: Callable[[], Matrix]
    temperatures: tuple[float, ...] = ()
    reason: str = ""
    places: Codes | None = None


@dataclass(frozen=True, eq=False)
class CountedVotes:
    """Counts (instances, labels) of the instances that have enough votes to sub-sample, and their places."""

    counts: Integers
    places: Codes


def votes_of(data: DatasetInputs, parameters: HumanCalibration) -> tuple[CountedVotes, str]:
    """The votes that can be sub-sampled, or why there are none."""
    annotations = data.annotations
    if not isinstance(annotations, Annotations):
        return CountedVotes(np.zeros((0, len(data.labels)), dtype=np.int64), np.zeros(0, dtype=np.int64)), UNKNOWN_VOTES
    counts = np.zeros((len(data.P), len(data.labels)), dtype=np.int64)
    np.add.at(counts, (np.asarray(annotations.items, dtype=np.int64)[annotations.item], annotations.label), 1)
    places = np.flatnonzero(counts.sum(axis=1) >= parameters.sample_size)
    reason = "" if len(places) else f"no instance has {parameters.sample_size} votes"
    return CountedVotes(counts[places], places), reason


def people_entries(data: DatasetInputs, votes: CountedVotes, shares: Replicates | None) -> Iterator[Entry]:
    yield Entry(ORACLE, "oracle", "", "", "", lambda: data.P)
    for number, sample in enumerate([] if shares is None else shares, start=1):
        yield Entry(f"H{number}", "people", "", "", str(number), partial(_same, sample), places=votes.places)


def _same(matrix: Matrix) -> Matrix:
    return matrix


def known_places(data: DatasetInputs, name: str) -> Codes | None:
    """The instances for which the system has a prediction; None: all."""
    return np.flatnonzero(~absent_rows(np.asarray(data.Q[name]))) if name in data.absent else None


def _rows(matrix: Matrix, places: Codes | None) -> Matrix:
    """The rows at these places (None: all)."""
    return np.asarray(matrix) if places is None else np.asarray(matrix)[places]


def system_entries(data: DatasetInputs, name: str, temperatures: Temperatures | None) -> Iterator[Entry]:
    """The system unscaled and, if it has temperatures, scaled."""
    origin = data.origins[data.systems.index(name)]
    model, method, run = origin["model"], origin["method"], origin["run"]
    known = known_places(data, name)
    yield Entry(name, "system", model, method, run, lambda: _rows(data.Q[name], known), places=known)
    if temperatures is None:
        return
    words, fold = temperatures.words, temperatures.fold
    yield Entry(
        f"{name} · {words}",
        "scaled",
        model,
        f"{method} · {words}" if method else words,
        run,
        lambda: scaled_by_fold(
            _rows(data.Q[name], known), fold if known is None else fold[known], temperatures.of_folds
        ),
        temperatures.of_folds,
        temperatures.reason,
        known,
    )
