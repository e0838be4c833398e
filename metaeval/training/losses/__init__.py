"""The losses of the training methods as plain torch modules. Needs torch (requirements-training.txt).

    from metaeval.training.losses import SoftMicroF1
    loss = SoftMicroF1("multilabel")(logits, shares)

Each takes logits (B examples x K labels, or B x heads x K), no probabilities, and returns one number with a gradient.
They compute in float32 at least, so that logits in half precision are safe; float64 stays float64. Nothing else of the
project is needed: they are for any training loop.
"""

from .cross_entropies import CrossEntropy, EnsembleCrossEntropy, LossAggregation
from .module import Batch, WrongBatch
from .shares import JensenShannon, SoftMacroF1, SoftMicroF1

__all__ = [
    "Batch",
    "CrossEntropy",
    "EnsembleCrossEntropy",
    "JensenShannon",
    "LossAggregation",
    "SoftMacroF1",
    "SoftMicroF1",
    "WrongBatch",
]
