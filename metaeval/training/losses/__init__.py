"""The losses of the training methods as plain torch modules. Needs torch (requirements-training.txt)."""

from metaeval.training.losses.batch import Batch

__all__ = ["Batch"]
