"""The demo's invented lawyers with the areas of law that each of them would choose, and its simulated systems.

The systems are 2 models x 13 methods whose predictions differ in quality and in the way they err. The methods are those
of the published study of a multilabel task (Kurniawan et al. 2026): all but ambiguous labelling (AL), which is defined
for single labels only. No model was trained. Each method from the literature is imitated by a caricature of its
best-known error: training on majorities makes distributions over-confident, averaging many annotators smooths them,
thresholding hardens them. So the metrics disagree about the systems as they do on real ones.

The demo does not show trained systems: from so few texts, the small encoder learns next to nothing about 33 areas, by
any method (docs/reference/methods-compared.md: a micro F1 between 0 and .13).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Matrix
from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS

POOL_SIZE = 40
LAWYERS_PER_TEXT = (4, 5, 6, 7)
LAWYERS_PER_TEXT_SHARES = (0.1, 0.45, 0.3, 0.15)  # 5.5 lawyers per text on average

STRICTNESS_SD = 0.6  # in logits: how much more readily one lawyer ticks an area than another
LEANING_SD = 0.5  # in logits: how much one lawyer notices one area (a tax lawyer sees tax)
FLOOR = 0.002  # the share of lawyers who see an area that is not listed for the text


@dataclass(frozen=True, slots=True)
class LawyerAnnotation:
    """One lawyer's areas for one text: positions of the text and of the labels, and the lawyer's code."""

    text: int
    lawyer: str
    labels: tuple[int, ...]


def logit(share: Matrix) -> Matrix:
    result: Matrix = np.log(share) - np.log1p(-share)
    return result


def logistic(value: Matrix) -> Matrix:
    result: Matrix = 1.0 / (1.0 + np.exp(-value))
    return result


def annotate(shares: Matrix, *, seed: int) -> list[LawyerAnnotation]:
    """Draw the areas that about 5.5 of 40 invented lawyers choose for every text.

    Lawyer j sees area k in text i with probability logistic(logit(share_ik) + strictness_j + leaning_jk). "Not a legal
    issue" is drawn first and excludes all others; a lawyer who sees no area at all names the likeliest one, since the
    form requires at least one answer.

    Args:
        shares: latent shares, float64, N texts x 33 labels in the order of `LABELS`, values in [0, 1].
        seed: the same seed gives the same annotations.

    Returns:
        The annotations by text, then by lawyer. A text has each lawyer at most once, and all lawyers get about the same
        number of texts.
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    exclusive = LABELS.index(EXCLUSIVE_LABEL)
    strictness = rng.normal(0.0, STRICTNESS_SD, POOL_SIZE)
    leaning = rng.normal(0.0, LEANING_SD, (POOL_SIZE, len(LABELS)))
    base = logit(np.clip(shares, FLOOR, 1 - FLOOR))
    load = np.zeros(POOL_SIZE)
    annotations = []
    for i, count in enumerate(rng.choice(LAWYERS_PER_TEXT, size=len(shares), p=LAWYERS_PER_TEXT_SHARES)):
        # The least loaded go first; the random part breaks ties.
        chosen = np.argsort(load + rng.random(POOL_SIZE))[:count]
        load[chosen] += 1
        for j in np.sort(chosen):
            seen = rng.random(len(LABELS)) < logistic(base[i] + strictness[j] + leaning[j])
            # Whether a text is a legal matter at all does not depend on how readily a lawyer ticks areas.
            outside = rng.random() < shares[i, exclusive]
            seen[exclusive] = False
            if not outside and not seen.any():
                seen[np.argmax(shares[i, :exclusive])] = True
            labels = (exclusive,) if outside else tuple(int(k) for k in np.flatnonzero(seen))
            annotations.append(LawyerAnnotation(text=i, lawyer=f"L{j + 1:02d}", labels=labels))
    return annotations


NEVER_ZERO = 0.004
LIFT = 0.9  # in logits: how much a method that weights all labels alike overpredicts rare ones
RARE_KEPT = 0.2  # the factor by which a method that drops rare labels reduces them
DECIMALS = 4  # as in published probabilities; also hides the last digits, in which machines' exp may differ


@dataclass(frozen=True, slots=True)
class Model:
    """A simulated model: `noise` is the standard deviation, in logits, of its misreading of a text."""

    name: str
    noise: float
    confusion: float  # how much of an area's share leaks to the areas it is often seen with


