"""Frozen TF-IDF features, for tests of the plumbing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metaeval.training.encoders.registry import Encoder, encoder
from metaeval.training.lessons import EncoderChoice, Text

if TYPE_CHECKING:
    from metaeval.training.encoders.reading.words import WordReader


@encoder
class TfIdf(Encoder):
    """Counts of words, each divided by how common it is: x_iw = tf_iw (1 + log((1 + N) / (1 + df_w))), of length 1."""

    name = "tfidf"
    title = "TF-IDF"
    about = (
        "For tests of the plumbing only: it is not trained, and an encoder that is not trained cannot tell repeated "
        "labelling from soft labels, nor these from a soft head beside a majority head."
    )

    threads = 1

    def learning_rate(self, choice: EncoderChoice) -> float:
        return 0.05

    def make(self, choice: EncoderChoice, texts: Sequence[Text]) -> WordReader:
        from metaeval.training.encoders.reading.words import WordReader

        return WordReader(texts, max_tokens=choice.max_tokens)
