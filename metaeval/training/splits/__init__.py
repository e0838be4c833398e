"""Which instances are learnt from, which choose the settings, and which are predicted.

A split is made once per dataset and is the same for all methods, so that their predictions can be compared. It
depends on the instances' ids and the seed only, never on the order of rows or on what anybody predicts.
"""

from metaeval.training.splits.checking import CannotSplit, check_development
from metaeval.training.splits.making import given, gives_split, k_folds, shares, split_of
from metaeval.training.splits.split import Fold, Split, SplitKind, SplitPart

__all__ = [
    "CannotSplit",
    "Fold",
    "Split",
    "SplitKind",
    "SplitPart",
    "check_development",
    "given",
    "gives_split",
    "k_folds",
    "shares",
    "split_of",
]
