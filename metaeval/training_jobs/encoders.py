"""Which encoders a training may use. A command may name any folder; a page only what the server's admin provided."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from annotations.ground.errors import HLVError
from metaeval.training.lessons import EncoderChoice
from metaeval.training_jobs.parameters import SMALL, TrainingParameters

ON_THE_SPOT = (SMALL, "tfidf")
"""Encoders without a folder: a small transformer, and frozen word counts, for tests of the plumbing only."""
A_FOLDER = "config.json"
"""The file that every Hugging Face folder has."""


class UnknownEncoder(HLVError):
    """There is no such encoder here."""

    code = "unknown_encoder"


def offered() -> list[str]:
    """What the page offers: the small encoder, and the folders in `HLV_ENCODERS`."""
    root = Path(settings.HLV_ENCODERS) if settings.HLV_ENCODERS else None
    if root is None or not root.is_dir():
        return [SMALL]
    return [SMALL, *sorted(folder.name for folder in root.iterdir() if (folder / A_FOLDER).is_file())]


def resolved(encoder: str, *, any_folder: bool) -> str:
    """The encoder as it is stored: a name of `ON_THE_SPOT`, an absolute folder, or a name on the hub.

    Args:
        any_folder: whether folders outside `HLV_ENCODERS` may be named, as by a command on this machine.

    Raises:
        UnknownEncoder: there is no such folder, or it may not be named here.
    """
    if encoder in ON_THE_SPOT and (any_folder or encoder == SMALL):
        return encoder
    if encoder in offered():
        return str((Path(settings.HLV_ENCODERS) / encoder).resolve())
    if any_folder and (Path(encoder) / A_FOLDER).is_file():
        return str(Path(encoder).resolve())
    if settings.HLV_ENCODER_HUB and encoder.count("/") == 1 and not Path(encoder).exists():
        return encoder
    if any_folder:
        raise UnknownEncoder(
            f"There is no encoder in {encoder!r}: a folder with a {A_FOLDER}, as save_pretrained writes it, was "
            "expected. Names on a hub need HLV_ENCODER_HUB=1."
        )
    raise UnknownEncoder(f"There is no encoder {encoder!r} here. Choose one of: {', '.join(offered())}.")


def called(encoder: str) -> str:
    """What systems of this encoder are called unless the researcher says otherwise.

    >>> called("/models/twhin-bert-base"), called("small")
    ('twhin-bert-base', 'small transformer')
    """
    return "small transformer" if encoder == SMALL else Path(encoder).name


def choice_of(parameters: TrainingParameters) -> EncoderChoice:
    """What the trainer needs to know, from stored parameters."""
    on_the_spot = parameters.encoder in ON_THE_SPOT
    return EncoderChoice(
        name=parameters.encoder if on_the_spot else "pretrained",
        path="" if on_the_spot else parameters.encoder,
        lora=parameters.lora,
        max_tokens=parameters.max_tokens,
        precision=parameters.precision,
        hub=settings.HLV_ENCODER_HUB,
    )
