"""Invented lawyers, and the areas of law that each of them would choose: the demo's human annotations."""

from __future__ import annotations

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
    """log(p / (1 - p))."""
    result: Matrix = np.log(share) - np.log1p(-share)
    return result


def logistic(value: Matrix) -> Matrix:
    """1 / (1 + exp(-x))."""
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


def judgement_distribution(annotations: list[LawyerAnnotation], texts: int) -> Matrix:
    """The share of lawyers who chose each label: float64, texts x 33, values in [0, 1].

    >>> P = judgement_distribution([LawyerAnnotation(0, "L01", (0, 2)), LawyerAnnotation(0, "L02", (2,))], 1)
    >>> P[0, :3].tolist()
    [0.5, 0.0, 1.0]
    """
    votes = np.zeros((texts, len(LABELS)))
    people = np.zeros(texts)
    for annotation in annotations:
        votes[annotation.text, list(annotation.labels)] += 1
        people[annotation.text] += 1
    result: Matrix = votes / people[:, None]
    return result
