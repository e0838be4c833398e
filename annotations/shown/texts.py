"""The texts of a dataset as researchers browse them: searched by words, sorted, one page at a time.

A page fetches only its own rows of P and Q (`RowOf`). Whole matrices are read only if the order needs them: P to sort
by disagreement; P and every Q, one system after another, to sort by where systems fail.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from django.core.cache import cache
from django.db.models import Count, F, OuterRef, QuerySet, Subquery, Sum
from django.utils.translation import gettext as _

from annotations.ground.arrays import Places, Vector
from annotations.ground.disagreement import disagreement, distance
from annotations.ground.errors import HLVError
from annotations.ground.system_names import system_name
from annotations.models import Dataset, HumanAnnotation, Instance, Label, System, Task
from annotations.storing.fields import RowOf

Order = Literal["position", "disagreement", "-disagreement", "worst"]
ORDERS: tuple[str, ...] = get_args(Order)
EXCERPT = 280


class UnknownSystem(HLVError):
    """The dataset has no such system, or no such label."""

    code = "unknown_name"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which texts, in which order. `-disagreement` puts those first about which people disagree most.

    `worst` puts those first on which systems are furthest off: by the mean distance of all, or by that of one `system`.
    `label`: only texts for which somebody chose it.
    """

    search: str = ""
    order: Order = "position"
    system: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class FoundTexts:
    """Positions of the texts in order, and how far systems are from each, if requested."""

    positions: Sequence[int]
    distances: Mapping[int, float]


def find(dataset: Dataset, wanted: Wanted) -> FoundTexts:
    """The requested texts in order; ties are ordered by position.

    Raises:
        UnknownSystem: the dataset has no such system or label.
    """
    positions = _found(dataset, wanted.search)
    multilabel = dataset.task == Task.MULTILABEL
    if wanted.label:
        column = Label.objects.filter(dataset=dataset, name=wanted.label).values_list("position", flat=True).first()
        if column is None:
            raise UnknownSystem(
                _("The dataset has no label {label}.").format(label=repr(wanted.label)), label=wanted.label
            )
        positions = positions[dataset.gold[positions, column] > 0]
    if wanted.order.endswith("disagreement"):
        values = disagreement(dataset.gold, multilabel=multilabel)[positions]
        ascending = wanted.order == "disagreement"
        return FoundTexts(positions[np.argsort(values if ascending else -values, kind="stable")].tolist(), {})
    if not wanted.system and wanted.order != "worst":
        return FoundTexts(positions.tolist(), {})
    means = _known_distances(dataset, system_named(dataset, wanted.system))[positions]
    if wanted.order == "worst":
        # Texts without any predictions come last.
        order = np.argsort(-np.nan_to_num(means, nan=-1.0), kind="stable")
        positions, means = positions[order], means[order]
    return FoundTexts(positions.tolist(), dict(zip(positions.tolist(), means.tolist(), strict=True)))


def mean_distances(dataset: Dataset, systems: Iterable[System]) -> Vector:
    """For each instance, the mean distance of the systems that predict it; NaN if none does. Reads one Q at a time."""
    total, count = np.zeros(len(dataset.gold)), np.zeros(len(dataset.gold))
    for system in systems:
        apart = distance(dataset.gold, system.predictions, multilabel=dataset.task == Task.MULTILABEL)
        defined = ~np.isnan(apart)
        total[defined] += apart[defined]
        count += defined
    return np.asarray(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))


def _known_distances(dataset: Dataset, systems: QuerySet[System]) -> Vector:
    """`mean_distances`, cached by content: matrices never change."""
    of = [dataset.fingerprint, *systems.order_by("pk").values_list("pk", "fingerprint", "created_at")]
    key = f"distances:{hashlib.sha256(repr(of).encode()).hexdigest()}"
    distances: Vector | None = cache.get(key)
    if distances is None:
        distances = mean_distances(dataset, systems.defer(None).iterator(chunk_size=1))
        cache.set(key, distances, timeout=None)
    return distances


def system_named(dataset: Dataset, name: str) -> QuerySet[System]:
    """The system of that name, or all systems, without their matrices."""
    systems: QuerySet[System] = System.objects.filter(dataset=dataset)
    if name:
        keys = [pk for pk, *parts in systems.values_list("pk", "model", "method", "run") if system_name(*parts) == name]
        if not keys:
            raise UnknownSystem(_("The dataset has no system {name}.").format(name=repr(name)), system=name)
        systems = systems.filter(pk=keys[0])
    return systems


def rows_of(dataset: Dataset, positions: Sequence[int]) -> list[Any]:
    """The instances at these positions, in this order, each with its row of P and how many people judged it."""
    columns = Label.objects.filter(dataset=OuterRef("dataset")).order_by().values("dataset")
    people = HumanAnnotation.objects.filter(instance=OuterRef("pk")).order_by().values("instance")
    instances = Instance.objects.filter(dataset=dataset, position__in=positions).annotate(
        columns=Subquery(columns.annotate(count=Count("pk")).values("count")),
        shares=RowOf(F("dataset__gold"), row=F("position"), columns=F("columns")),
        people=Subquery(people.annotate(count=Sum("count")).values("count")),
    )
    by_position = {instance.position: instance for instance in instances}
    return [by_position[position] for position in positions if position in by_position]


def predictions_of(instance: Instance, columns: int) -> list[Any]:
    """The dataset's systems, each with its row of Q for this instance as `row`."""
    systems = System.objects.filter(dataset=instance.dataset_id).order_by("model", "method", "run")
    return list(systems.annotate(row=RowOf(F("predictions"), row=instance.position, columns=columns)))


def excerpt(segments: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The segments, shortened so that together they are at most `EXCERPT` characters.

    >>> excerpt([{"name": "", "text": "word " * 100}])[0]["text"][-8:]
    'd word …'
    """
    room = max(40, EXCERPT // max(1, len(segments)))
    return [{"name": part["name"], "text": _shortened(part["text"], room)} for part in segments]


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[:room].rsplit(maxsplit=1)[0]} …"


def _found(dataset: Dataset, search: str) -> Places:
    """Positions of the texts whose id or text contains the words, in any case and any language.

    Compared here, not in the database: SQLite stores texts escaped, and only knows the case of English letters.
    A withdrawn text is found by its id alone.
    """
    instances = Instance.objects.filter(dataset=dataset).order_by("position")
    words = search.casefold().split()
    if not words:
        return np.fromiter(instances.values_list("position", flat=True), dtype=np.intp)
    rows = instances.values_list("position", "external_id", "segments", "withdrawn_at")
    positions = []
    for position, name, segments, withdrawn in rows.iterator():
        texts = [name, *(part["text"] for part in segments if withdrawn is None)]
        whole = "\n".join(texts).casefold()
        if all(word in whole for word in words):
            positions.append(position)
    return np.array(positions, dtype=np.intp)
