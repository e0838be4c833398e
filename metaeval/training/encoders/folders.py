"""A folder with a pretrained encoder, looked at before anything is loaded from it. Needs no torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from metaeval.training.errors import EncoderUnusable

PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
"""Endings of files that run whatever code they hold when they are read."""


def checked_folder(path: str) -> Path:
    """The folder, if it holds an encoder with weights that are safe to read. Otherwise `EncoderUnusable` says why."""
    folder = Path(path)
    if not folder.is_dir():
        raise EncoderUnusable(
            f"There is no folder {path!r}. Name the folder that holds the encoder's config.json; a name on a hub works "
            "only where the administrator has allowed it.",
            path=path,
        )
    configuration(folder)
    if not list(folder.glob("*.safetensors")):
        pickled = sorted(file.name for file in folder.iterdir() if file.suffix in PICKLED)
        if pickled:
            raise EncoderUnusable(
                f"The weights in {path!r} are pickled ({pickled[0]}), and reading such a file runs the code in it. "
                "Save the encoder as safetensors: model.save_pretrained(FOLDER) of transformers does so.",
                path=path,
            )
        raise EncoderUnusable(f"The folder {path!r} holds no weights (a file that ends in .safetensors).", path=path)
    return folder


def configuration(folder: Path) -> dict[str, Any]:
    """What config.json says."""
    path = folder / "config.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise EncoderUnusable(
            f"The folder {str(folder)!r} is not an encoder: it holds no config.json.", path=str(folder)
        ) from None
    except (OSError, ValueError) as error:
        raise EncoderUnusable(f"{str(path)!r} cannot be read: {error}.", path=str(folder)) from None
    if not isinstance(content, dict) or "model_type" not in content:
        raise EncoderUnusable(f"{str(path)!r} names no model_type, so it is not an encoder's.", path=str(folder))
    return content


def weights_in(folder: Path) -> int:
    """How many weights the folder's safetensors hold, read from their headers: 8 bytes of length, then JSON."""
    total = 0
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        for name, entry in header.items():
            if name != "__metadata__":
                size = 1
                for length in entry["shape"]:
                    size *= length
                total += size
    return total


def files_of(folder: Path) -> list[Path]:
    """The files that an encoder is loaded from."""
    return sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
