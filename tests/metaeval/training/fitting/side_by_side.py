"""One fit by two processes that accelerate launches. Run as a module, with the folder to write what came of it to."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from unittest import mock

from metaeval.training.lessons import FitSettings, Fitted, trainers
from tests.metaeval.training.needing import Imported
from tests.metaeval.training.taught import Kept, lesson

accelerate = Imported("accelerate")
transformers = Imported("transformers")
reading = Imported("metaeval.training.encoders.reading.transformer")


def fit(kept: Kept) -> Fitted:
    """Without dropout, of which each process draws its own. The last batch of an epoch leaves nothing for a second."""
    made = transformers.BertConfig.__init__

    def exact(self: Any, **said: object) -> None:
        made(self, **said | {"hidden_dropout_prob": 0.0})

    taught = lesson(size=25, settings=FitSettings(batch_size=8, epochs=3))
    with (
        mock.patch.object(transformers.BertConfig, "__init__", exact),
        mock.patch.object(reading.TransformerReader, "dropout", 0.0),
    ):
        return trainers.get("torch").fit(taught, checkpoints=kept)


def launched(folder: str) -> None:
    """What each process does."""
    kept = Kept()
    fitted = fit(kept)
    told = {
        "logits": fitted.logits.tolist(),
        "losses": [epoch.loss for epoch in fitted.epochs],
        "processes": accelerate.PartialState().num_processes,
        "kept": len(kept.states),
    }
    Path(folder, f"{accelerate.PartialState().process_index}.json").write_text(json.dumps(told))


if __name__ == "__main__":
    accelerate.debug_launcher(launched, (sys.argv[1],), num_processes=2)
