"""Write the folder: everything or nothing, and the same bytes from the same data."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annotations.ground.arrays import Codes
from annotations.ground.progress import Progress, silent
from metaeval.training.applying import DoesNotApply, why_not
from metaeval.training.corpus import Corpus
from metaeval.training.handover import layout
from metaeval.training.handover.layout import NotHandedOver
from metaeval.training.registry import TrainingMethod
from metaeval.training.splits import Split, SplitPart
from metaeval.training.targets import Targets

if TYPE_CHECKING:
    import pyarrow as pa

LIBRARIES = ("numpy", "pyarrow")
WHOSE = {
    "weights": "1 for every example, unless the method gives examples weights of their own (AR, ARh: the sum of the "
    "scores of the text's annotators). Weights and targets come from the fold's own training texts alone.",
    "times": "1 for every example, unless several people whose names are unknown gave the same annotation (ReL).",
}


@dataclass(frozen=True)
class Origins:
    """The dataset that the targets are made from, as the manifest states it."""

    slug: str
    title: str
    task: str
    fingerprint: str


def write_handover(
    folder: Path, *, corpus: Corpus, split: Split, method: TrainingMethod, dataset: Origins, progress: Progress = silent
) -> None:
    """Write the targets of a method into a new folder. The folder appears when it is complete; the same data, split
    and versions of the libraries give the same bytes.

    Raises:
        DoesNotApply: a fold's texts cannot be learnt from with this method.
        NotHandedOver: the folder is there and not empty, or cannot be written.
    """
    tables = [(number, part, corpus.judgements.of(learnt), learnt) for number, part, learnt in _learnt(split)]
    for number, _, judgements, _ in tables:
        if why := why_not(method, judgements):
            where = f"Fold {number + 1}: " if len(split) > 1 else ""
            raise DoesNotApply(f"{where}{why}", method=method.name)
    with _whole(folder) as unfinished:
        parts = []
        with _Tables(unfinished, corpus, layout.label_columns(corpus.judgements.labels)) as files:
            files.add_texts(split)
            for done, (number, part, judgements, learnt) in enumerate(tables, start=1):
                targets = method.targets(judgements)
                files.add_targets(number, part, learnt, targets)
                parts.append(_stated(number, part, targets))
                progress(done, len(tables), f"targets of fold {number + 1} of {len(split)}")
        manifest = _manifest(unfinished, corpus=corpus, split=split, method=method, dataset=dataset, parts=parts)
        text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        (unfinished / layout.MANIFEST).write_text(text, encoding="utf-8")


def _learnt(split: Split) -> Iterator[tuple[int, str, Codes]]:
    for number, fold in enumerate(split):
        yield number, layout.SEARCH, fold.train
        if split.final_learns_from_dev:
            yield number, layout.FINAL, split.final(number)


def _stated(number: int, part: str, targets: Targets) -> dict[str, Any]:
    return {
        "fold": number,
        "part": part,
        "examples": len(targets),
        "examples_per_epoch": targets.per_epoch,
        "rows": len(targets.value),
        "heads": list(targets.heads),
    }


def _manifest(
    folder: Path, *, corpus: Corpus, split: Split, method: TrainingMethod, dataset: Origins, parts: list[dict[str, Any]]
) -> dict[str, Any]:
    columns = layout.label_columns(corpus.judgements.labels)
    return {
        "format": layout.FORMAT,
        "version": layout.VERSION,
        "dataset": asdict(dataset),
        "task": corpus.judgements.task,
        "labels": list(corpus.judgements.labels),
        "label_columns": list(columns),
        "method": {"name": method.name, "title": method.title, "learns": method.learns, "source": method.source},
        "split": split.stated(),
        "learning": layout.learning(split),
        "loss": method.objective,
        **WHOSE,
        "prediction": method.prediction,
        "predicts_from_all_heads": method.predicts_from_all,
        "parts": parts,
        "files": {
            name: {"columns": told, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
            for name, told in layout.COLUMNS.items()
        },
        "predictions": layout.coming_back(method, columns),
        "versions": {name: version(name) for name in LIBRARIES},
    }


class _Tables:
    """The tables, each written piece by piece: a row group for each fold and part."""

    def __init__(self, folder: Path, corpus: Corpus, columns: tuple[str, ...]) -> None:
        import pyarrow as pa

        self.folder, self.corpus, self.columns = folder, corpus, columns
        self.ids = np.array(corpus.ids, dtype=object)
        self._open: dict[str, Any] = {}
        shares = {name: pa.float64() for name in columns}
        start = {"fold": pa.int32(), "part": pa.string(), "example": pa.int64()}
        self.schemas = {
            layout.INSTANCES: pa.schema({"instance": pa.string(), "segments": pa.list_(pa.string())}),
            layout.FOLDS: pa.schema({"fold": pa.int32(), "instance": pa.string(), "part": pa.string()}),
            layout.EXAMPLES: pa.schema(start | {"instance": pa.string(), "weight": pa.float64(), "times": pa.int64()}),
            layout.ROWS: pa.schema(start | {"head": pa.string()} | shares),
            layout.DEVELOPMENT: pa.schema({"fold": pa.int32(), "instance": pa.string()} | shares),
        }

    def __enter__(self) -> _Tables:
        import pyarrow.parquet as pq

        for name, schema in self.schemas.items():
            self._open[name] = pq.ParquetWriter(self.folder / name, schema)
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._open.values():
            writer.close()

    def _write(self, name: str, columns: list[Any]) -> None:
        import pyarrow as pa

        schema: pa.Schema = self.schemas[name]
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        self._open[name].write_table(pa.Table.from_arrays(arrays, schema=schema))

    def add_texts(self, split: Split) -> None:
        """The texts that some fold uses, the parts of the folds, and what people said of their development parts."""
        used = np.flatnonzero((split.parts != SplitPart.UNUSED).any(axis=0))
        texts = [list(self.corpus.texts[place]) for place in used.tolist()]
        self._write(layout.INSTANCES, [self.ids[used], texts])
        for number, fold in enumerate(split):
            places = np.flatnonzero(split.parts[number] != SplitPart.UNUSED)
            words = [SplitPart(part).word for part in split.parts[number, places].tolist()]
            self._write(layout.FOLDS, [np.full(len(places), number), self.ids[places], words])
            shares = self.corpus.judgements.shares[fold.dev]
            self._write(layout.DEVELOPMENT, [np.full(len(shares), number), self.ids[fold.dev], *shares.T])

    def add_targets(self, number: int, part: str, learnt: Codes, targets: Targets) -> None:
        """The examples of a fold and part, and their rows."""
        E, R = len(targets), len(targets.value)
        about = [self.ids[learnt[targets.instance]], targets.weight, targets.times]
        self._write(layout.EXAMPLES, [np.full(E, number), [part] * E, np.arange(E), *about])
        heads = np.array(targets.heads, dtype=object)[targets.head]
        self._write(layout.ROWS, [np.full(R, number), [part] * R, targets.example, heads, *targets.value.T])


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """A new folder beside the wanted one, which takes its name at the end, and leaves nothing if something fails."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise NotHandedOver(f"{folder} is there already and not an empty folder. Choose another, or empty it.")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise NotHandedOver(f"{folder} cannot be written: {error.strerror}. Choose another folder.") from error
    try:
        yield unfinished
        unfinished.chmod(0o755)
        unfinished.rename(folder)
    except OSError as error:
        raise NotHandedOver(f"{folder} cannot be written: {error.strerror}. Choose another folder.") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
