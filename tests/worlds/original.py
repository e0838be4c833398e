"""Files as the original study left them: 12 systems, 4 experts, 396 responses, 80 of them to a text seen before."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import numpy as np

from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet, Segment, SystemTable
from annotations.models import Dataset, Task
from tests.worlds.datasets import written_dataset
from tests.worlds.full import NOON

LABELS = ("Consumer law", "Family law", "Tax")
SYSTEMS, EXPERTS, TEXTS_EACH, SEEN_AGAIN = 12, 4, 79, 20
RESPONSES = EXPERTS * (TEXTS_EACH + SEEN_AGAIN)


@dataclass
class Original:
    """The files' folder, the dataset that they are about, and what the files say of each system."""

    folder: Path
    dataset: Dataset
    chosen: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))

    @property
    def fractions(self) -> dict[str, float]:
        return {system: float(np.mean(answers)) for system, answers in sorted(self.chosen.items())}


def make_original_files(folder: Path, *, repeats: int = 0) -> Original:
    """Every expert judged 79 texts of their own, and 20 of these once more beside another system; and, of the last
    expert's comparisons, the first `repeats` a second time."""
    rng = np.random.default_rng(7)
    texts = EXPERTS * TEXTS_EACH
    names = [f"System{number:02}" for number in range(SYSTEMS)]
    table = DatasetTable(
        labels=LabelSet(LABELS, Task.MULTICLASS),
        instances=[InstanceRow(f"text-{i}", (Segment("", f"A text of law, number {i}."),)) for i in range(texts)],
        gold=rng.dirichlet(np.ones(len(LABELS)), texts),
    )
    systems = [SystemTable(name, rng.dirichlet(np.ones(len(LABELS)), texts)) for name in names]
    original = Original(folder, written_dataset(table, systems, slug="original", title="Texts of law"))
    shown = []
    for expert in range(EXPERTS):
        mine = [(expert * TEXTS_EACH + i, i % SYSTEMS) for i in range(TEXTS_EACH)]
        again = [(text, (system + 5) % SYSTEMS) for text, system in mine[:SEEN_AGAIN]]
        shown += [(expert, text, system) for text, system in mine + again]
    shown += shown[-(TEXTS_EACH + SEEN_AGAIN) :][:repeats]
    _write(original, names, shown, rng)
    return original


def _write(original: Original, names: list[str], shown: list[tuple[int, int, int]], rng: np.random.Generator) -> None:
    metadata, instances, responses = [["id", "method", "trueHLV"]], [["id", "instance"]], []
    inputs: dict[tuple[int, int, str], int] = {}
    known = set()
    for turn, (expert, text, system) in enumerate(shown):
        human = str(rng.choice(["A", "B"]))
        a, b = [(True, False), (False, True), (True, True)][int(rng.integers(3))]
        number = inputs.setdefault((text, system, human), len(inputs))
        if number == len(metadata) - 1:
            metadata.append([str(number), names[system], human])
            instances.append([str(number), f"text-{text}"])
        if (expert, text, system) not in known:
            original.chosen[names[system]].append(b if human == "A" else a)
        known.add((expert, text, system))
        responses.append(
            {
                "inputId": number,
                "timestamp": (NOON + timedelta(minutes=turn)).isoformat(timespec="seconds"),
                "annotatorId": expert,
                "areasOfLawAnnotation": {"elapsedTime": 5500, "selectedAreas": [LABELS[turn % 3]]},
                "preferredHLVAnnotation": {
                    "elapsedTime": 2450,
                    "isOptionAPreferred": a,
                    "isOptionBPreferred": b,
                    "confidence": 0.87,
                },
            }
        )
    original.folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("metadata.csv", metadata), ("instances.csv", instances)):
        with (original.folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    told = "".join(json.dumps(response) + "\n" for response in responses)
    (original.folder / "responses.jsonl").write_text(told)
