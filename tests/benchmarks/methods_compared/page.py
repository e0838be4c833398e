"""docs/reference/methods-compared.md, from the result of the analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks._page import machine
from tests.benchmarks.methods_compared.datasets import DATASETS, Trained

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "methods-compared.md"
COMMAND = "python -m tests.benchmarks.methods_compared --state FOLDER --write"
BASELINE = "MV"
SOFT = ("po_jsd", "soft_accuracy", "soft_macro_f1", "entropy_correlation")
COLLAPSING, STEADY = "SmF1", "SMF1"
"""The loss that is published to collapse where labels are rare, and its counterpart that is not."""

Found = dict[str, Any]


def page(result: Found, trained: Sequence[Trained]) -> str:
    """The page: what was asked, what came out, the tables, and how long it took."""
    minutes = sum(one.seconds for one in trained) / 60
    names = [one.name for one in trained]
    parts = [
        "# The methods compared",
        "",
        f"Written by `{COMMAND}`, {machine()}. Every method that applies was trained three times on each dataset, with "
        "the small encoder, which knows no language beforehand: the numbers compare methods, and say little about what "
        f"a pretrained encoder reaches. All trainings together took {minutes:.0f} minutes.",
        "",
        "## What came out",
        "",
        *(f"- {sentence}" for sentence in answers(result, names)),
        "",
        "*Clearly* means that the 95% interval of the difference, over runs, leaves out 0. It tells about seeds, not "
        "about texts. Soft scores are PO-JSD, soft accuracy (where texts may have several labels, soft micro F1), soft "
        "macro F1 and entropy correlation.",
        "",
        "## Scores",
        "",
        f"Mean and standard deviation over three runs, and below it the difference from the mean of {BASELINE}, in "
        "bold where it is clear. A dash: undefined.",
        "",
    ]
    for one in trained:
        parts += [
            f"### {DATASETS[one.name].title}",
            "",
            f"{DATASETS[one.name].told} {one.systems} systems in {one.seconds / 60:.1f} minutes.",
            "",
            *table(result, one.name),
            "",
        ]
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
    found = [group for group in result["groups"] if group["dataset"] == dataset and group["method"] in order]
    return sorted(found, key=lambda group: order.index(group["method"]))


def answers(result: Found, names: Sequence[str]) -> list[str]:
    """What the paper found, asked again."""
    ranked = [f"{row['name']} {row['rank']:.1f}" for row in result["ranks"] if row["rank"] is not None]
    return [
        *(_better(result, names, method) for method in ("ReL", "SL")),
        _worse(result, names, "LA-min"),
        *(_collapsed(result, method) for method in (COLLAPSING, STEADY)),
        _others_collapsed(result),
        f"By mean rank over datasets and all metrics: {', '.join(ranked)}.",
    ]


def _better(result: Found, names: Sequence[str], method: str) -> str:
    """In how many soft scores a method is above the majority vote."""
    tallies = {name: Tally(result, name, method, SOFT) for name in names}
    found = [f"{tally.better} of {tally.count} on {DATASETS[name].title}" for name, tally in tallies.items()]
    return (
        f"{method} is above {BASELINE} in {_sum(tallies, 'better')} of {_sum(tallies, 'count')} soft scores, clearly "
        f"in {_sum(tallies, 'clearly_better')}, and clearly below it in {_sum(tallies, 'clearly_worse')}: "
        f"{', '.join(found)}."
    )


def _worse(result: Found, names: Sequence[str], method: str) -> str:
    """In how many of all six scores a method is below the majority vote."""
    tallies = {name: Tally(result, name, method) for name in names}
    found = [f"{tally.worse} of {tally.count} on {DATASETS[name].title}" for name, tally in tallies.items()]
    return (
        f"{method} is below {BASELINE} in {_sum(tallies, 'worse')} of {_sum(tallies, 'count')} scores, clearly in "
        f"{_sum(tallies, 'clearly_worse')}, and clearly above it in {_sum(tallies, 'clearly_better')}: "
        f"{', '.join(found)}."
    )


class Tally:
    """How often a method's mean is above or below the majority vote's on a dataset, and how often clearly."""

    def __init__(self, result: Found, dataset: str, method: str, metrics: Sequence[str] = ()) -> None:
        self.count = self.better = self.worse = self.clearly_better = self.clearly_worse = 0
        for scored in _scores(result, dataset, method, metrics):
            self.count += 1
            self.better += scored["difference"] > 0
            self.worse += scored["difference"] < 0
            self.clearly_better += scored["low"] is not None and scored["low"] > 0
            self.clearly_worse += scored["high"] is not None and scored["high"] < 0


def _scores(result: Found, dataset: str, method: str, metrics: Sequence[str]) -> Iterator[Found]:
    for group in groups_of(result, dataset):
        if group["method"] == method:
            for metric in metrics_of(result):
                scored = group["metrics"][metric["name"]]
                if metric["name"] in (metrics or [metric["name"]]) and scored["difference"] is not None:
                    yield scored


def _sum(tallies: dict[str, Tally], what: str) -> int:
    return sum(getattr(tally, what) for tally in tallies.values())


def _collapsed(result: Found, method: str) -> str:
    """Where a method's runs collapsed."""
    found = [_where(one) for one in result["collapsed"] if one["method"] == method]
    return f"{method} collapsed in {', '.join(found)}." if found else f"{method} collapsed in no run."


def _others_collapsed(result: Found) -> str:
    told = {COLLAPSING, STEADY}
    found = [f"{one['method']}, {_where(one)}" for one in result["collapsed"] if one["method"] not in told]
    return f"Of the others, runs collapsed of {'; '.join(found)}." if found else "No run of any other method collapsed."


def _where(one: Found) -> str:
    what = "no label" if one["collapse"] == "nothing" else "always the same"
    return f"{one['runs']} of {one['of']} runs on {DATASETS[one['dataset']].title} ({what})"


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
