"""What a folder of somebody's own files contains: datasets, predictions that fit them, and what cannot be read.

Nothing is written and no database is needed: an impossible demo is refused before it is begun.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.utils.text import slugify

from annotations.ground.errors import HLVError
from annotations.ground.progress import silent
from annotations.importing.formats import DatasetReader, dataset_readers, detect, prediction_readers
from annotations.importing.memory.options import options_from
from annotations.importing.memory.problems import ImportRefused, Problems
from annotations.importing.memory.tables import DatasetTable, Target
from annotations.importing.reading.files import Files, SourceFile, refuse_foreign
from annotations.importing.recognising import reader_of

MOST_FILES = 300
SPLIT = re.compile(r"[-_.](train|dev|test|val|valid|validation)$", re.IGNORECASE)
"""The end of a file name that marks one part of a dataset."""


class NothingToShow(HLVError):
    """No demo can be made from these files."""


@dataclass(frozen=True, slots=True)
class RealDataset:
    """A readable dataset, with the files that contain predictions for it."""

    slug: str
    title: str
    format: str
    files: tuple[SourceFile, ...]
    texts: int
    labels: int
    is_showable: bool
    predictions: list[tuple[str, tuple[SourceFile, ...]]] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        shown = "" if self.is_showable else ", not all of them with a text"
        sentence = f"{_names(self.files)}: {self.texts:,} texts{shown}, {self.labels} labels (format {self.format})"
        for _, files in self.predictions:
            sentence += f"; predictions in {_names(files)}"
        return sentence


@dataclass(frozen=True, slots=True)
class FoundData:
    """Everything in a folder; `unread` says why each other file is left out."""

    datasets: tuple[RealDataset, ...]
    unread: tuple[str, ...]

    @property
    def chosen(self) -> RealDataset:
        """The dataset for the study: among those that can be shown, the one with the most systems."""
        return max(
            (dataset for dataset in self.datasets if dataset.is_showable), key=lambda candidate: len(candidate.systems)
        )


def look_through(folder: Path) -> FoundData:
    """Everything in the folder that can be read.

    Raises:
        NothingToShow: there is no such folder, it contains too much, or no dataset with texts and predictions.
    """
    files, unread = [], []
    for path in _files_in(folder):
        file = SourceFile(path, str(path.relative_to(folder)))
        try:
            refuse_foreign(file, Problems())
            if file.size > settings.HLV_MAX_UPLOAD_BYTES:
                raise ImportRefused(f"{file.name}: this file is too large to be imported.")
        except (ImportRefused, OSError) as error:
            unread.append(_why(error))
        else:
            files.append(file)
    datasets, others = _datasets(files, unread)
    _find_predictions(datasets, others, unread)
    datasets = [
        (replace(real, slug=slug), table) for slug, (real, table) in zip(_slugs(datasets), datasets, strict=True)
    ]
    data = FoundData(datasets=tuple(real for real, _ in datasets), unread=tuple(unread))
    if not any(dataset.is_showable and dataset.systems for dataset in data.datasets):
        raise NothingToShow(_nothing(folder, data), unread=unread)
    return data


def _files_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise NothingToShow(f"There is no folder {folder}.")
    paths: list[Path] = []
    for where, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith((".", "__")))
        paths += [Path(where, name) for name in sorted(names) if not name.startswith(".")]
        if len(paths) > MOST_FILES:
            raise NothingToShow(
                f"There are more than {MOST_FILES} files in {folder}. Name the folder that holds the dataset itself."
            )
    return paths


def _slugs(datasets: Datasets) -> Iterator[str]:
    """A unique short name for each dataset, since files in different folders can have the same name."""
    taken: Counter[str] = Counter()
    for real, _ in datasets:
        taken[real.slug] += 1
        yield real.slug if taken[real.slug] == 1 else f"{real.slug}-{taken[real.slug]}"


Datasets = list[tuple[RealDataset, DatasetTable]]


def _datasets(files: Files, unread: list[str]) -> tuple[Datasets, list[SourceFile]]:
    datasets: Datasets = []
    refused: dict[SourceFile, str] = {}
    waiting = list(files)
    for group in _groups(files):
        # A table may contain shares or predictions: with texts it is a dataset, without them it is not enough.
        made = _read_dataset(group, refused)
        if made and (made[0].is_showable or detect(prediction_readers, group) is None):
            datasets.append(made)
            waiting = [file for file in waiting if file not in group]
    for folder in sorted({file.path.parent for file in waiting}):
        # Files that only together are a dataset: a matrix, its instances, a list of labels.
        group = tuple(file for file in waiting if file.path.parent == folder)
        apart = [file for file in group if detect(dataset_readers, [file]) is not None]
        if len(group) > 1 and apart and (made := _read_dataset(group, {})) and made[0].is_showable:
            datasets.append(made)
            waiting = [file for file in waiting if file not in group]
    others = []
    for file in waiting:
        if detect(prediction_readers, [file]) is not None:
            others.append(file)
        else:
            unread.append(refused.get(file) or _unknown(file))
    return datasets, others


def _groups(files: Iterable[SourceFile]) -> Iterator[tuple[SourceFile, ...]]:
    """Files that are parts of one dataset: same format, same folder, and same name except for the split."""
    groups: dict[tuple[Path, str, str], list[SourceFile]] = {}
    for file in files:
        reader = detect(dataset_readers, [file])
        if reader is not None:
            groups.setdefault((file.path.parent, reader.name, SPLIT.sub("", file.path.stem)), []).append(file)
    yield from map(tuple, groups.values())


def _read_dataset(
    group: tuple[SourceFile, ...], refused: dict[SourceFile, str]
) -> tuple[RealDataset, DatasetTable] | None:
    problems = Problems()
    try:
        reader: DatasetReader[Any] | None = detect(dataset_readers, group)
        if reader is None:
            return None
        table = reader.read(group, options_from(reader.options, {}), problems, silent)
        problems.stop_if_any()
    except HLVError as error:
        refused |= dict.fromkeys(group, _why(error))
        return None
    is_showable = len(table.labels) > 0 and all(row.segments for row in table.instances)
    title = SPLIT.sub("", group[0].path.stem)
    dataset = RealDataset(
        slug=slugify(title)[:50].strip("-") or "data",
        title=title,
        format=reader.name,
        files=group,
        texts=len(table.instances),
        labels=len(table.labels),
        is_showable=is_showable,
    )
    return dataset, table


def _find_predictions(datasets: Datasets, others: list[SourceFile], unread: list[str]) -> None:
    """Give each dataset the files with predictions for it; read together if possible, otherwise one by one."""
    groups: dict[tuple[Path, str], list[SourceFile]] = {}
    for file in others:
        if reader := detect(prediction_readers, [file]):
            groups.setdefault((file.path.parent, reader.name), []).append(file)
    refusals: dict[SourceFile, str] = {}
    fits: set[SourceFile] = set()
    for dataset, table in datasets:
        if not len(table.labels):
            continue
        target = _target(dataset, table)
        for (_, name), group in groups.items():
            tried = [tuple(group), *((file,) for file in group if len(group) > 1)]
            for files in tried:
                systems, why = _systems_in(name, files, target)
                if systems and not set(systems) & set(dataset.systems):
                    dataset.predictions.append((name, files))
                    dataset.systems.extend(systems)
                    fits |= set(files)
                if len(files) == len(group) and systems:
                    break
                if len(files) == 1 and why:
                    refusals.setdefault(files[0], why)
    unread += [
        refusals.get(file) or f"{file.name}: these are predictions, and there is no dataset for them here."
        for file in others
        if file not in fits
    ]


def _systems_in(name: str, files: tuple[SourceFile, ...], target: Target) -> tuple[list[str], str]:
    reader, problems = prediction_readers.get(name), Problems()
    try:
        table = reader.read(files, options_from(reader.options, {}), target, problems, silent)
        problems.stop_if_any()
    except HLVError as error:
        return [], _why(error)
    return [system.name for system in table.systems], ""


def _target(dataset: RealDataset, table: DatasetTable) -> Target:
    """What predictions must match, as if the dataset were stored."""

    def annotations_of() -> list[int]:
        rows = table.annotations
        if rows is None:
            return [0] * len(table.instances)
        counts = np.bincount(rows.instance, weights=rows.count, minlength=len(table.instances))
        return [int(count) for count in counts]

    return Target(
        slug=dataset.slug,
        labels=table.labels,
        external_ids=tuple(row.external_id for row in table.instances),
        read_gold=table.distributions,
        annotations_of=annotations_of,
    )


def _unknown(file: SourceFile) -> str:
    try:
        reader_of(dataset_readers, [file], Problems())
    except HLVError as error:
        return _why(error).split(". ")[0] + "."
    return f"{file.name}: this is part of a dataset whose other files are not here."


def _why(error: Exception) -> str:
    return error.message if isinstance(error, HLVError) else str(error)


def _names(files: Files) -> str:
    return ", ".join(file.name for file in files)


def _nothing(folder: Path, data: FoundData) -> str:
    with_texts = [dataset for dataset in data.datasets if dataset.is_showable]
    if with_texts:
        named = "; ".join(map(str, with_texts))
        return (
            f"There are no predictions in {folder} for what people said: {named}. A study compares the two, so put a "
            "system's predictions beside the dataset. docs/reference/formats.md describes the formats."
        )
    if data.datasets:
        named = "; ".join(map(str, data.datasets))
        return f"No dataset in {folder} can be shown to experts, who need its texts and labels: {named}."
    return f"Nothing in {folder} can be read as a dataset. docs/reference/formats.md describes the formats."
