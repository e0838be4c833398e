"""What experts answered: the responses as arrays, the habits of those who gave them, and where they differ."""

from .judgements import Judgements
from .people import (
    BlindingIndex,
    GuessedBlinding,
    PositionBias,
    SelfConsistency,
    Share,
    blinding_index,
    guessed_blinding,
    position_bias,
    self_consistency,
)
from .preference_variance import PreferenceVariance, preference_variance

__all__ = [
    "BlindingIndex",
    "GuessedBlinding",
    "Judgements",
    "PositionBias",
    "PreferenceVariance",
    "SelfConsistency",
    "Share",
    "blinding_index",
    "guessed_blinding",
    "position_bias",
    "preference_variance",
    "self_consistency",
]
