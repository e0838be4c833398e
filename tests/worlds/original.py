"""Files as the original study left them: 12 systems, 4 experts, 396 responses, 80 of them to a text seen before."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np

from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet, Segment, SystemTable
from annotations.importing.responses.restoring import restore_study
from annotations.importing.responses.study_responses import read_study_responses
from annotations.models import Dataset, Study, Task
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


class Answer(NamedTuple):
    """One response: of whom, about which text beside which system, and what was said."""

    expert: int
    text: int
    system: int
    human: str
    """The side of people's distribution: A or B."""
    label: int
    a_chosen: bool
    b_chosen: bool


def make_original_files(
    folder: Path,
    *,
    experts: int = EXPERTS,
    texts: int = TEXTS_EACH,
    systems: int = SYSTEMS,
    again: int = SEEN_AGAIN,
    repeats: int = 0,
    shared: bool = False,
) -> Original:
    """Every expert judged 79 texts of their own (`shared`: all the same ones), and 20 of these once more beside another
    system; and, of the last expert's comparisons, the first `repeats` a second time."""
    rng = np.random.default_rng(7)
    original = _original(folder, rng, texts if shared else experts * texts, systems)
    shown: list[tuple[int, int, int]] = []
    for expert in range(experts):
        first = 0 if shared else expert * texts
        mine = [(first + i, i % systems) for i in range(texts)]
        seen = [(text, (system + 5) % systems) for text, system in mine[:again]]
        shown += [(expert, text, system) for text, system in mine + seen]
    shown += shown[-(texts + again) :][:repeats]
    answers = []
    for turn, (expert, text, system) in enumerate(shown):
        human = str(rng.choice(["A", "B"]))
        chosen = [(True, False), (False, True), (True, True)][int(rng.integers(3))]
        answers.append(Answer(expert, text, system, human, turn % 3, *chosen))
    _write(original, answers)
    return original


def make_two_experts(folder: Path) -> Original:
    """Two experts and four texts, small enough to count by hand: both judge every text beside the same system; the
    first judges texts 0 and 1 again beside another, the second judges text 0 so, and text 3 again beside the same."""
    people, system, both = (True, False), (False, True), (True, True)
    said = [
        *[(0, 0, 0, 0, people), (0, 1, 1, 1, system), (0, 2, 0, 2, people), (0, 3, 1, 0, both)],
        *[(0, 0, 1, 2, people), (0, 1, 0, 1, system)],
        *[(1, 0, 0, 0, people), (1, 1, 1, 1, people), (1, 2, 0, 0, people), (1, 3, 1, 0, both)],
        *[(1, 0, 1, 0, system), (1, 3, 1, 0, both)],
    ]
    answers = [Answer(expert, text, beside, "A", label, *chosen) for expert, text, beside, label, chosen in said]
    original = _original(folder, np.random.default_rng(7), texts=4, systems=2)
    _write(original, answers)
    return original


def restored_original(original: Original) -> Study:
    """The study that these files make."""
    responses = read_study_responses(original.folder)
    return restore_study(responses=responses, dataset=original.dataset, slug="restored").study


def _original(folder: Path, rng: np.random.Generator, texts: int, systems: int) -> Original:
    table = DatasetTable(
        labels=LabelSet(LABELS, Task.MULTICLASS),
        instances=[InstanceRow(f"text-{i}", (Segment("", f"A text of law, number {i}."),)) for i in range(texts)],
        gold=rng.dirichlet(np.ones(len(LABELS)), texts),
    )
    predicted = [SystemTable(_name(number), rng.dirichlet(np.ones(len(LABELS)), texts)) for number in range(systems)]
    return Original(folder, written_dataset(table, predicted, slug="original", title="Texts of law"))


def _name(system: int) -> str:
    return f"System{system:02}"


def _write(original: Original, answers: Sequence[Answer]) -> None:
    metadata, instances, responses = [["id", "method", "trueHLV"]], [["id", "instance"]], []
    inputs: dict[tuple[int, int, str], int] = {}
    known = set()
    for turn, (expert, text, system, human, label, a, b) in enumerate(answers):
        number = inputs.setdefault((text, system, human), len(inputs))
        if number == len(metadata) - 1:
            metadata.append([str(number), _name(system), human])
            instances.append([str(number), f"text-{text}"])
        if (expert, text, system) not in known:
            original.chosen[_name(system)].append(b if human == "A" else a)
        known.add((expert, text, system))
        responses.append(
            {
                "inputId": number,
                "timestamp": (NOON + timedelta(minutes=turn)).isoformat(timespec="seconds"),
                "annotatorId": expert,
                "areasOfLawAnnotation": {"elapsedTime": 5500, "selectedAreas": [LABELS[label]]},
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
