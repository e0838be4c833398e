"""The most frequent baselines of LeWiDi-2025 on Paraphrase (Leonardelli et al. 2025)."""

from __future__ import annotations

from typing import Any

from metaeval.analyses.inputs.gathering import Subject
from metaeval.reproductions.bench import Bench
from metaeval.reproductions.figures import PublishedFigure, reproduction

MOST_FREQUENT = "Baseline: most frequent"
FILES = {split: f"lewidi2025/Paraphrase_{split}.json" for split in ("train", "test")}
RANGE = (
    "the paper’s text divides by the range of the scale (10); its figure needs the number of points (11), as the "
    "organisers’ scorer does"
)


@reproduction(
    title="The most frequent baselines of LeWiDi-2025",
    source="Leonardelli et al. (2025), Tables 3 and 4, Paraphrase, test",
    files=[*FILES.values()],
    analysis="leaderboard",
    golden="lewidi2025_par.json",
    note="Soft labels are recomputed from the annotations; the rounded ones in the files give the same.",
)
def lewidi_2025(bench: Bench) -> list[PublishedFigure]:
    train, test = (bench.dataset(f"par-{split}", [file]) for split, file in FILES.items())
    subject = Subject.of_datasets([train, test])
    asked = {"training": [train.slug], "resamples": 100}
    points = bench.result(subject, "leaderboard", **asked)
    by_range = bench.result(subject, "leaderboard", **asked, divisor="range", tasks=["perspectivist"])
    entries = {entry["name"]: entry for entry in bench.golden("lewidi2025_par.json")["entries"]}
    wanted = [
        ("Par.taskA.mostfreq.test.soft_recomputed_from_annotations", "soft labels", points, "soft"),
        ("Par.taskB.mostfreq_per_annotator.test.divisor11", "per annotator, divisor 11", points, "perspectivist"),
        ("Par.taskB.mostfreq_per_annotator.test.divisor10", "per annotator, divisor 10", by_range, "perspectivist"),
    ]
    return [
        PublishedFigure.printed(
            what, _where(entries[name]), entries[name]["published"], _score(result, task), why=RANGE
        )
        for name, what, result, task in wanted
    ]


def _where(entry: dict[str, Any]) -> str:
    return "Table 3" if "Table 3" in entry["published_where"] else "Table 4"


def _score(result: dict[str, Any], task: str) -> float:
    standings = next(board for board in result["boards"] if board["task"] == task)["standings"]
    rows = next(standing for standing in standings if standing["dataset"] == "par-test")["systems"]
    return float(next(row for row in rows if row["system"] == MOST_FREQUENT)["score"])
