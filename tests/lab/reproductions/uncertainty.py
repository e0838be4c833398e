"""What Elangovan et al. (2025) published about agreement where people are uncertain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metaeval.analyses.inputs.gathering import Subject
from tests.lab.reproductions.bench import Bench
from tests.lab.reproductions.figures import PublishedFigure, reproduction, rows_of

PARTITIONS = {
    "All": "all",
    "PA=1": "PA = 100%",
    "PA=66.67%": "60% <= PA < 80%",
    "80%<=PA<100%": "80% <= PA < 100%",
    "60%<=PA<80%": "60% <= PA < 80%",
    "40%<=PA<60%": "40% <= PA < 60%",
    "0<=PA<40%": "PA < 40%",
    "[80,100)": "80% <= PA < 100%",
    "[60,80)": "60% <= PA < 80%",
    "[0,60)": "PA < 60%",
}

QUICK = {"resamples": 100, "draws": 10}
"""Few resamples and draws, since intervals and random labellers are not compared."""


CRITERIA = {
    "table10.TC.understandable": "Understandable",
    "table10.TC.uses_knowledge": "Uses Knowledge",
    "table11.TC.engaging": "Engaging",
    "table11.TC.maintains_context": "Maintains Context",
    "table11.TC.natural": "Natural",
    "table11.TC.overall": "Overall",
}
DICES = "table10.DICES350.safety"
TOPICAL_CHAT, SAFETY = "topicalchat/tc_usr_data.json", "dices350/dices_350_crowdsourced.json"
AGREEMENT_WORDS = {
    "size_percent": "items, per cent",
    "krippendorff_alpha_nominal": "alpha",
    "krippendorff_alpha_ordinal": "alpha (ordinal)",
    "percentage_agreement": "percentage agreement",
    "randolph_kappa": "Randolph’s kappa",
}


@reproduction(
    title="Agreement among people, by how far they agree",
    source="Elangovan et al. (2025), Tables 10 and 11, columns of people",
    files=[TOPICAL_CHAT, SAFETY],
    analysis="uncertainty",
    note="Of Topical Chat the paper used 60 of 360 responses (“New Human Generated”): a converter kept only the last "
    "one of each context. The same 60 are taken here. Where all labels are equal, alpha and kappa are undefined here, "
    "and printed as 1.00 there: that convention is applied for the comparison.",
)
def agreement_of_people(bench: Bench) -> list[PublishedFigure]:
    figures = []
    for name, rows in bench.golden("uncertainty.json")["tables"].items():
        if name not in {*CRITERIA, DICES}:
            continue
        partitions, scale = _partitions_of(bench, name)
        title = CRITERIA.get(name, "DICES-350")
        for row in rows:
            mine = partitions[PARTITIONS[row["partition"]]]
            values = {
                "size_percent": 100 * mine["share"],
                f"krippendorff_alpha_{scale}": 1.0 if mine["alpha"] is None else mine["alpha"],
                "percentage_agreement": mine["percentage"],
                "randolph_kappa": 1.0 if mine["randolph"] is None else mine["randolph"],
            }
            for check in rows_of(row["checks"]):
                what = f"{title}, {PARTITIONS[row['partition']]}: {AGREEMENT_WORDS[check['name']]}"
                where = check["published_where"].partition(",")[0]
                figures.append(PublishedFigure.printed(what, where, check["published"], values[check["name"]]))
    return figures


def _partitions_of(bench: Bench, name: str) -> tuple[dict[str, Any], str]:
    if name == DICES:
        dataset = bench.dataset("dices", [SAFETY])
    else:
        options: dict[str, Any] = {"criterion": CRITERIA[name], "responses": "New Human Generated"}
        dataset = bench.dataset(name.rpartition(".")[2].replace("_", "-"), [TOPICAL_CHAT], **options)
    result = bench.of_dataset(dataset, "uncertainty", **QUICK, bounds=[0.4, 0.6, 0.8, 1.0])
    return {row["partition"]: row for row in result["people_strata"][0]["rows"]}, result["scale"]


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
    note="The labels are those printed in the paper. The paper’s equation has a divergence of base 2; its code and its "
    "figures are the distance, with natural logarithms, which is the default here.",
)
def binned_divergence(bench: Bench) -> list[PublishedFigure]:
    toy = bench.golden("uncertainty.json")["toy_A7"]
    printed = bench.golden("binned_jsd.json")
    perception = _of_labels(bench, "a7", toy["human"], toy["machine"], points=3)["perception"][0]
    bins = {row["label"]: row["value"] for row in perception["bins"]}
    paper = printed["A7_paper"]
    figures = [
        PublishedFigure.printed("bin 2", "A.7", str(paper["bin2"]), bins["2"]),
        PublishedFigure.printed("bin 3", "A.7", str(paper["bin3"]), bins["3"]),
        PublishedFigure.printed("weighted", "A.7", str(paper["weighted"]), perception["binned"], why=ROUNDED),
    ]
    of_models = printed["toy_paper"]
    for place, (model, labels) in enumerate(MODELS.items()):
        row = _of_labels(bench, model, toy["human"], [[label] for label in labels], points=4)["strata"][0]
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


def _of_labels(
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


VOTES = ["mtbench/human.jsonl", "mtbench/gpt4_pair.jsonl"]
UNBINNED = "what is printed as JS_b is the distance of the pooled labels, without bins: the row above"
JUDGE_WORDS = {
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
    files=VOTES,
    analysis="uncertainty",
    note="Items with three human votes or more; tied majorities by the first vote in the file, as published.",
)
def people_and_gpt4_on_mt_bench(bench: Bench) -> list[PublishedFigure]:
    result = bench.of_dataset(
        bench.dataset("mtbench", VOTES),
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
            what = f"{PARTITIONS[row['partition']]}: {JUDGE_WORDS[check['name']]}"
            why = UNBINNED if check["name"].startswith("JSb") else ""
            ours = float(values[check["name"]])
            figures.append(PublishedFigure.printed(what, "Tables 3, 8", check["published"], ours, why=why))
    return figures


LINES = {
    "people": "people among themselves (HH)",
    "machine": "majority and GPT-4 (HʷMʷ)",
    "person": "majority and another person (HʷH′)",
}
RANDOM = "majority and random labels (HʷRʷ)"


@reproduction(
    title="The lines of Figure 1, on MT-Bench",
    source="Elangovan et al. (2025), Figure 1",
    files=VOTES,
    analysis="uncertainty_simulation",
    note="Figure 1 is not reproduced: it is about MNLI-mismatched and three language models, whose labels are not "
    "among the files here. These are its four lines on other data of the paper, the votes of MT-Bench: mean "
    "alphas in 200 random subsets of 100 comparisons with three human votes or more, of which a given share got "
    "the same vote from everybody. There are no printed numbers to compare with; the claim holds here as well: "
    "the machine agrees with people’s majority better than people agree with each other where few comparisons are "
    "certain, and worse where most are. The person of HʷH′ is not part of the majority that they are compared "
    "with; the paper does not say whether theirs is.",
)
def certainty_on_mt_bench(bench: Bench) -> list[PublishedFigure]:
    result = bench.of_dataset(
        bench.dataset("mtbench", VOTES),
        "uncertainty_simulation",
        least_annotations=3,
        ties="first given",
        repeats=200,
        steps=4,
    )
    random, gpt4 = result["machines"]
    figures = []
    for point, baseline in zip(gpt4["points"], random["points"], strict=True):
        values = {words: point[line] for line, words in LINES.items()} | {RANDOM: baseline["machine"]}
        figures += [
            PublishedFigure.drawn(f"{point['share']:.0%} certain: {words}", "Figure 1", value)
            for words, value in values.items()
        ]
    what = "GPT-4 agrees less than people among themselves from, per cent certain"
    return [*figures, PublishedFigure.drawn(what, "", 100 * gpt4["below_from"])]


REPEATS, THEIR_RUNS = 1000, 2000
CODE = "A.11, run"


class LabellerDesign(NamedTuple):
    """One of the paper's two datasets, and what its code gives: by the share of certain items, the mean alpha among
    people, that of the random labeller with their majority or median, and the standard deviations of both. The code is
    `a11` in tests/metaeval/stats/uncertainty."""

    title: str
    parameters: Mapping[str, Any]
    means: Mapping[float, tuple[float, float, float, float]]
    better_to: float
    """Up to this share of certain items, of those in steps of 10%, the random labeller is clearly above people."""


DESIGNS = (
    LabellerDesign(
        "two labels",
        {"items": 200, "label_count": 2, "scale": "nominal"},
        {
            0.0: (-0.9950, -0.0003, 0.0000, 0.0699),
            0.1: (-0.7955, -0.0020, 0.0000, 0.0700),
            0.2: (-0.5960, -0.0001, 0.0000, 0.0733),
            0.3: (-0.3965, 0.0006, 0.0000, 0.0713),
            0.4: (-0.1970, 0.0025, 0.0000, 0.0693),
            0.5: (0.0025, 0.0008, 0.0000, 0.0690),
            0.6: (0.2020, -0.0011, 0.0000, 0.0705),
            0.7: (0.4015, -0.0022, 0.0000, 0.0707),
            0.8: (0.6010, 0.0030, 0.0000, 0.0715),
            0.9: (0.8005, -0.0011, 0.0000, 0.0712),
            1.0: (1.0000, 0.0007, 0.0000, 0.0704),
        },
        0.4,
    ),
    LabellerDesign(
        "scale of three",
        {"items": 600, "label_count": 3, "scale": "ordinal"},
        {
            0.0: (-0.4993, -0.1770, 0.0219, 0.0380),
            0.1: (-0.3495, -0.1425, 0.0222, 0.0374),
            0.2: (-0.1995, -0.1119, 0.0223, 0.0391),
            0.3: (-0.0502, -0.0855, 0.0226, 0.0404),
            0.4: (0.1004, -0.0604, 0.0239, 0.0398),
            0.5: (0.2507, -0.0418, 0.0229, 0.0409),
            0.6: (0.4003, -0.0270, 0.0214, 0.0386),
            0.7: (0.5500, -0.0142, 0.0202, 0.0402),
            0.8: (0.7001, -0.0071, 0.0178, 0.0416),
            0.9: (0.8502, -0.0011, 0.0128, 0.0402),
            1.0: (1.0000, -0.0012, 0.0000, 0.0407),
        },
        0.2,
    ),
)
THEIRS = {"annotators": 2, "uncertain": "all differ", "ties": "first given", "accuracies": [], "repeats": REPEATS}


@reproduction(
    title="A random labeller, the fewer items people are certain about",
    source="Elangovan et al. (2025), Figure 2, in the design of appendix A.11",
    files=[],
    analysis="uncertainty_simulation",
    note=f"The paper draws these lines and prints no numbers. “Published” is what its code gives, run {THEIR_RUNS:,} "
    "times: in A.11, two people agree on a share of the items (one half; here varied, as in the figure) and "
    "always *disagree* on the others; majorities are those of `statistics.mode`, medians those of "
    f"`statistics.median_low`. Ours is `uncertain` = “all differ”, {REPEATS:,} times; what agrees lies within 3 "
    "standard errors of the difference. What is reproduced is the point of the figure: where people are "
    "uncertain, labels at random agree with their majority better than people agree with each other. A.11 does "
    "not show how the paper takes the median of two different labels. If it lies between them, the random "
    "labeller stays at 0 on the scale and is better up to 30%, not 20%. The last two rows are the default design "
    "of `uncertainty_simulation`, in which people draw labels for uncertain items: they agree by chance then, and "
    "random labels are no better than people. The point that differs does so by chance: with 4,000 runs of either, it "
    "is −0.0061 with the paper’s code and −0.0064 here.",
)
def random_labeller(bench: Bench) -> list[PublishedFigure]:
    figures = []
    for design in DESIGNS:
        points = _points(bench, **design.parameters, **THEIRS)
        for share, (people, machine, people_sd, machine_sd) in design.means.items():
            point = next(point for point in points if point["share"] == share)
            about = f"{design.title}, {share:.0%} certain"
            figures += [
                _sampled(f"{about}: people", people, point["people"], people_sd),
                _sampled(f"{about}: random labeller", machine, point["machine"], machine_sd),
            ]
        what = f"{design.title}: random labeller better up to, per cent certain"
        figures.append(PublishedFigure.printed(what, CODE, f"{100 * design.better_to:.0f}", 100 * _better_to(points)))
    today = _points(bench, accuracies=[], repeats=REPEATS)[0]
    return [
        *figures,
        PublishedFigure.drawn("default design, 0% certain: people", "", today["people"]),
        PublishedFigure.drawn("default design, 0% certain: random labeller", "", today["machine"]),
    ]


def _points(bench: Bench, **parameters: Any) -> list[dict[str, Any]]:
    result = bench.result(Subject.nothing(), "uncertainty_simulation", **parameters)
    points: list[dict[str, Any]] = result["machines"][0]["points"]
    return points


def _sampled(what: str, published: float, ours: float, deviation: float) -> PublishedFigure:
    """Both are means of samples, and the published one is rounded."""
    error = deviation * math.sqrt(1 / REPEATS + 1 / THEIR_RUNS) + 0.00005
    distance = abs(ours - published) / error
    why = f"another sample: {distance:.1f} standard errors"
    return PublishedFigure(what, CODE, f"{published:.4f}", ours, agrees=distance <= 3, why=why)


def _better_to(points: Sequence[Mapping[str, Any]]) -> float:
    """The largest share of certain items at which the random labeller is above people by 3 standard errors or more."""
    errors = [math.hypot(point["people_sd"], point["machine_sd"]) / math.sqrt(point["repeats"]) for point in points]
    return max(
        float(point["share"])
        for point, error in zip(points, errors, strict=True)
        if point["machine"] - point["people"] >= 3 * error
    )
