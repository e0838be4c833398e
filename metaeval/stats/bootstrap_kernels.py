"""The compiled loop of the correlation bootstrap. Python's side of it is in `bootstrap`."""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

import numpy as np

from metaeval.compiled import compiled
from metaeval.generator import below

from .coefficient_kernels import coefficient


@compiled
def draw(state, n, times):
    """How often each of n units comes in n draws with replacement, into `times`."""
    times[:n] = 0
    for _ in range(n):
        times[np.int64(below(state, np.uint64(n)))] += 1


@compiled
def fraction(state, draw_comparisons, first, last, comparisons, comparison, expert, chosen, weight, people, times):
    """A system's preference fraction on a resample of its comparisons and with the drawn experts; NaN without any.

    Its responses are `first` to `last`; people (E,): how often each expert was drawn; times: room for the same of
    comparisons.
    """
    if draw_comparisons:
        draw(state, comparisons, times)
    total = load = 0.0
    for at in range(first, last):
        w = weight[at] * people[expert[at]]
        if draw_comparisons:
            w *= times[comparison[at]]
        load += w
        total += w * chosen[at]
    return total / load if load > 0 else np.nan


@compiled
def replicate(
    state,
    size,
    draw_systems,
    draw_comparisons,
    draw_experts,
    scores,
    fractions,
    scales,
    pulls,
    comparison,
    expert,
    chosen,
    weight,
    system_starts,
    comparison_starts,
    experts,
    which,
):
    """Coefficients of `size` resamples: shape (size, coefficients, rows).

    scores (R, S); fractions (S,): the observed ones, used as they are when neither comparisons nor experts are drawn;
    scales (R,) and pulls (R, S): the fraction becomes observed + scale (resampled - observed) - pull.
    """
    rows, systems = scores.shape
    inner = draw_comparisons or draw_experts
    answer = np.empty((size, len(which), rows))
    people, others = np.ones(max(experts, 1)), np.ones(max(experts, 1))
    drawn = np.zeros(systems, dtype=np.bool_)
    most = 1
    for each in range(systems):
        most = max(most, comparison_starts[each + 1] - comparison_starts[each])
    times = np.ones(most)
    slots = np.arange(systems)
    observed, moved = np.zeros(systems), np.zeros(systems)
    x, y = np.empty(systems), np.empty(systems)
    ranks_x, ranks_y = np.empty(systems), np.empty(systems)
    for at in range(size):
        if draw_experts:
            draw(state, experts, people)
            drawn[:] = False
        for slot in range(systems):
            s = np.int64(below(state, np.uint64(systems))) if draw_systems else slot
            slots[slot] = s
            observed[slot] = fractions[s]
            if not inner or np.isnan(fractions[s]):
                continue
            panel = people
            if draw_experts:
                if drawn[s]:  # another system like it would not share its noise
                    draw(state, experts, others)
                    panel = others
                drawn[s] = True
            resampled = fraction(
                state,
                draw_comparisons,
                system_starts[s],
                system_starts[s + 1],
                comparison_starts[s + 1] - comparison_starts[s],
                comparison,
                expert,
                chosen,
                weight,
                panel,
                times,
            )
            moved[slot] = resampled - fractions[s]
        for row in range(rows):
            n = 0
            for slot in range(systems):
                s = slots[slot]
                score, value = scores[row, s], observed[slot]
                if inner:
                    value += scales[row] * moved[slot] - pulls[row, s]
                if not (np.isnan(score) or np.isnan(value)):
                    x[n] = score
                    y[n] = value
                    n += 1
            for c in range(len(which)):
                answer[at, c, row] = coefficient(which[c], x, y, n, ranks_x, ranks_y)
    return answer


@compiled
def fractions_of(
    state,
    size,
    draw_comparisons,
    draw_experts,
    fractions,
    scale,
    comparison,
    expert,
    chosen,
    weight,
    system_starts,
    comparison_starts,
    experts,
):
    """Preference fractions of the same systems on resampled comparisons and experts: shape (size, systems).

    fractions (S,): the observed ones; the resampled ones are moved to observed + scale (resampled - observed).
    """
    systems = len(system_starts) - 1
    answer = np.empty((size, systems))
    people = np.ones(max(experts, 1))
    most = 1
    for s in range(systems):
        most = max(most, comparison_starts[s + 1] - comparison_starts[s])
    times = np.ones(most)
    for at in range(size):
        if draw_experts:
            draw(state, experts, people)
        for s in range(systems):
            resampled = fraction(
                state,
                draw_comparisons,
                system_starts[s],
                system_starts[s + 1],
                comparison_starts[s + 1] - comparison_starts[s],
                comparison,
                expert,
                chosen,
                weight,
                people,
                times,
            )
            answer[at, s] = fractions[s] + scale * (resampled - fractions[s])
    return answer
