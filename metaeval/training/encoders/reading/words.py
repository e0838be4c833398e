"""Words counted and weighed: nothing of it is trained."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from scipy import sparse

from annotations.ground.arrays import Codes
from metaeval.training.encoders.reading.reader import Reading, TextReader
from metaeval.training.lessons import Text

WORD = re.compile(r"\w+")
MOST_WORDS = 20_000


class WordReading(Reading):
    """The features of each text as a row of a sparse matrix."""

    def __init__(self, rows: sparse.csr_array, *, lengths: list[int], cut: int) -> None:
        self.lengths = np.asarray(lengths, dtype=np.int64)
        self.cut = cut
        self._rows = rows

    def batch(self, rows: Codes) -> dict[str, torch.Tensor]:
        return {"features": torch.from_numpy(self._rows[rows].toarray())}


class WordReader(TextReader):
    """TF-IDF over the words that are most common in the texts that it is made from."""

    dropout = 0.0

    def __init__(self, texts: Sequence[Text], *, max_tokens: int) -> None:
        super().__init__()
        self.max_tokens = max_tokens
        documents = Counter(word for text in texts for word in set(_words(text)[:max_tokens]))
        common = sorted(documents, key=lambda word: (-documents[word], word))[:MOST_WORDS]
        self._place = {word: place for place, word in enumerate(common)}
        self._rarity = np.array([1 + np.log((1 + len(texts)) / (1 + documents[word])) for word in common])
        self.width = max(len(common), 1)

    def read(self, texts: Sequence[Text]) -> WordReading:
        words = [_words(text) for text in texts]
        rows, columns, values = [], [], []
        for row, tokens in enumerate(words):
            for word, count in Counter(tokens[: self.max_tokens]).items():
                if word in self._place:
                    rows.append(row)
                    columns.append(self._place[word])
                    values.append(count * self._rarity[self._place[word]])
        features = sparse.csr_array((values, (rows, columns)), shape=(len(texts), self.width), dtype=np.float64)
        norms = np.sqrt(features.multiply(features).sum(axis=1))
        scaled = sparse.diags_array(1 / np.where(norms > 0, norms, 1.0)) @ features
        return WordReading(
            sparse.csr_array(scaled, dtype=np.float32),
            lengths=[min(len(tokens), self.max_tokens) for tokens in words],
            cut=sum(len(tokens) > self.max_tokens for tokens in words),
        )

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return features


def _words(text: Text) -> list[str]:
    return WORD.findall(" ".join(text).lower())
