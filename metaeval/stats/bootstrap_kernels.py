"""The compiled loop of the correlation bootstrap. Python's side of it is in `bootstrap`."""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

import numpy as np

from .coefficient_kernels import coefficient
from .compiled import compiled
from .shuffling import below


@compiled
def fraction(state, draw_comparisons, first, last, comparisons, comparison, expert, chosen, weight, people, times):
    """A system's preference fraction on a resample of its comparisons and with the drawn experts; NaN without any.

    Its responses are `first` to `last`; people (E,): how often each expert was drawn; times: room for the same of
    comparisons.
    """
    if draw_comparisons:
        times[:comparisons] = 0
        for _ in range(comparisons):
            times[np.int64(below(state, np.uint64(comparisons)))] += 1
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

    scores (R, S); fractions (S,): the observed ones, used as they are when neither comparisons nor experts are drawn.
    """
    rows, systems = scores.shape
    inner = draw_comparisons or draw_experts
    answer = np.empty((size, len(which), rows))
    people = np.ones(max(experts, 1))
    most = 1
    for each in range(systems):
        most = max(most, comparison_starts[each + 1] - comparison_starts[each])
    times = np.ones(most)
    slots = np.arange(systems)
    target = fractions.copy()
    x, y = np.empty(systems), np.empty(systems)
    ranks_x, ranks_y = np.empty(systems), np.empty(systems)
    for at in range(size):
        if draw_experts:
            people[:] = 0
            for _ in range(experts):
                people[np.int64(below(state, np.uint64(experts)))] += 1
        for slot in range(systems):
            slots[slot] = np.int64(below(state, np.uint64(systems))) if draw_systems else slot
            s = slots[slot]
            target[slot] = fractions[s]
            if inner and not np.isnan(fractions[s]):
                target[slot] = fraction(
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
        for row in range(rows):
            n = 0
            for slot in range(systems):
                score = scores[row, slots[slot]]
                if not (np.isnan(score) or np.isnan(target[slot])):
                    x[n] = score
                    y[n] = target[slot]
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
    comparison,
    expert,
    chosen,
    weight,
    system_starts,
    comparison_starts,
    experts,
):
    """Preference fractions of the same systems on resampled comparisons and experts: shape (size, systems)."""
    systems = len(system_starts) - 1
    answer = np.empty((size, systems))
    people = np.ones(max(experts, 1))
    most = 1
    for s in range(systems):
        most = max(most, comparison_starts[s + 1] - comparison_starts[s])
    times = np.ones(most)
    for at in range(size):
        if draw_experts:
            people[:] = 0
            for _ in range(experts):
                people[np.int64(below(state, np.uint64(experts)))] += 1
        for s in range(systems):
            answer[at, s] = fraction(
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
    return answer
