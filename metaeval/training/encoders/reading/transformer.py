"""A transformer as a reader: small and made on the spot, or pretrained."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from annotations.ground.arrays import Codes, IntColumn
from metaeval.training.encoders.reading.reader import Reading, TextReader
from metaeval.training.lessons import Text

PADDING = {"attention_mask": 0, "token_type_ids": 0}


class TokenReading(Reading):
    """Token ids and what goes with them, one text after the other in one column each."""

    def __init__(self, columns: dict[str, list[list[int]]], *, pad: int, cut: int) -> None:
        ids = columns["input_ids"]
        self.lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        self.cut = cut
        self._starts = np.cumsum(self.lengths) - self.lengths
        self._columns: dict[str, IntColumn] = {
            name: np.concatenate([np.asarray(row, dtype=np.int32) for row in rows] or [np.zeros(0, dtype=np.int32)])
            for name, rows in columns.items()
        }
        self._padding = {"input_ids": pad, **PADDING}

    def batch(self, rows: Codes) -> dict[str, torch.Tensor]:
        """As many columns as the longest of these texts has tokens; shorter ones are padded at their ends."""
        lengths = self.lengths[rows]
        place = np.arange(lengths.max())
        filled = place < lengths[:, None]
        source = (self._starts[rows][:, None] + place)[filled]
        tensors = {}
        for name, column in self._columns.items():
            padded = np.full(filled.shape, self._padding[name], dtype=np.int64)
            padded[filled] = column[source]
            tensors[name] = torch.from_numpy(padded)
        return tensors


def tokenised(texts: Sequence[Text], tokenizer: Any, *, max_tokens: int) -> TokenReading:
    """Texts by a tokenizer of transformers.

    Two segments are joined as the tokenizer joins pairs; of three or more the first is one half of the pair, and the
    others, with spaces between, are the other. Where a text is too long, tokens are cut off the end of its longer half.
    """
    names = [name for name in tokenizer.model_input_names if name == "input_ids" or name in PADDING]
    columns: dict[str, list[list[int]]] = {name: [] for name in names}
    too_long = []
    for number, text in enumerate(texts):
        encoded = _encoded(tokenizer, text)
        if len(encoded["input_ids"]) > max_tokens:
            too_long.append(number)
            encoded = _encoded(tokenizer, text, truncation=True, max_length=max_tokens)
        for name in names:
            columns[name].append(encoded[name])
    return TokenReading(columns, pad=tokenizer.pad_token_id, cut=len(too_long))


def _encoded(tokenizer: Any, text: Text, **options: Any) -> Any:
    first, rest = text[0], " ".join(text[1:])
    # The tokenizer warns of texts that are too long; they are counted here.
    return tokenizer(first, rest if len(text) > 1 else None, verbose=False, **options)


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
