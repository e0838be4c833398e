"""A transformer as a reader: small and made on the spot, or pretrained."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch

from metaeval.training.encoders.reading.reader import TextReader
from metaeval.training.encoders.reading.tokens import TokenReading, tokenised
from metaeval.training.lessons import Text

Pooling = Literal["first", "last"]


class TransformerReader(TextReader):
    """Reads a text as the vector of its first token or, where tokens see only what is before them, of its last."""

    def __init__(self, model: Any, tokenizer: Any, *, pooling: Pooling, max_tokens: int) -> None:
        super().__init__()
        self.model = model
        self.tokenizer = tokenizer
        self.pooling = pooling
        self.width = int(model.config.hidden_size)
        self.max_tokens = min(max_tokens, positions(model, tokenizer))

    def read(self, texts: Sequence[Text]) -> TokenReading:
        return tokenised(texts, self.tokenizer, max_tokens=self.max_tokens)

    def forward(self, **batch: torch.Tensor) -> torch.Tensor:
        states: torch.Tensor = self.model(**batch).last_hidden_state
        if self.pooling == "first":
            return states[:, 0]
        last = batch["attention_mask"].sum(dim=1) - 1
        return states[torch.arange(len(last), device=states.device), last]

    def save(self, folder: Path) -> None:
        """Write the encoder in the format of Hugging Face, as a folder for the encoder "pretrained"."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def positions(model: Any, tokenizer: Any) -> int:
    """How many tokens the model can tell apart by their places. RoBERTa's count from behind the padding's number."""
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            room: int = module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
            break
    else:
        room = int(getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length)
    longest: int = tokenizer.model_max_length
    return min(room, longest)
