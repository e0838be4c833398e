"""The texts of a dataset together with what people said about them: what splits and targets are made of."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from annotations.ground.arrays import Codes, Mask
from metaeval.training.judgements import HumanJudgements
from metaeval.training.lessons import Text


@dataclass(frozen=True, eq=False)
class Corpus:
    """N instances in the order of their dataset."""

    ids: tuple[str, ...]
    """What the instances are called in their files."""
    texts: Sequence[Text]
    """Their segments."""
    judgements: HumanJudgements
    """The human annotations."""
    withdrawn: Mask
    """(N,) whether a text was withdrawn or erased, so that nothing may learn from it or predict it."""
    given: tuple[str, ...] = field(default=())
    """The part to which each instance belongs according to its file ("train", "dev", "test"); blank if it says
    nothing."""

    def __post_init__(self) -> None:
        sizes = {len(self.ids), len(self.texts), self.judgements.size, len(self.withdrawn)}
        if len(sizes | ({len(self.given)} if self.given else set())) != 1:
            raise ValueError("ids, texts, judgements, withdrawn and given differ in length")
        if len(set(self.ids)) < len(self.ids):
            raise ValueError("an instance is named twice")

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def wordless(self) -> Mask:
        """(N,) whether there is nothing to read."""
        return np.array([not any(segment.strip() for segment in text) for text in self.texts], dtype=bool)

    @cached_property
    def unjudged(self) -> Mask:
        """(N,) whether nobody said anything about it."""
        unjudged: Mask = self.judgements.counts == 0
        return unjudged

    @cached_property
    def usable(self) -> Mask:
        """(N,) whether it can be learnt from and predicted: a text that is there and that somebody judged."""
        return ~(self.withdrawn | self.wordless | self.unjudged)

    @cached_property
    def texts_apart(self) -> Codes:
        """(N,) a number for each text, the same for texts that a reader would call the same (`normalised`)."""
        numbers: dict[Text, int] = {}
        return np.array([numbers.setdefault(normalised(text), len(numbers)) for text in self.texts], dtype=np.int64)


def normalised(text: Text) -> Text:
    """The segments in Unicode's form NFKC, with single spaces for all white space. Capitals stay what they are.

    >>> normalised(("The \\ufb01ne\\n is  1000\\u00a0euros. ",)) == normalised(("The fine is 1000 euros.",))
    True
    """
    return tuple(" ".join(unicodedata.normalize("NFKC", segment).split()) for segment in text)
