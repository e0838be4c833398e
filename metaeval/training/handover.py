"""Targets as files for anybody's trainer: a folder of Parquet tables, and `targets.json` that says what they mean.

It holds everything that a method says to a model, fold by fold, so that a trainer needs nothing else of this project:
texts, examples with their weights, targets of each output layer, and what people said of the development parts. The
texts to be predicted are there without judgements. `metaeval/training_jobs` writes the folder of a dataset, and reads
back what was predicted.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from annotations.ground import bounded_json
from annotations.ground.arrays import Codes
from annotations.ground.errors import HLVError
from annotations.ground.progress import Progress, silent
from metaeval.training.applying import DoesNotApply, why_not
from metaeval.training.corpus import Corpus
from metaeval.training.registry import TrainingMethod
from metaeval.training.splits import Split, SplitPart
from metaeval.training.targets import Targets

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT, VERSION = "hlv-training-targets", 1

MANIFEST = "targets.json"
INSTANCES = "instances.parquet"
FOLDS = "folds.parquet"
EXAMPLES = "examples.parquet"
ROWS = "rows.parquet"
DEVELOPMENT = "development.parquet"
PREDICTIONS = "predictions.parquet"
STATEMENT = "training.json"

SEARCH, FINAL = "search", "final"
"""What a model learns from: the training part alone, or the development part as well."""

RESERVED = frozenset(
    {"model", "method", "run", "fold", "part", "instance", "segments", "example", "head", "weight", "times"}
)
"""Columns that are not labels."""

LABELS = "one column for each label"
COLUMNS = {
    INSTANCES: {"instance": "the id of the text", "segments": "its segments in order, such as premise and hypothesis"},
    FOLDS: {
        "fold": "from 0",
        "instance": "the id of a text that the fold uses",
        "part": "train, dev (for the choice of settings) or test (to be predicted)",
    },
    EXAMPLES: {
        "fold": "from 0",
        "part": f"{SEARCH}: the training part alone. {FINAL}: training and development part together",
        "example": "from 0 in each fold and part",
        "instance": "the id of the text that the model reads",
        "weight": "the example's loss is multiplied by it",
        "times": "how often the example occurs in an epoch",
    },
    ROWS: {
        "fold": f"as in {EXAMPLES}",
        "part": f"as in {EXAMPLES}",
        "example": f"as in {EXAMPLES}; an example has one row, or several",
        "head": "the output layer that is to predict this row: empty if there is only one, or an annotator's code",
        LABELS: "the target: 1 and 0 for labels, or shares of annotations",
    },
    DEVELOPMENT: {
        "fold": "from 0",
        "instance": "the id of a text of the fold's development part",
        LABELS: "the share of its annotations that gave the label",
    },
}
"""The tables and their columns."""


class NotHandedOver(HLVError):
    """A folder of targets cannot be written, or is not what this program wrote."""


def label_columns(labels: Sequence[str]) -> tuple[str, ...]:
    """The column of each label: its name, or "label NAME" if the name is that of another column.

    >>> label_columns(["no", "head", "label head"])
    ('no', 'label head', 'label label head')
    """
    return tuple(f"label {label}" if _bare(label) in RESERVED else label for label in labels)


def _bare(label: str) -> str:
    """Without any number of "label " before it, so that no two labels share a column."""
    while label.startswith("label "):
        label = label.removeprefix("label ")
    return label


def learning(split: Split) -> str:
    """Which examples are for what, in sentences."""
    if split.final_learns_from_dev:
        return (
            f"Settings are chosen with models that learn from the examples of the part {SEARCH!r} and predict the "
            f"development part. With these settings, the model that predicts the test part learns from the part "
            f"{FINAL!r}, which is training and development part together."
        )
    return (
        f"The model that predicts the test part learns from the examples of the part {SEARCH!r}, which is the training "
        "part. The development part, if there is one, is for the choice of settings alone."
    )


def coming_back(method: TrainingMethod, columns: Sequence[str]) -> dict[str, object]:
    """What `predictions.parquet` has to be."""
    rows = (
        "For each run and fold, one row for each test text and each of the fold's output layers."
        if method.predicts_from_all
        else "For each run and fold, one row for each test text, from the output layer (of several, the first)."
    )
    columns_besides = {
        "model": "what the systems' model is called; may be left out if the import names it",
        "run": "the name of the run, such as 1, 2, 3",
        "fold": "from 0",
        "instance": "the id of the text",
    }
    if method.predicts_from_all:
        columns_besides["head"] = f"the output layer, as in {ROWS}"
    return {
        "file": f"{PREDICTIONS}, in this folder",
        "rows": rows,
        "columns": {**columns_besides, LABELS: "its probability, after softmax or the logistic function"},
        STATEMENT: "may be added: an object in which the trainer states what it likes, such as encoder, settings and "
        "seeds. It is stored with the systems.",
    }


AGAIN = "Make the targets again, and train on them."
LARGEST_STATEMENT = 1 << 16


@dataclass(frozen=True)
class Handover:
    """What `targets.json` states."""

    dataset: Mapping[str, str]
    """Slug and SHA-256 of the dataset."""
    method: str
    """The name of the method."""
    columns: tuple[str, ...]
    """The columns of the labels, in order."""
    heads: tuple[tuple[str, ...], ...]
    """By fold, what the output layers of the model are called that predicts its test part."""
    predicts_from_all: bool
    """Whether predictions are made from all of them, rather than the first."""
    split: Mapping[str, Any]
    """What is stated of the split."""
    versions: Mapping[str, str]
    """Of the libraries that wrote it."""
    sha256: str
    """Of `targets.json`."""

    @classmethod
    def of_manifest(cls, stated: Mapping[str, Any], *, sha256: str) -> Self:
        """From the content of `targets.json`. Raises KeyError, TypeError or ValueError if it is something else."""
        folds = int(stated["split"]["folds"])
        heads: dict[int, tuple[str, ...]] = {}
        for part in stated["parts"]:  # of a fold, the final part comes last
            heads[int(part["fold"])] = tuple(map(str, part["heads"]))
        if sorted(heads) != list(range(folds)):
            raise ValueError(folds)
        return cls(
            dataset={name: str(stated["dataset"][name]) for name in ("slug", "fingerprint")},
            method=str(stated["method"]["name"]),
            columns=tuple(map(str, stated["label_columns"])),
            heads=tuple(heads[fold] for fold in range(folds)),
            predicts_from_all=bool(stated["predicts_from_all_heads"]),
            split=dict(stated["split"]),
            versions={str(name): str(version) for name, version in stated["versions"].items()},
            sha256=sha256,
        )


def read_handover(folder: Path) -> Handover:
    """What the folder's manifest states.

    Raises:
        NotHandedOver: there is none, or it is damaged or of another version.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NotHandedOver(
            f"{path} cannot be read: {error.strerror}. Name the folder that make_targets wrote."
        ) from error
    try:
        stated = bounded_json.loads(content)
        is_ours = (stated["format"], stated["version"]) == (FORMAT, VERSION)
        handover = Handover.of_manifest(stated, sha256=hashlib.sha256(content).hexdigest()) if is_ours else None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotHandedOver(f"{path} is damaged. {AGAIN}") from error
    if handover is None:
        raise NotHandedOver(f"{path} is of another version than {FORMAT} {VERSION}. {AGAIN}")
    return handover


