"""Published values of metrics: calibration (Baan et al. 2022), a leaderboard (Leonardelli et al. 2025), and how metrics
relate (Kurniawan et al. 2026)."""

from __future__ import annotations

import math
from typing import Any

from metaeval.analyses.inputs.gathering import Subject
from tests.lab.reproductions.bench import Bench
from tests.lab.reproductions.figures import PublishedFigure, reproduction, rows_of

SNLI = ["chaosnli/chaosNLI_snli.jsonl"]
PREDICTIONS = [f"chaosnli/SNLI_{part}_roberta-base_{seed}.json" for part in ("dev", "test") for seed in range(3)]
SYSTEMS = {"RoBERTa": "roberta-base / {}", "RoBERTa-TS": "roberta-base / {} · T = 2", "Oracle": "People (oracle)"}
METHODS = {"RoBERTa": "", "RoBERTa-TS": "T = 2"}
MEASURES = {
    "acc_ties_last": ("accuracy", "accuracy"),
    "ece10": ("ece", "ECE"),
    "rankcs": ("ranking", "RankCS"),
    "abs_entce_nats": ("entropy", "mean |EntCE|"),
    "distce": ("distribution", "mean DistCE"),
    "classwise_ece_percent": ("classwise_ece", "class-wise ECE, per cent"),
}
WHY_DIFFERENT = {
    "RoBERTa.std3_population.distce": "0.0052 rounds to 0.01, and so does the other deviation (0.0064, n − 1)",
    "RoBERTa-TS.seed0.classwise_ece_percent": "none of the three seeds gives 5 (7.2, 9.2, 8.0), while the other "
    "two rows of the table are reproduced: which predictions were used is not known",
}


@reproduction(
    title="Calibration to human judgements on ChaosNLI-SNLI",
    source="Baan et al. (2022), their notebook’s output and Tables 1 and 5",
    files=[*SNLI, *PREDICTIONS],
    analysis="human_calibration",
    note="With their conventions: temperature 2, accuracy by the last of tied maxima, entropies in nats. The "
    "deviations of Table 1 divide by the number of seeds; the analysis divides by one less: they are converted here.",
)
def calibration_on_chaosnli(bench: Bench) -> list[PublishedFigure]:
    dataset = bench.dataset("chaosnli", SNLI, predictions=PREDICTIONS)
    result = bench.of_dataset(dataset, "human_calibration", scaling="one", temperature=2.0, accuracy_ties="last")
    figures = []
    for check in rows_of(bench.golden("calibration_snli.json")["checks"]):
        name = check["name"].removesuffix("(Table1)")
        model, *which, measure = name.split(".")
        key, words = MEASURES[measure]
        kind = which[0] if which else ""
        if kind in {"mean3", "std3_population"}:
            ours = _of_group(result, METHODS[model], key, kind)
        else:
            system = SYSTEMS[model].format(kind.removeprefix("seed"))
            ours = next(entry for entry in result["entries"] if entry["name"] == system)["measures"][key]
            ours *= 100 if key == "classwise_ece" else 1
        what = ", ".join(part for part in (_model(model), _kind(kind), words) if part)
        why = WHY_DIFFERENT.get(name, "")
        figures.append(PublishedFigure.printed(what, check["published_where"], check["published"], ours, why=why))
    return figures


def _of_group(result: dict[str, Any], method: str, key: str, kind: str) -> float:
    group = next(group for group in result["groups"] if group["method"] == method)
    if kind == "mean3":
        return float(group["means"][key])
    runs = group["runs"]
    return float(group["deviations"][key]) * math.sqrt((runs - 1) / runs)


def _model(model: str) -> str:
    return {"RoBERTa-TS": "RoBERTa at temperature 2", "Oracle": "people themselves"}.get(model, model)


def _kind(kind: str) -> str:
    return {"mean3": "mean of 3 seeds", "std3_population": "deviation of 3 seeds"}.get(
        kind, kind.replace("seed", "seed ")
    )


