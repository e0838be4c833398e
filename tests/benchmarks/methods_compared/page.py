"""docs/reference/methods-compared.md, from the result of the analysis."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks._page import machine
from tests.benchmarks.methods_compared.datasets import DATASETS, Trained

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "methods-compared.md"
COMMAND = "python -m tests.benchmarks.methods_compared --state FOLDER --write"
SOFT = ("po_jsd", "soft_accuracy", "soft_macro_f1", "entropy_correlation")
BASELINE = "MV"

Found = dict[str, Any]


def page(result: Found, trained: Sequence[Trained]) -> str:
    """The page: what was asked, what came out, the tables, and how long it took."""
    minutes = sum(one.seconds for one in trained) / 60
    names = [one.name for one in trained]
    parts = [
        "# The methods compared",
        "",
        f"Written by `{COMMAND}`, {machine()}. Every method that applies was trained three times with the small "
        "encoder (metaeval/training/encoders/small.py), which knows no language beforehand: the numbers compare "
        "methods, and say little about what a pretrained encoder reaches. All trainings together took "
        f"{minutes:.0f} minutes.",
        "",
        "## What came out",
        "",
        *(f"- {sentence}" for sentence in answers(result, names)),
        "",
        "## Scores",
        "",
        "Mean and standard deviation over three runs. Below each, the difference from the mean of MV, in bold where "
        "its 95% interval over runs leaves out 0. A dash: undefined.",
        "",
    ]
    for one in trained:
        parts += [
            f"### {DATASETS[one.name].title}",
            "",
            f"{DATASETS[one.name].told[0].upper()}{DATASETS[one.name].told[1:]}.",
        ]
        parts += ["", *table(result, one.name), "", f"{one.outcome} In {one.seconds / 60:.1f} minutes.", ""]
    return "\n".join(parts)


def table(result: Found, dataset: str) -> list[str]:
    """The methods of a dataset by the six metrics of its task."""
    six = metrics_of(result)
    lines = [
        "| method | " + " | ".join(str(metric["title"]) for metric in six) + " |",
        "|---|" + "---:|" * len(six),
    ]
    for group in groups_of(result, dataset):
        cells = [_cell(group["metrics"][metric["name"]], group["method"] == BASELINE) for metric in six]
        lines.append(f"| {group['method']} | {' | '.join(cells)} |")
    return lines


def metrics_of(result: Found) -> list[Found]:
    """The six that come first: those that the paper reports."""
    found: list[Found] = result["metrics"][:6]
    return found


def groups_of(result: Found, dataset: str) -> list[Found]:
    """The methods trained on a dataset, in the order of the registry."""
    from metaeval.training.registry import methods

    order = methods.names()
    found = [group for group in result["groups"] if group["dataset"] in {"", dataset} and group["method"] in order]
    return sorted(found, key=lambda group: order.index(group["method"]))


def answers(result: Found, names: Sequence[str]) -> list[str]:
    """What the paper found, asked again."""
    said = [_beats(result, names, method) for method in ("ReL", "SL")]
    said.append(_falls(result, names))
    said.append(_collapses(result))
    ranked = [f"{row['name']} {row['rank']:.1f}" for row in result["ranks"] if row["rank"] is not None]
    said.append(f"By mean rank over datasets and all metrics: {', '.join(ranked)}.")
    return said


def _beats(result: Found, names: Sequence[str], method: str) -> str:
    """In how many soft scores a method is better than the majority vote."""
    better = clear = count = worse = 0
    for name in names:
        for group in groups_of(result, name):
            if group["method"] != method:
                continue
            for metric in metrics_of(result):
                scored = group["metrics"][metric["name"]]
                if metric["name"] not in SOFT or scored["difference"] is None:
                    continue
                count += 1
                better += scored["difference"] > 0
                clear += scored["low"] is not None and scored["low"] > 0
                worse += scored["high"] is not None and scored["high"] < 0
    return (
        f"{method} is better than MV in {better} of {count} soft scores (PO-JSD, soft accuracy or soft micro F1, soft "
        f"macro F1, entropy correlation; one for each dataset and metric), clearly in {clear}, and clearly worse in "
        f"{worse}."
    )


def _falls(result: Found, names: Sequence[str]) -> str:
    """Where LA-min is below the majority vote."""
    told = []
    for name in names:
        for group in groups_of(result, name):
            if group["method"] == "LA-min":
                differences = [group["metrics"][metric["name"]]["difference"] for metric in metrics_of(result)]
                known = [value for value in differences if value is not None]
                told.append(f"{sum(value < 0 for value in known)} of {len(known)} metrics on {DATASETS[name].title}")
    return f"LA-min is below MV in {', '.join(told)}."


def _collapses(result: Found) -> str:
    """Which methods collapsed where."""
    found = [
        f"{one['method']} in {one['runs']} of {one['of']} runs on {DATASETS[one['dataset']].title}"
        for one in result["collapsed"]
    ]
    return f"Collapsed: {'; '.join(found)}." if found else "No run of any method collapsed."


def _cell(scored: Found, is_baseline: bool) -> str:
    if scored["mean"] is None:
        return "–"
    spread = "" if scored["deviation"] is None else f" ± {_number(scored['deviation'])}"
    cell = f"{_number(scored['mean'])}{spread}"
    if is_baseline or scored["difference"] is None:
        return cell
    difference = f"{scored['difference']:+.3f}".replace("0.", ".", 1).replace("-", "−")
    is_clear = scored["low"] is not None and (scored["low"] > 0 or scored["high"] < 0)
    return f"{cell}<br>{f'**{difference}**' if is_clear else difference}"


def _number(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1).replace("-", "−")
