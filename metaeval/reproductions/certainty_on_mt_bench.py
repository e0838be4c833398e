"""People and GPT-4 in subsets with more and more certain items (Elangovan et al. 2025, Figure 1): MT-Bench's votes."""

from __future__ import annotations

from metaeval.reproductions.bench import Bench
from metaeval.reproductions.figures import PublishedFigure, reproduction
from metaeval.reproductions.people_and_gpt4_on_mt_bench import FILES

LINES = {
    "people": "people among themselves (HH)",
    "machine": "majority and GPT-4 (HʷMʷ)",
    "person": "majority and another person (HʷH′)",
}
RANDOM = "majority and random labels (HʷRʷ)"


@reproduction(
    title="The lines of Figure 1, on MT-Bench",
    source="Elangovan et al. (2025), Figure 1",
    files=FILES,
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
        bench.dataset("mtbench", FILES),
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