def read_split(folder: Path, handover: Handover, ids: Sequence[str]) -> Split:
    """The split of the folder, of a dataset with these instances.

    Raises:
        NotHandedOver: the table of folds cannot be read, is not the one that was written, or names instances that the
            dataset does not have, or no longer.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / FOLDS
    try:
        columns = pq.read_table(path, columns=["fold", "instance", "part"]).to_pydict()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise NotHandedOver(f"{path} cannot be read as a table of folds. {AGAIN}") from error
    places = {name: place for place, name in enumerate(ids)}
    gone = [name for name in columns["instance"] if name not in places]
    if gone:
        raise NotHandedOver(
            f"{path} names {gone[0]!r}, which is not in the dataset; if it was erased meanwhile, nothing may be "
            f"predicted for it. {AGAIN}"
        )
    parts = np.zeros((len(handover.heads), len(ids)), dtype=np.int8)
    words = {part.word: int(part) for part in SplitPart}
    try:
        parts[columns["fold"], [places[name] for name in columns["instance"]]] = [words[w] for w in columns["part"]]
        stated = handover.split
        split = Split(
            kind=stated["kind"],
            ids=tuple(ids),
            parts=parts,
            seed=stated["seed"],
            is_stratified=stated["is_stratified"],
            twins=stated["twins_left_out"],
        )
        is_whole = split.fingerprint == stated["fingerprint"]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise NotHandedOver(f"{path} is damaged. {AGAIN}") from error
    if not is_whole:
        raise NotHandedOver(f"{path} is not the split that {MANIFEST} states. {AGAIN}")
    return split


def read_statement(folder: Path) -> dict[str, Any]:
    """What the trainer states in `training.json`; empty if it states nothing.

    Raises:
        NotHandedOver: it is no object, or too long.
    """
    path = folder / STATEMENT
    if not path.is_file():
        return {}
    if path.stat().st_size > LARGEST_STATEMENT:
        raise NotHandedOver(f"{path} is longer than {LARGEST_STATEMENT:,} bytes. State less.")
    try:
        stated = bounded_json.loads(path.read_bytes())
    except ValueError:
        stated = None
    if not isinstance(stated, dict):
        raise NotHandedOver(f'{path} is not a JSON object. Write one such as {{"encoder": "...", "epochs": 10}}.')
    return stated


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
        with _Tables(unfinished, corpus, label_columns(corpus.judgements.labels)) as files:
            files.add_texts(split)
            for done, (number, part, judgements, learnt) in enumerate(tables, start=1):
                targets = method.targets(judgements)
                files.add_targets(number, part, learnt, targets)
                parts.append(_stated(number, part, targets))
                progress(done, len(tables), f"targets of fold {number + 1} of {len(split)}")
        manifest = _manifest(unfinished, corpus=corpus, split=split, method=method, dataset=dataset, parts=parts)
        text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        (unfinished / MANIFEST).write_text(text, encoding="utf-8")


def _learnt(split: Split) -> Iterator[tuple[int, str, Codes]]:
    for number, fold in enumerate(split):
        yield number, SEARCH, fold.train
        if split.final_learns_from_dev:
            yield number, FINAL, split.final(number)


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
    columns = label_columns(corpus.judgements.labels)
    return {
        "format": FORMAT,
        "version": VERSION,
        "dataset": asdict(dataset),
        "task": corpus.judgements.task,
        "labels": list(corpus.judgements.labels),
        "label_columns": list(columns),
        "method": {"name": method.name, "title": method.title, "learns": method.learns, "source": method.source},
        "split": split.stated(),
        "learning": learning(split),
        "loss": method.objective,
        **WHOSE,
        "prediction": method.prediction,
        "predicts_from_all_heads": method.predicts_from_all,
        "parts": parts,
        "files": {
            name: {"columns": column_names, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
            for name, column_names in COLUMNS.items()
        },
        "predictions": coming_back(method, columns),
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
            INSTANCES: pa.schema({"instance": pa.string(), "segments": pa.list_(pa.string())}),
            FOLDS: pa.schema({"fold": pa.int32(), "instance": pa.string(), "part": pa.string()}),
            EXAMPLES: pa.schema(start | {"instance": pa.string(), "weight": pa.float64(), "times": pa.int64()}),
            ROWS: pa.schema(start | {"head": pa.string()} | shares),
            DEVELOPMENT: pa.schema({"fold": pa.int32(), "instance": pa.string()} | shares),
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
        self._write(INSTANCES, [self.ids[used], texts])
        for number, fold in enumerate(split):
            places = np.flatnonzero(split.parts[number] != SplitPart.UNUSED)
            words = [SplitPart(part).word for part in split.parts[number, places].tolist()]
            self._write(FOLDS, [np.full(len(places), number), self.ids[places], words])
            shares = self.corpus.judgements.shares[fold.dev]
            self._write(DEVELOPMENT, [np.full(len(shares), number), self.ids[fold.dev], *shares.T])

    def add_targets(self, number: int, part: str, learnt: Codes, targets: Targets) -> None:
        """The examples of a fold and part, and their rows."""
        E, R = len(targets), len(targets.value)
        about = [self.ids[learnt[targets.instance]], targets.weight, targets.times]
        self._write(EXAMPLES, [np.full(E, number), [part] * E, np.arange(E), *about])
        heads = np.array(targets.heads, dtype=object)[targets.head]
        self._write(ROWS, [np.full(R, number), [part] * R, targets.example, heads, *targets.value.T])


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
