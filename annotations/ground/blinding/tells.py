"""Looks that only a system's side can have, once one has noticed them. Needs no Django."""

from __future__ import annotations

from dataclasses import dataclass

from annotations.ground.arrays import Counts, Mask


@dataclass(frozen=True, slots=True)
class Tells:
    """What no human side in a dataset shows: a drawn sum below `lowest_sum` per cent, or more bars than `most_bars`."""

    lowest_sum: int
    most_bars: int

    @classmethod
    def of(cls, human: Counts) -> Tells:
        """The bounds of the human sides as drawn: texts x labels, in per cent."""
        return cls(lowest_sum=int(human.sum(axis=1).min()), most_bars=int((human > 0).sum(axis=1).max()))

    def give_away(self, drawn: Counts) -> Mask:
        """Which systems' sides (rows x labels, in per cent) can only be a system's.

        >>> import numpy as np
        >>> Tells(lowest_sum=100, most_bars=2).give_away(np.array([[60, 40, 0], [60, 20, 0], [50, 40, 20]])).tolist()
        [False, True, True]
        """
        too_little = drawn.sum(axis=-1) < self.lowest_sum
        too_many = (drawn > 0).sum(axis=-1) > self.most_bars
        found: Mask = too_little | too_many
        return found
