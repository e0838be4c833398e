"""What a simulated expert answers: the documented model behind `simulate_responses`. Pure NumPy.

The model, for one expert and one assignment:

- *Reading.* The expert reads the text's human judgement distribution P_i with noise: in logits,
  r = P_i + strictness + N(0, noise^2) per label, back in [0, 1] (multilabel), or normalised to 1 (multiclass,
  ordinal; there strictness does not matter). `strictness` and `noise` belong to the expert.
- *Step 1* is drawn from the reading: each label with its probability (multilabel; an exclusive label drawn
  first excludes the rest, and an expert who sees nothing names the likeliest label), or one label.
- *Step 2* depends only on what is shown (including threshold and rounding). The distance of a shown
  distribution s to the reading is sum |s - r| / sum (s + r), which lies in [0, 1], plus N(0, care^2). If both are
  farther than `far`, neither is chosen; else if they differ by less than `close`, both; else the nearer. Two sides
    that look the same are at the same distance: both, or neither.
- *Certainty* grows with the margin by which the choice was made, from about 0.3 to 1.
- *Times* are log-normal around the time to read the text and the bars, at the expert's pace.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Vector
from annotations.ground.seeding import RandomChoice, generator

FLOOR = 0.002  # even a label that nobody chose is not impossible


@dataclass(frozen=True, slots=True)
class Temper:
    """What one simulated expert is like (see the module's docstring)."""

    strictness: float
    noise: float
    care: float
    close: float
    far: float
    pace: float

    @classmethod
    def draw(cls, seed: int, number: int) -> Temper:
        """The traits of expert `number` in the study with this seed."""
        rng = generator(seed, RandomChoice.SIMULATING, number)
        return cls(
            strictness=float(rng.normal(0.0, 0.4)),
            noise=float(1.7 * rng.lognormal(0.0, 0.25)),
            care=float(0.13 * rng.lognormal(0.0, 0.3)),
            close=float(rng.uniform(0.02, 0.14)),
            far=float(rng.uniform(0.38, 0.58)),
            pace=float(rng.lognormal(0.0, 0.25)),
        )


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a simulated expert answers to one assignment."""

    labels: tuple[int, ...]
    a_chosen: bool
    b_chosen: bool
    certainty: float
    labels_ms: int
    preference_ms: int


def opinion(
    *,
    P: Vector,
    shown_a: Vector,
    shown_b: Vector,
    words: int,
    temper: Temper,
    rng: np.random.Generator,
    exclusive: int | None = None,
    one_label: bool = False,
) -> Opinion:
    """One simulated answer by the model that this module states.

    Args:
        P: the instance's human judgement distribution, float64, K.
        shown_a, shown_b: the two distributions as drawn, float64, K; labels not drawn are 0.
        words: length of the text, for the time it takes.
        exclusive: position of the exclusive label, if there is one.
        one_label: multiclass and ordinal tasks, in which exactly one label is right.
    """
    reading = _read(P, temper, rng, one_label=one_label)
    labels = _choose_labels(reading, rng, exclusive=exclusive, one_label=one_label)
    far_a, far_b = (_distance(shown, reading) + rng.normal(0.0, temper.care) for shown in (shown_a, shown_b))
    if np.array_equal(shown_a, shown_b):
        far_b = far_a  # there is nothing to choose between: both, or neither
    gap = abs(far_a - far_b)
    if min(far_a, far_b) > temper.far:
        a_chosen = b_chosen = False
        margin = min(far_a, far_b) - temper.far
    elif gap < temper.close:
        a_chosen = b_chosen = True
        margin = temper.close - gap
    else:
        a_chosen, b_chosen = far_a < far_b, far_b < far_a
        margin = gap - temper.close
    certainty = 0.3 + 0.65 * (1 - np.exp(-margin / 0.12)) + rng.normal(0.0, 0.08)
    bars = int((shown_a > 0).sum() + (shown_b > 0).sum())
    return Opinion(
        labels=labels,
        a_chosen=bool(a_chosen),
        b_chosen=bool(b_chosen),
        certainty=round(float(np.clip(certainty, 0.0, 1.0)), 2),
        labels_ms=int(1000 * (5 + 0.27 * words + 2.5 * len(labels)) * temper.pace * rng.lognormal(0.0, 0.35)),
        preference_ms=int(1000 * (4 + 1.1 * bars) * temper.pace * rng.lognormal(0.0, 0.4)),
    )


def _read(P: Vector, temper: Temper, rng: np.random.Generator, *, one_label: bool) -> Vector:
    p = np.clip(P, FLOOR, 1 - FLOOR)
    noise = rng.normal(0.0, temper.noise, len(p))
    if one_label:
        weights: Vector = p * np.exp(noise)
        normalised: Vector = weights / weights.sum()
        return normalised
    odds: Vector = p / (1 - p) * np.exp(temper.strictness + noise)
    return odds / (1 + odds)


def _choose_labels(
    reading: Vector, rng: np.random.Generator, *, exclusive: int | None, one_label: bool
) -> tuple[int, ...]:
    if one_label:
        return (int(rng.choice(len(reading), p=reading)),)
    drawn = rng.random(len(reading)) < reading
    if exclusive is not None and drawn[exclusive]:
        return (exclusive,)
    return tuple(int(k) for k in np.flatnonzero(drawn)) or (int(np.argmax(reading)),)


def _distance(shown: Vector, reading: Vector) -> float:
    """sum |s - r| / sum (s + r): 0 = equal, 1 = nothing in common; the total variation when both sum to 1."""
    return float(np.abs(shown - reading).sum() / (shown + reading).sum())
