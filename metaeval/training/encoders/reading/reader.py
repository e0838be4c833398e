"""What every encoder is to the trainer: it reads texts once, and turns batches of them into vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch

from annotations.ground.arrays import Codes, Counts
from metaeval.training.lessons import Text


class Reading(ABC):
    """Texts as an encoder takes them, read once and kept."""

    lengths: Counts
    """(N,) how many tokens each text has after cutting."""
    cut: int = 0
    """How many texts are longer than the encoder takes."""

    @abstractmethod
    def batch(self, rows: Codes) -> dict[str, torch.Tensor]:
        """The inputs of the encoder for some of the texts."""


class TextReader(torch.nn.Module, ABC):
    """An encoder. Called with a batch of a reading, it returns one vector for each text: (B, width)."""

    width: int
    """Of the vectors."""
    dropout: float = 0.1
    """Of what the output layer reads."""
    max_tokens: int
    """How many tokens of a text are read."""

    @abstractmethod
    def read(self, texts: Sequence[Text]) -> Reading:
        """Texts as this encoder takes them."""
