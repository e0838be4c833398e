"""What analyses compute on: a study as plain arrays with names, and a fingerprint of all that went in.

Gathered here, once, for every analysis: which responses count, which side was whose, and what was left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Q

from annotations.models import PreferenceResponse, SideOrder, Study, System
from annotations.models.datasets import matrix_or_error

Matrix = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Predictions(Mapping[str, Matrix]):
    """The systems' Q matrices by name, each read when asked for: only one need be in memory at a time."""

    def __init__(self, systems: Mapping[str, int]) -> None:
        self._ids = dict(systems)

    def __getitem__(self, name: str) -> Matrix:
        return matrix_or_error(System.objects.values_list("predictions", flat=True).get(pk=self._ids[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


@dataclass(frozen=True)
class StudyInputs:
    """A study's dataset and systems. Rows of P and of every Q are instances, columns are labels."""

    slug: str
    title: str
    dataset: str
    task: str
    compares: str
    state: str
    labels: tuple[str, ...]
    systems: tuple[str, ...]
    origins: tuple[dict[str, str], ...]
    P: Matrix
    Q: Mapping[str, Matrix]
    is_simulated: bool
    fingerprint: str

    @property
    def counts(self) -> dict[str, int]:
        return {"systems": len(self.systems), "instances": self.P.shape[0], "labels": self.P.shape[1]}


@dataclass(frozen=True)
class Responses:
    """The preference responses that count, one entry for every judgement of a system's distribution.

    In a study of systems against people a response judges one system; in a study of systems against systems it judges
    two, and is two entries. All arrays have one length.
    """

    response: Integers
    comparison: Integers
    system: Integers
    instance: Integers
    expert: Integers
    chosen: Flags
    other_chosen: Flags
    certainty: npt.NDArray[np.float64]
    exclusions: tuple[dict[str, Any], ...]

    def __len__(self) -> int:
        return len(self.system)

    @property
    def both(self) -> Flags:
        both: Flags = self.chosen & self.other_chosen
        return both

    @property
    def counts(self) -> dict[str, int]:
        return {
            "responses": len(np.unique(self.response)),
            "comparisons": len(np.unique(self.comparison)),
            "experts": len(np.unique(self.expert)),
        }


def gather(study: Study, *, include_pilot: bool = False) -> tuple[StudyInputs, Responses]:
    """Read a study in four queries, whatever its size, not counting the matrices.

    Of several revisions of a response the newest counts. Pilot responses are left out unless asked for, and so are
    deliberate repeats (they measure an expert against themselves); both are listed among the exclusions.
    """
    dataset = study.dataset
    compared = list(
        System.objects.filter(
            Q(pk__in=study.comparisons.values("first_system")) | Q(pk__in=study.comparisons.values("second_system"))
        )
    )
    systems = {system.name: system.pk for system in compared}
    labels = tuple(dataset.labels.order_by("position").values_list("name", flat=True))
    responses, raw = _responses(study, {pk: place for place, pk in enumerate(systems.values())}, include_pilot)
    inputs = StudyInputs(
        slug=study.slug,
        title=study.title,
        dataset=dataset.slug,
        task=dataset.task,
        compares=study.compares,
        state=study.state,
        labels=labels,
        systems=tuple(systems),
        origins=tuple({"model": s.model, "method": s.method, "run": s.run} for s in compared),
        P=matrix_or_error(dataset.gold),
        Q=Predictions(systems),
        is_simulated=study.is_simulated or dataset.is_simulated or any(system.is_simulated for system in compared),
        fingerprint=_fingerprint(dataset.fingerprint, compared, raw),
    )
    return inputs, responses


def _responses(study: Study, places: Mapping[int, int], include_pilot: bool) -> tuple[Responses, list[list[Any]]]:
    """The judgements, and the rows that they were read from (for the fingerprint)."""
    newest: dict[int, tuple[Any, ...]] = {}
    for row in (
        PreferenceResponse.objects.filter(assignment__study=study, assignment__released_at=None)
        .order_by("assignment_id", "revision")
        .values_list(
            "assignment_id",
            "assignment__comparison_id",
            "assignment__comparison__first_system_id",
            "assignment__comparison__second_system_id",
            "assignment__instance__position",
            "assignment__expert__number",
            "assignment__side_order",
            "assignment__is_pilot",
            "assignment__repeat_of_id",
            "a_chosen",
            "b_chosen",
            "certainty",
        )
        .iterator()
    ):
        newest[row[0]] = row
    pilot = repeated = 0
    judgements, raw = [], []
    for row in newest.values():
        assignment, comparison, first, second, instance, expert, order, is_pilot, repeat_of, a, b, certainty = row
        if repeat_of is not None:
            repeated += 1
            continue
        if is_pilot and not include_pilot:
            pilot += 1
            continue
        first_chosen, second_chosen = (a, b) if order == SideOrder.FIRST_IS_A else (b, a)
        raw.append([comparison, first, second, instance, expert, first_chosen, second_chosen, certainty])
        common = (assignment, comparison, instance, expert, np.nan if certainty is None else certainty)
        judgements.append((places[second], second_chosen, first_chosen, *common))
        if first is not None:
            judgements.append((places[first], first_chosen, second_chosen, *common))
    exclusions = [
        {"what": "responses", "count": count, "reason": reason}
        for count, reason in (
            (pilot, "given in the pilot"),
            (repeated, "deliberate repeats, which measure self-consistency"),
        )
        if count
    ]
    column = [np.array(values) for values in zip(*judgements, strict=True)] or [np.array([])] * 8
    return Responses(
        system=column[0].astype(np.int64),
        chosen=column[1].astype(np.bool_),
        other_chosen=column[2].astype(np.bool_),
        response=column[3].astype(np.int64),
        comparison=column[4].astype(np.int64),
        instance=column[5].astype(np.int64),
        expert=column[6].astype(np.int64),
        certainty=column[7].astype(np.float64),
        exclusions=tuple(exclusions),
    ), sorted(raw, key=repr)


def _fingerprint(dataset: str, systems: list[System], responses: list[list[Any]]) -> str:
    """SHA-256 of all that a result can depend on. Database ids are replaced by what they stand for, so that the
    same study read back elsewhere has the same fingerprint."""
    names = {system.pk: [system.name, system.fingerprint] for system in systems}
    content = {
        "dataset": dataset,
        "systems": sorted(names.values()),
        "responses": sorted(
            (
                [first and names[first], names[second], instance, expert, *answer]
                for _, first, second, instance, expert, *answer in responses
            ),
            key=repr,
        ),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
