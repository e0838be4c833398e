"""One fit by two processes that accelerate launches. Run as a module, with the folder to write what came of it to."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from unittest import mock

from accelerate import PartialState, debug_launcher
from transformers import BertConfig

from metaeval.training.encoders.reading.transformer import TransformerReader
from metaeval.training.lessons import FitSettings, Fitted, trainers
from tests.metaeval.training.taught import Kept, lesson


def fit(kept: Kept) -> Fitted:
    """Without dropout, of which each process draws its own. The last batch of an epoch leaves nothing for a second."""
    made = BertConfig.__init__

    def exact(self: BertConfig, **said: object) -> None:
        made(self, **said | {"hidden_dropout_prob": 0.0})

    taught = lesson(size=25, settings=FitSettings(batch_size=8, epochs=3))
    with mock.patch.object(BertConfig, "__init__", exact), mock.patch.object(TransformerReader, "dropout", 0.0):
        return trainers.get("torch").fit(taught, checkpoints=kept)


def launched(folder: str) -> None:
    """What each process does."""
    kept = Kept()
    fitted = fit(kept)
    told = {
        "logits": fitted.logits.tolist(),
        "losses": [epoch.loss for epoch in fitted.epochs],
        "processes": PartialState().num_processes,
        "kept": len(kept.states),
    }
    Path(folder, f"{PartialState().process_index}.json").write_text(json.dumps(told))


if __name__ == "__main__":
    debug_launcher(launched, (sys.argv[1],), num_processes=2)
