"""A labeller at random beside people who disagree (Elangovan et al. 2025, Figure 2), in the design of their code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metaeval.analyses.inputs.gathering import Subject
from metaeval.reproductions.bench import Bench
from metaeval.reproductions.figures import PublishedFigure, reproduction

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

    def is_better(point: Mapping[str, Any]) -> bool:
        error = math.hypot(point["people_sd"], point["machine_sd"]) / math.sqrt(point["repeats"])
        return bool(point["machine"] - point["people"] >= 3 * error)

    return max(float(point["share"]) for point in points if is_better(point))
