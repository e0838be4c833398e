"""How much the judges' noise moves preference fractions, and how a bootstrap of judges can add exactly that much.

A fraction is f = sum w c / sum w over a system's responses (w the weight, c in [0, 1] what was chosen); response r
contributes d_r = w_r (c_r - f) / sum w to its deviation. With A = sum over comparisons of (sum of d)^2, B = sum over
experts of (sum of d)^2 and C = sum of d^2, the variance of f over new comparisons and new experts is about A + B - C,
because A and B both contain the noise of the single responses; resampling comparisons and experts multiplies their
counts and yields A + B + C, up to three times as much. `scale` corrects for this.

Source: Owen 2007, The pigeonhole bootstrap, section 4 (what it overestimates); Cameron, Gelbach and Miller 2011, Robust
inference with multiway clustering, section 2.2 (A + B - C).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Codes, Matrix, Vector
from metaeval.stats.responses.judgements import Judgements


class Shrunken(NamedTuple):
    """What `JudgingNoise.shrunken` returns; `only_noise` if noise explains everything that the line does not."""

    scale: float
    pull: Vector
    only_noise: bool = False


@dataclass(frozen=True)
class JudgingNoise:
    """Parts of the noise of S systems' fractions: A and C (S,), and the experts' summed deviations (S, E), whose
    products give B and the covariance of two systems through a common expert.

    `comparisons` (S,) and `responses` (S,) are counts. Systems without a fraction have zeros.
    """

    by_comparison: Vector
    by_expert: Matrix
    by_response: Vector
    comparisons: Codes
    responses: Codes

    @classmethod
    def of(cls, judged: Judgements, fractions: Vector) -> JudgingNoise:
        """From the responses and their fractions (S,)."""
        systems = len(judged.systems)
        responses = np.diff(judged.system_starts)
        comparisons = np.diff(judged.comparison_starts)
        row = np.repeat(np.arange(systems), responses)
        load = np.bincount(row, judged.weight, minlength=systems)[row]
        away = judged.weight * (judged.chosen - fractions[row])
        deviation = np.divide(away, load, out=np.zeros(len(row)), where=load > 0)
        comparison = judged.comparison_starts[row] + judged.comparison
        summed = np.bincount(comparison, deviation, minlength=int(judged.comparison_starts[-1]))
        owner = np.repeat(np.arange(systems), comparisons)
        by_expert = (
            np.bincount(row * judged.experts + judged.expert, deviation, minlength=systems * judged.experts)
            .astype(np.float64)
            .reshape(systems, judged.experts)
        )
        return cls(
            by_comparison=np.bincount(owner, summed**2, minlength=systems).astype(np.float64),
            by_expert=by_expert,
            by_response=np.bincount(row, deviation**2, minlength=systems).astype(np.float64),
            comparisons=comparisons,
            responses=responses,
        )

    def variances(self, over: Collection[str], projector: Matrix | None = None) -> tuple[float, float]:
        """The noise that resampling `over` adds, and that of a repetition, summed over systems.

        With a symmetric projector (S, S), that of the projected fractions: its trace with the covariance matrix. A
        component estimated as negative counts as zero. Factors n / (n - 1) undo the loss from centring at the observed
        fraction, for comparisons, experts and responses.
        """
        ones = np.eye(len(self.by_response)) if projector is None else projector
        own = np.diag(ones)
        experts = self.by_expert.shape[1]
        a, c = own * self.by_comparison, own * self.by_response
        b_own = own * (self.by_expert**2).sum(axis=1)
        b = float(((ones @ self.by_expert) ** 2).sum())  # systems share experts, so this is not the sum of b_own
        few, people = np.maximum(self.comparisons, 2), max(experts, 2)
        truly_a = float((a * few / (few - 1)).sum())
        truly_b = b * people / (people - 1)
        truly_c = float((c * np.maximum(self.responses, 2) / np.maximum(self.responses - 1, 1)).sum())
        if "comparisons" not in over:
            return (b, truly_b) if "experts" in over else (0.0, 0.0)
        if "experts" not in over:
            return float(a.sum()), truly_a
        added = float((a * (1 - 1 / people) + c - b_own / few).sum()) + b
        return added, truly_c + max(0.0, truly_a - truly_c) + max(0.0, truly_b - truly_c)

    def scale(self, over: Collection[str]) -> float:
        """The factor for the deviations of resampled from observed fractions that makes them vary as much as a
        repetition's."""
        added, true = self.variances(over)
        return float(np.sqrt(true / added)) if added > 0 else 1.0

    def shrunken(
        self, over: Collection[str], fractions: Vector, scores: Vector, parts: Codes | None = None
    ) -> Shrunken:
        """This factor for one row of scores (S,), and what is then subtracted from the fractions (S,).

        The observed fractions already contain the judges' noise. The residuals e of their regression on the scores are
        therefore multiplied by s, s^2 = 1 - v / sum e^2, v the projected noise of a repetition, before resampling adds
        the noise again: this preserves the sum of squares, and so the correlation. (1 - s) e is returned. If v is at
        least that sum, s = 0: everything seen may be noise. Systems with NaN in either get 0. `parts` (S,), for a
        correlation within parts: their means are projected out too, since they do not vary.

        Source: Davison and Hinkley 1997, Bootstrap Methods and their Application, section 3.8 (shrunken first stage).
        """
        nothing = np.zeros(len(scores))
        if not {"comparisons", "experts"} & set(over):
            return Shrunken(1.0, nothing)  # no noise is added, and the projector would be (S, S)
        kept = np.isfinite(scores) & np.isfinite(fractions)
        fitted = np.ones((int(kept.sum()), 1))
        if parts is not None:
            fitted = (parts[kept][:, np.newaxis] == np.unique(parts[kept])).astype(np.float64)
        if kept.sum() < fitted.shape[1] + 2:
            return Shrunken(1.0, nothing)
        line = np.column_stack([fitted, scores[kept] - scores[kept].mean()])
        projector = np.zeros((len(scores), len(scores)))
        projector[np.ix_(kept, kept)] = np.eye(int(kept.sum())) - line @ np.linalg.pinv(line)
        added, true = self.variances(over, projector)
        residuals = projector @ np.where(kept, fractions, 0.0)
        squares = float(residuals @ residuals)
        if added <= 0 or squares <= 0:
            return Shrunken(1.0, nothing)
        left = max(0.0, 1 - true / squares)
        return Shrunken(float(np.sqrt(true / added)), (1 - np.sqrt(left)) * residuals, left == 0.0)
