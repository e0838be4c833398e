"""Targets as files for anybody's trainer: a folder of Parquet tables, and `targets.json` that says what they mean.

It holds everything that a method says to a model, fold by fold, so that a trainer needs nothing else of this project:
texts, examples with their weights, targets of each output layer, and what people said of the development parts. The
texts to be predicted are there without judgements. `metaeval/training_jobs` writes the folder of a dataset, and reads
back what was predicted.
"""

from metaeval.training.handover.layout import NotHandedOver
from metaeval.training.handover.reading import Handover, read_handover, read_split
from metaeval.training.handover.writing import Origins, write_handover

__all__ = ["Handover", "NotHandedOver", "Origins", "read_handover", "read_split", "write_handover"]
