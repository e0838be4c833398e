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
    """What a training of all methods made, and took."""

    name: str
    seconds: float
    systems: int


DATASETS = {
    "hs-brexit": RealDataset(
        "HS-Brexit",
        "Tweets about Brexit, hate speech or not, six annotators each; the published split.",
        tuple(f"lewidi2023/HS-Brexit_{part}.json" for part in ("train", "dev", "test")),
    ),
    "armis": RealDataset(
        "ArMIS",
        "Arabic tweets, misogyny or not, three annotators each; the published split.",
        tuple(f"lewidi2023/ArMIS_{part}.json" for part in ("train", "dev", "test")),
    ),
    "chaosnli": RealDataset(
        "ChaosNLI-SNLI",
        "Pairs of sentences, three labels, 100 unnamed annotators each, so that four methods do not apply; ten folds. "
        "Repeated labelling draws one annotation per text and epoch.",
        ("chaosnli/chaosNLI_snli.jsonl",),
        ("--annotations-per-text", "1"),
    ),
    "varierrnli": RealDataset(
        "VariErrNLI",
        "Pairs of sentences, any of three labels, four annotators each; the texts of the training and development "
        "parts, in ten folds.",
        ("lewidi2025/VariErrNLI_train.json", "lewidi2025/VariErrNLI_dev.json"),
        ("--split", "folds"),
    ),
    "demo": RealDataset(
        "Demo",
        "Invented legal problems, any of 33 areas of law, invented annotators; five folds.",
        (),
        ("--split", "folds", "--folds", "5"),
    ),
}
"""By slug. Their licences do not let them into the project; the scores of what was trained on them are ours."""
