"""What experts answered: the responses as arrays, the experts' habits, and where they differ."""

from .blinding import BlindingIndex, GuessedBlinding, blinding_index, guessed_blinding
from .judgements import Judgements
from .people import PositionBias, SelfConsistency, position_bias, self_consistency
from .preference_variance import PreferenceVariance, preference_variance
from .shares import Share

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
