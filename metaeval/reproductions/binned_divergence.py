"""The worked examples of the binned divergence (Elangovan et al. 2025, appendix A.7 and Tables 5 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metaeval.reproductions.bench import Bench
from metaeval.reproductions.figures import PublishedFigure, reproduction
from metaeval.reproductions.partitions import QUICK

MODELS = {"good": [3, 1, 2], "poor": [1, 3, 4]}
ROUNDED = "the paper multiplies bins that it has rounded before (0.31, 0.56)"
NO_ALPHA = (
    "the printed figure is not an alpha of these data: it results (−0.058, −0.059) if the two rows of labels are "
    "read as a matrix of counts"
)


@reproduction(
    title="The worked examples of the binned divergence",
    source="Elangovan et al. (2025), appendix A.7 and Tables 5 and 6",
    files=[],
    analysis="uncertainty",
    golden="binned_jsd.json",
    note="The labels are those printed in the paper. The paper’s equation has a divergence of base 2; its code and its "
    "figures are the distance, with natural logarithms, which is the default here.",
)
def binned_divergence(bench: Bench) -> list[PublishedFigure]:
    toy = bench.golden("uncertainty.json")["toy_A7"]
    printed = bench.golden("binned_jsd.json")
    perception = _result(bench, "a7", toy["human"], toy["machine"], points=3)["perception"][0]
    bins = {row["label"]: row["value"] for row in perception["bins"]}
    paper = printed["A7_paper"]
    figures = [
        PublishedFigure.printed("bin 2", "A.7", str(paper["bin2"]), bins["2"]),
        PublishedFigure.printed("bin 3", "A.7", str(paper["bin3"]), bins["3"]),
        PublishedFigure.printed("weighted", "A.7", str(paper["weighted"]), perception["binned"], why=ROUNDED),
    ]
    of_models = printed["toy_paper"]
    for place, (model, labels) in enumerate(MODELS.items()):
        row = _result(bench, model, toy["human"], [[label] for label in labels], points=4)["strata"][0]
        values = [
            ("JS_b", of_models[model], row["divergence"]["binned"], ""),
            ("Kendall’s tau", of_models["kendall"][place], row["correlations"]["kendall_median"]["value"], ""),
            ("Spearman’s rho", of_models["spearman"][place], row["correlations"]["spearman_median"]["value"], ""),
            ("alpha", of_models["alpha"], row["alpha"]["typical"], NO_ALPHA),
        ]
        figures += [
            PublishedFigure.printed(f"{model} model: {words}", "Table 6", f"{published:.2f}", ours, why=why)
            for words, published, ours, why in values
        ]
    return figures


def _result(
    bench: Bench, slug: str, human: Sequence[Sequence[int]], machine: Sequence[Sequence[int]], *, points: int
) -> dict[str, Any]:
    """The labels as files, imported like any others: each of a machine's runs is a system that is certain of one
    label."""
    names = [str(point) for point in range(1, points + 1)]
    rows = [f"i{item},p{who},{label}" for item, labels in enumerate(human) for who, label in enumerate(labels)]
    lines = [
        f"i{item},M,run,{run}," + ",".join(str(int(name == str(label))) for name in names)
        for item, labels in enumerate(machine)
        for run, label in enumerate(labels)
    ]
    folder = bench.work / slug
    folder.mkdir(exist_ok=True)
    (folder / "people.csv").write_text("instance,annotator,label\n" + "\n".join(rows) + "\n")
    (folder / "runs.csv").write_text(f"instance,model,method,run,{','.join(names)}\n" + "\n".join(lines) + "\n")
    dataset = bench.dataset(
        f"toy-{slug}", ["people.csv"], predictions=["runs.csv"], folder=folder, task="ordinal", labels="; ".join(names)
    )
    return bench.of_dataset(dataset, "uncertainty", **QUICK)
