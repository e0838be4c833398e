"""A pretrained encoder in the format of Hugging Face: from a folder or, where that is allowed, by its name on a hub."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.training.encoders.folders import checked_folder, files_of
from metaeval.training.encoders.registry import Encoder, encoder
from metaeval.training.errors import EncoderUnusable
from metaeval.training.lessons import EncoderChoice, Text

if TYPE_CHECKING:
    from metaeval.training.encoders.reading.transformer import TransformerReader

CHUNK = 1 << 20


@encoder
class Pretrained(Encoder):
    """A model that learnt a language from other texts, with all its weights trained further, or LoRA beside them."""

    name = "pretrained"
    title = "Pretrained encoder"
    about = (
        "Such as RoBERTa, TwHIN-BERT or, with LoRA, LLaMA. It needs minutes to hours, and a graphics card unless it is "
        "small."
    )
    takes_path = True
    takes_adapters = True

    def learning_rate(self, choice: EncoderChoice) -> float:
        """With LoRA that of the paper (section 5.1), otherwise a customary one for encoders of this size."""
        return 5e-5 if choice.lora else 2e-5

    def check(self, choice: EncoderChoice) -> None:
        super().check(choice)
        if not choice.path:
            raise EncoderUnusable("The encoder 'pretrained' needs a path: the folder that holds it.")
        if choice.hub and not Path(choice.path).exists():
            return
        checked_folder(choice.path)

    def fingerprint(self, choice: EncoderChoice) -> str:
        """SHA-256 over the names and contents of the folder's files; of one from a hub, nothing is known beforehand."""
        folder = Path(choice.path)
        if not folder.is_dir():
            return ""
        digest = hashlib.sha256()
        for path in files_of(folder):
            digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as file:
                while chunk := file.read(CHUNK):
                    digest.update(chunk)
        return digest.hexdigest()

    def make(self, choice: EncoderChoice, texts: Sequence[Text]) -> TransformerReader:
        from metaeval.training.encoders.reading.loading import loaded

        return loaded(choice)
