"""Read the folder again, when predictions come back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from annotations.ground import bounded_json
from metaeval.training.handover import layout
from metaeval.training.handover.layout import NotHandedOver
from metaeval.training.splits import Split, SplitPart

AGAIN = "Make the targets again, and train on them."
LARGEST_STATEMENT = 1 << 16


@dataclass(frozen=True)
class Handover:
    """What `targets.json` states.

    Attributes:
        dataset: slug and SHA-256 of the dataset.
        method: the name of the method.
        columns: the columns of the labels, in order.
        heads: by fold, what the output layers of the model are called that predicts its test part.
        predicts_from_all: whether predictions are made from all of them, rather than the first.
        split: what is stated of the split.
        versions: of the libraries that wrote it.
        sha256: of `targets.json`.
    """

    dataset: Mapping[str, str]
    method: str
    columns: tuple[str, ...]
    heads: tuple[tuple[str, ...], ...]
    predicts_from_all: bool
    split: Mapping[str, Any]
    versions: Mapping[str, str]
    sha256: str

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
    path = folder / layout.MANIFEST
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NotHandedOver(
            f"{path} cannot be read: {error.strerror}. Name the folder that make_targets wrote."
        ) from error
    try:
        stated = bounded_json.loads(content)
        is_ours = (stated["format"], stated["version"]) == (layout.FORMAT, layout.VERSION)
        found = Handover.of_manifest(stated, sha256=hashlib.sha256(content).hexdigest()) if is_ours else None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotHandedOver(f"{path} is damaged. {AGAIN}") from error
    if found is None:
        raise NotHandedOver(f"{path} is of another version than {layout.FORMAT} {layout.VERSION}. {AGAIN}")
    return found


def read_split(folder: Path, handover: Handover, ids: Sequence[str]) -> Split:
    """The split of the folder, of a dataset with these instances.

    Raises:
        NotHandedOver: the table of folds cannot be read, is not the one that was written, or names instances that the
            dataset does not have, or no longer.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / layout.FOLDS
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
        raise NotHandedOver(f"{path} is not the split that {layout.MANIFEST} states. {AGAIN}")
    return split


def read_statement(folder: Path) -> dict[str, Any]:
    """What the trainer states in `training.json`; empty if it states nothing.

    Raises:
        NotHandedOver: it is no object, or too long.
    """
    path = folder / layout.STATEMENT
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
