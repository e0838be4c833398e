"""Calibration to human judgements (Baan et al. 2022) on ChaosNLI-SNLI."""

from __future__ import annotations

import math
from typing import Any

from metaeval.reproductions.bench import Bench
from metaeval.reproductions.figures import PublishedFigure, reproduction, rows_of

FILES = ["chaosnli/chaosNLI_snli.jsonl"]
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
WHY = {
    "RoBERTa.std3_population.distce": "0.0052 rounds to 0.01, and so does the other deviation (0.0064, n − 1)",
    "RoBERTa-TS.seed0.classwise_ece_percent": "none of the three seeds gives 5 (7.2, 9.2, 8.0), while the other "
    "two rows of the table are reproduced: which predictions were used is not known",
}


@reproduction(
    title="Calibration to human judgements on ChaosNLI-SNLI",
    source="Baan et al. (2022), their notebook’s output and Tables 1 and 5",
    files=[*FILES, *PREDICTIONS],
    analysis="human_calibration",
    golden="calibration_snli.json",
    note="With their conventions: temperature 2, accuracy by the last of tied maxima, entropies in nats. The "
    "deviations of Table 1 divide by the number of seeds; the analysis divides by one less: they are converted here.",
)
def calibration_on_chaosnli(bench: Bench) -> list[PublishedFigure]:
    dataset = bench.dataset("chaosnli", FILES, predictions=PREDICTIONS)
    asked = {"scaling": "one", "temperature": 2.0, "accuracy_ties": "last"}
    result = bench.of_dataset(dataset, "human_calibration", **asked)
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
        figures.append(
            PublishedFigure.printed(what, check["published_where"], check["published"], ours, why=WHY.get(name, ""))
        )
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