MOST_FREQUENT = "Baseline: most frequent"
PARAPHRASE = {split: f"lewidi2025/Paraphrase_{split}.json" for split in ("train", "test")}
RANGE = (
    "the paper’s text divides by the range of the scale (10); its figure needs the number of points (11), as the "
    "organisers’ scorer does"
)


@reproduction(
    title="The most frequent baselines of LeWiDi-2025",
    source="Leonardelli et al. (2025), Tables 3 and 4, Paraphrase, test",
    files=[*PARAPHRASE.values()],
    analysis="leaderboard",
    note="Soft labels are recomputed from the annotations; the rounded ones in the files give the same.",
)
def lewidi_2025(bench: Bench) -> list[PublishedFigure]:
    train, test = (bench.dataset(f"par-{split}", [file]) for split, file in PARAPHRASE.items())
    subject = Subject.of_datasets([train, test])
    parameters = {"training": [train.slug], "resamples": 100}
    points = bench.result(subject, "leaderboard", **parameters)
    by_range = bench.result(subject, "leaderboard", **parameters, divisor="range", tasks=["perspectivist"])
    entries = {entry["name"]: entry for entry in bench.golden("lewidi2025_par.json")["entries"]}
    scores = [
        ("Par.taskA.mostfreq.test.soft_recomputed_from_annotations", "soft labels", points, "soft"),
        ("Par.taskB.mostfreq_per_annotator.test.divisor11", "per annotator, divisor 11", points, "perspectivist"),
        ("Par.taskB.mostfreq_per_annotator.test.divisor10", "per annotator, divisor 10", by_range, "perspectivist"),
    ]
    return [
        PublishedFigure.printed(
            what, _table_of(entries[name]), entries[name]["published"], _score(result, task), why=RANGE
        )
        for name, what, result, task in scores
    ]


def _table_of(entry: dict[str, Any]) -> str:
    return "Table 3" if "Table 3" in entry["published_where"] else "Table 4"


def _score(result: dict[str, Any], task: str) -> float:
    standings = next(board for board in result["boards"] if board["task"] == task)["standings"]
    rows = next(standing for standing in standings if standing["dataset"] == "par-test")["systems"]
    return float(next(row for row in rows if row["system"] == MOST_FREQUENT)["score"])


PAIRS = 500
"""The number of pairs, as in the paper."""

LETTERS = {"A": "accuracy", "J": "po_jsd", "E": "entropy_correlation", "S": "soft_accuracy"}
NAMES = {"A": "accuracy", "J": "PO-JSD", "E": "entropy correlation", "S": "soft accuracy"}


@reproduction(
    title="How metrics relate to one another",
    source="Kurniawan et al. (2026), Table 2",
    files=[],
    analysis="metric_relationship",
    note="Simulated on both sides, with 500 pairs of datasets each: what agrees lies within 3 standard errors of the "
    "difference, and is not expected to be equal. Distances are in standard errors.",
)
def table_2_of_metrics(bench: Bench) -> list[PublishedFigure]:
    result = bench.result(Subject.nothing(), "metric_relationship", pairs=PAIRS)
    values = {
        (setting["alpha"], setting["beta"], setting["labels"], frozenset((row["a"], row["b"]))): row["value"]
        for setting in result["settings"]
        for row in setting["relations"]
    }
    figures = []
    for row in bench.golden("metric_relationship.json")["rows"]:
        first, second = row["pair"].split("-")
        ours = values[row["alpha"], row["beta"], row["K"], frozenset((LETTERS[first], LETTERS[second]))]
        error = max(1 - ours**2, 1e-12) * math.sqrt(2 / PAIRS) + 0.005  # plus the rounding to two digits
        distance = (ours - row["published"]) / error
        figures.append(
            PublishedFigure(
                what=f"α = {row['alpha']:g}, β = {row['beta']:g}, K = {row['K']}: {NAMES[first]}, {NAMES[second]}",
                where="Table 2",
                published=f"{row['published']:.2f}",
                ours=ours,
                agrees=abs(distance) <= 3,
                why=f"another sample: {abs(distance):.1f} standard errors",
            )
        )
    return figures
