"""The datasets on which the methods are compared, and how each is trained."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RealDataset:
    """Files that are imported together, and options of `train`."""

    title: str
    told: str
    files: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def importing(self, name: str, data: Path) -> list[list[str]]:
        """The commands that bring it into the database."""
        if not self.files:
            return [["shell", "-v0", "-c", DEMO]]
        return [["import_dataset", name, *(str(data / file) for file in self.files), "--title", self.title]]


DEMO = """
from annotations.simulating.demo.loading import load_dataset
load_dataset().systems.all().delete()
"""
"""The demo's texts and annotations, without its simulated systems."""


@dataclass(frozen=True)
class Trained:
    """What a training of all methods took."""

    name: str
    seconds: float
    outcome: str


DATASETS = {
    "hs-brexit": RealDataset(
        "HS-Brexit",
        "tweets about Brexit, hate speech or not, six annotators each; the published split",
        tuple(f"lewidi2023/HS-Brexit_{part}.json" for part in ("train", "dev", "test")),
    ),
    "armis": RealDataset(
        "ArMIS",
        "Arabic tweets, misogyny or not, three annotators each; the published split",
        tuple(f"lewidi2023/ArMIS_{part}.json" for part in ("train", "dev", "test")),
    ),
    "chaosnli": RealDataset(
        "ChaosNLI-SNLI",
        "pairs of sentences, three labels, 100 unnamed annotators each; ten folds; repeated labelling draws one "
        "annotation per text and epoch",
        ("chaosnli/chaosNLI_snli.jsonl",),
        ("--annotations-per-text", "1"),
    ),
    "varierrnli": RealDataset(
        "VariErrNLI",
        "pairs of sentences, any of three labels, four annotators each; training and development parts in ten folds",
        ("lewidi2025/VariErrNLI_train.json", "lewidi2025/VariErrNLI_dev.json"),
        ("--split", "folds"),
    ),
    "demo": RealDataset(
        "The demo",
        "invented legal problems, any of 33 areas of law, invented annotators; ten folds",
        (),
        ("--split", "folds"),
    ),
}
"""By slug. Their licences do not let them into the project; the scores of what was trained on them are ours."""
