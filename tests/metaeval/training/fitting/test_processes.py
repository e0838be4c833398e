"""Two processes that accelerate launches together come to the predictions of one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.metaeval.training.needing import needs_training
from tests.metaeval.training.taught import Kept

pytestmark = [needs_training, pytest.mark.long]
ROOT = Path(__file__).resolve().parents[4]


def test_two_processes_with_half_of_each_batch_come_to_the_predictions_of_one(tmp_path: Path) -> None:
    from tests.metaeval.training.fitting import side_by_side

    command = [sys.executable, "-m", side_by_side.__name__, str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300, env=os.environ | {"OMP_NUM_THREADS": "1"})
    first, second = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(2))
    assert first["processes"] == second["processes"] == 2
    assert (first["kept"], second["kept"]) == (3, 0)
    alone = side_by_side.fit(Kept())
    for told in (first, second):
        np.testing.assert_allclose(told["logits"], alone.logits, rtol=0, atol=1e-4)
        np.testing.assert_allclose(told["losses"], [epoch.loss for epoch in alone.epochs], rtol=0, atol=1e-5)
    assert np.ptp(alone.logits) > 0.01
