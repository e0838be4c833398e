"""How the quality of a study names its experts and the steps of their answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from annotations.ground.arrays import Integers, Mask
from metaeval.analyses.study_quality.result import Step

ALL = "All experts"
STEPS: dict[Step, str] = {"labels": "Step 1: labels", "preferences": "Step 2: preference"}


def expert_name(number: int) -> str:
    """How results identify an expert: never by name."""
    return f"Expert {number}"


def all_and_each(experts: tuple[int, ...], expert: Integers) -> Iterator[tuple[str, Mask]]:
    """One row for all experts and one for each, and which entries it is about; `expert` says whose each entry is."""
    yield ALL, np.ones(len(expert), dtype=np.bool_)
    for number in experts:
        yield expert_name(number), expert == number
