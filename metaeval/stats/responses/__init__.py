"""What experts answered: the responses as arrays, the experts' habits, and where they differ."""

from .judgements import Judgements, PreferenceVariance, preference_variance
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
