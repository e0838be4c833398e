"""People against GPT-4 as a judge of two models (Elangovan et al. 2025, Tables 3 and 8): MT-Bench's votes."""

from __future__ import annotations

from metaeval.reproductions.bench import Bench
from metaeval.reproductions.figures import PublishedFigure, reproduction, rows_of
from metaeval.reproductions.partitions import PARTITIONS, QUICK

FILES = ["mtbench/human.jsonl", "mtbench/gpt4_pair.jsonl"]
UNBINNED = "what is printed as JS_b is the distance of the pooled labels, without bins: the row above"
WORDS = {
    "n_items": "items",
    "human_majority_winrate": "win rate of GPT-3.5, people",
    "gpt4_winrate": "win rate of GPT-3.5, GPT-4",
    "HH_alpha": "alpha among people",
    "HH_percentage_agreement": "percentage agreement among people",
    "HwMw_percentage_agreement": "percentage agreement of people and GPT-4",
    "HwMw_alpha": "alpha of people and GPT-4",
    "HwMw_fleiss": "Fleiss’ kappa of people and GPT-4",
    "HwMw_randolph_k_observed": "Randolph’s kappa of people and GPT-4",
    "JS_unbinned_natural_log_sqrt": "Jensen-Shannon distance, not binned",
    "JSb_as_defined_in_the_paper_code": "Jensen-Shannon distance, binned",
}


@reproduction(
    title="People and GPT-4 on MT-Bench: Alpaca against GPT-3.5",
    source="Elangovan et al. (2025), Tables 3 and 8",
    files=FILES,
    analysis="uncertainty",
    golden="uncertainty.json",
    note="Items with three human votes or more; tied majorities by the first vote in the file, as published.",
)
def people_and_gpt4_on_mt_bench(bench: Bench) -> list[PublishedFigure]:
    result = bench.of_dataset(
        bench.dataset("mtbench", FILES),
        "uncertainty",
        systems=["alpaca-13b", "gpt-3.5-turbo"],
        least_annotations=3,
        ties="first given",
        constant="1",
        **QUICK,
    )
    strata = {row["partition"]: row for row in result["strata"]}
    figures = []
    for row in bench.golden("uncertainty.json")["tables"]["table3_8.MT-Bench"]["Alp-Gp3"]:
        mine = strata[PARTITIONS[row["partition"]]]
        values = {
            "n_items": mine["items"],
            "human_majority_winrate": mine["win_rates"]["people"][1],
            "gpt4_winrate": mine["win_rates"]["machine"][1],
            "HH_alpha": mine["alpha"]["people"],
            "HH_percentage_agreement": mine["percentage"]["people"],
            "HwMw_percentage_agreement": mine["percentage"]["typical"],
            "HwMw_alpha": mine["alpha"]["typical"],
            "HwMw_fleiss": mine["fleiss"]["typical"],
            "HwMw_randolph_k_observed": mine["randolph"]["typical"],
            "JS_unbinned_natural_log_sqrt": mine["divergence"]["pooled"],
            "JSb_as_defined_in_the_paper_code": mine["divergence"]["binned"],
        }
        for check in rows_of(row["checks"]):
            what = f"{PARTITIONS[row['partition']]}: {WORDS[check['name']]}"
            why = UNBINNED if check["name"].startswith("JSb") else ""
            ours = float(values[check["name"]])
            figures.append(PublishedFigure.printed(what, "Tables 3, 8", check["published"], ours, why=why))
    return figures