@dataclass(frozen=True, slots=True)
class Method:
    """A simulated training method: what it does to the model's reading of a text.

    Applied in this order: more noise; `sharpness` multiplies logits (above 1 over-confident, below 1
    smoothed); `shift` adds to logits (below 0 misses labels, above 0 sees too many); `lifted` is the base
    rate below which a label is predicted too often, and `rare` the one below which it is hardly ever
    predicted; `votes` replaces the shares by those of that many sampled votes; `hard` makes them 0 or 1;
    `smoothing` mixes in the labels' base rates.
    """

    name: str
    describes: str
    noise: float = 0.3
    sharpness: float = 1.0
    shift: float = 0.0
    lifted: float = 0.0
    rare: float = 0.0
    votes: int = 0
    hard: bool = False
    smoothing: float = 0.0


@dataclass(frozen=True, slots=True)
class SimulatedSystem:
    """One system's name parts and predictions (float64, texts x 33, values in [0, 1])."""

    model: str
    method: str
    run: str
    Q: Matrix


MODELS = (
    Model("sim-RoBERTa", noise=0.55, confusion=0.05),
    Model("sim-Llama", noise=0.8, confusion=0.08),
)

METHODS = (
    Method("ReL", "repeated labelling: close to the human shares, a little noisy", noise=0.35),
    Method("MV", "majority voting: over-confident, minorities vanish", noise=0.5, sharpness=2.6, shift=-0.5),
    Method("AR", "annotator ranking: good, misses a few labels", noise=0.45, sharpness=1.1, shift=-0.25),
    Method("ARh", "annotator ranking, hard: right labels, no shares", noise=0.4, hard=True),
    Method("AE", "annotator ensemble: shares in steps of ten votes", noise=0.55, votes=10),
    Method("AEh", "annotator ensemble, hard votes", noise=0.65, sharpness=1.6, votes=8, smoothing=0.02),
    Method("SL", "soft labelling: over-smoothed towards the base rates", noise=0.3, sharpness=0.8, smoothing=0.2),
    Method("SLMV", "soft labels and majorities mixed: between the two", noise=0.4, sharpness=1.5, shift=-0.1),
    Method("JSD", "trained on the divergence itself: closest shares of all", noise=0.15),
    Method("SmF1", "trained on soft F1: drops rare labels", noise=0.3, sharpness=1.2, rare=0.04),
    Method("SMF1", "trained on soft macro F1: all labels count alike, so rare ones too often", noise=0.35, lifted=0.04),
    Method("LA-min", "loss aggregation, easiest annotator: under-predicts", noise=0.7, shift=-1.1),
    Method("LA-max", "loss aggregation, hardest annotator: noisy, hedges", noise=1.4, sharpness=0.6, shift=0.4),
)


def simulate_systems(shares: Matrix, *, seed: int) -> list[SimulatedSystem]:
    """Predictions of the 26 simulated systems, models first, in the order of `MODELS` and `METHODS`.

    Args:
        shares: latent shares, float64, N texts x 33 labels in the order of `LABELS`, values in [0, 1].
        seed: the same seed gives the same predictions.
    """
    return [
        SimulatedSystem(model=model.name, method=method.name, run="1", Q=_predict(shares, model, method, key))
        for m, model in enumerate(MODELS)
        for h, method in enumerate(METHODS)
        for key in [(seed, 2, m, h)]
    ]


def _predict(shares: Matrix, model: Model, method: Method, key: Sequence[int]) -> Matrix:
    # A model misreads a text in the same way whatever the method, so its systems resemble each other.
    shared = np.random.default_rng(np.random.SeedSequence(key[:3]))
    own = np.random.default_rng(np.random.SeedSequence(key))
    base_rates = shares.mean(axis=0)
    reading = logit(np.clip(shares + model.confusion * _leak(shares), NEVER_ZERO, 1 - NEVER_ZERO))
    reading += shared.normal(0.0, model.noise, shares.shape) + own.normal(0.0, method.noise, shares.shape)
    Q = logistic(method.sharpness * reading + method.shift + LIFT * (base_rates < method.lifted))
    if method.rare:
        Q[:, base_rates < method.rare] *= RARE_KEPT
    if method.votes:
        Q = own.binomial(method.votes, Q) / method.votes
    if method.hard:
        Q = (Q > 0.5).astype(np.float64)
    Q = (1 - method.smoothing) * Q + method.smoothing * base_rates
    # A text that is not a legal issue has no areas, so what the system gives to one it takes from the other.
    exclusive = LABELS.index(EXCLUSIVE_LABEL)
    others = np.arange(len(LABELS)) != exclusive
    Q[:, others] *= 1 - Q[:, [exclusive]]
    result: Matrix = np.round(Q, DECIMALS)
    return result


def _leak(shares: Matrix) -> Matrix:
    """What leaks to each area from the areas it is often seen with: shares times their co-occurrence."""
    together = shares.T @ shares
    np.fill_diagonal(together, 0.0)
    totals = shares.sum(axis=0)[:, None]
    result: Matrix = shares @ np.divide(together, totals, out=np.zeros_like(together), where=totals > 0)
    return result
