"""How often permutation tests find correlations that do not exist, or do, by what is exchanged and by design."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotations.ground.arrays import Counts
from annotations.ground.units import EXCHANGEABLE, Exchangeable, count_permutations, default_exchangeable, smallest_p
from metaeval.sampling import stream
from metaeval.stats import PermutationPlan
from metaeval.validity.planted import PlantedDesign
from metaeval.validity.sections import Effort, ValidityTable, share, validity_section

ALPHA, PERMUTATIONS, PLANTED = 0.05, 999, 0.6
STRONG = 0.8
SMALLEST = "The smallest two-sided p-value that there can be, with 9,999 permutations or all there are."

DESIGNS = (
    PlantedDesign("one model, 13 methods"),
    PlantedDesign("2 models x 13 methods, nothing alike", models=2),
    PlantedDesign("2 x 13, models shifted", models=2, shift=1.0),
    PlantedDesign("2 x 13, methods alike (.84)", models=2, likeness=0.84),
    PlantedDesign("2 x 13, both", models=2, likeness=0.84, shift=1.0),
    PlantedDesign("2 x 13, both, one hole", models=2, likeness=0.84, shift=1.0, holes=((1, 12),)),
    PlantedDesign("2 models with 13 methods each of their own, shifted", models=2, nested=True, shift=1.0),
    PlantedDesign("one model, 13 methods, 3 runs each", runs=3),
    PlantedDesign("one model, 4 methods, 3 runs each", methods=4, runs=3),
    PlantedDesign("4 models x 4 methods, methods alike (.4)", models=4, methods=4, likeness=0.4),
    PlantedDesign("4 x 4, methods alike (.84)", models=4, methods=4, likeness=0.84),
    PlantedDesign("4 x 4, alike (.84) and shifted", models=4, methods=4, likeness=0.84, shift=1.0),
    PlantedDesign("4 x 4, alike and shifted, one hole", models=4, methods=4, likeness=0.84, shift=1.0, holes=((3, 3),)),
)


@validity_section(
    place=10,
    title="What may change places: false findings and power",
    about=f"""
A metric and the preference fractions of simulated systems have a true correlation within models of 0 (first table),
{PLANTED} (second) or {STRONG} (third). Models are *shifted* by independent normal amounts with the standard deviation
that methods have within a model; methods are *alike* if their values in two models correlate, at .84 where nothing
else is said; runs of one method do so at .9. Each study is tested as a real one is (Pearson, two-sided, {PERMUTATIONS}
permutations or all there are). A dash: nothing can change places. The default that follows from the systems' names is
in bold.
""",
    finding="""
Exchanging systems freely is right where systems share nothing. Shifted models, methods that are alike in several
models, and runs that are counted as systems each make it find what is not there, several times as often as promised.
Four methods alone can never give a p-value below .05, which is why models and methods are exchanged there. Where models
are shifted, that costs power, because the coefficient over all systems is what is tested then; a study with six methods
or more has the test within models.
""",
)
def unit_of_analysis(effort: Effort) -> list[ValidityTable]:
    rejected = {design: rejections(design, effort) for design in DESIGNS}
    captions = (
        "True correlation 0: how often something is found (should be 5).",
        f"True correlation {PLANTED}: how often it is found.",
        f"True correlation {STRONG}: how often it is found.",
    )
    tables = [
        ValidityTable(
            ("design", *EXCHANGEABLE),
            [[design.name, *_cells(design, rejected[design][:, at].tolist(), effort)] for design in DESIGNS],
            caption,
        )
        for at, caption in enumerate(captions)
    ]
    return [*tables, ValidityTable(("design", *EXCHANGEABLE), _smallest(), SMALLEST)]


def rejections(design: PlantedDesign, effort: Effort, choices: Sequence[Exchangeable] = EXCHANGEABLE) -> Counts:
    """How many studies each choice rejects (choices, 3): with no, the planted and the strong correlation.

    -1 if nothing can be exchanged, or if the choice is not requested.
    """
    crossing, root = design.crossing, np.random.SeedSequence([effort.seed, len(design.cells), design.models])
    possible = [choice for choice in choices if count_permutations(crossing, choice) > 1]
    found: Counts = np.full((len(EXCHANGEABLE), 3), -1)
    found[[EXCHANGEABLE.index(choice) for choice in possible]] = 0
    for number in range(effort.simulations):
        source = stream(root, number)
        scores, target = design.drawn(np.random.default_rng(source), (0.0, PLANTED, STRONG))
        for choice in possible:
            tests = PermutationPlan(
                {str(at): row for at, row in enumerate(scores)},
                target,
                coefficients=["pearson"],
                n_resamples=PERMUTATIONS,
                seed=stream(source, 0),
                units=crossing,
                exchangeable=choice,
            ).run()
            found[EXCHANGEABLE.index(choice)] += [test.pvalue <= ALPHA for test in tests]
    return found


def _cells(design: PlantedDesign, found: Sequence[int], effort: Effort) -> list[str]:
    default = default_exchangeable(design.crossing)
    texts = ["–" if count < 0 else share(count, effort.simulations) for count in found]
    return [f"**{text}**" if choice == default else text for choice, text in zip(EXCHANGEABLE, texts, strict=True)]


def _smallest() -> list[list[str]]:
    shown = [PlantedDesign(f"2 models x {methods} methods", models=2, methods=methods) for methods in (4, 5, 6, 13)]
    shown += [PlantedDesign("4 x 4", models=4, methods=4), PlantedDesign("3 x 4", models=3, methods=4)]
    return [
        [design.name, *(f"{smallest_p(design.crossing, choice, permutations=9999):.4f}" for choice in EXCHANGEABLE)]
        for design in shown
    ]
