"""The model: an encoder, and a linear output layer with one head for each thing to be predicted."""

from __future__ import annotations

import torch

from metaeval.training.encoders.reading.reader import TextReader


class HeadedModel(torch.nn.Module):
    """Logits of a batch of texts: (B texts, H heads, K labels)."""

    def __init__(self, reader: TextReader, *, heads: int, labels: int) -> None:
        super().__init__()
        self.reader = reader
        self.dropout = torch.nn.Dropout(reader.dropout)
        self.output = torch.nn.Linear(reader.width, heads * labels)
        self._shape = heads, labels

    def forward(self, **batch: torch.Tensor) -> torch.Tensor:
        vectors = self.reader(**batch)
        logits: torch.Tensor = self.output(self.dropout(vectors.to(self.output.weight.dtype)))
        return logits.view(-1, *self._shape)

    @property
    def parameter_counts(self) -> tuple[int, int]:
        """How many parameters there are, and how many of them are trained."""
        sizes = [(parameter.numel(), parameter.requires_grad) for parameter in self.parameters()]
        return sum(size for size, _ in sizes), sum(size for size, trained in sizes if trained)
