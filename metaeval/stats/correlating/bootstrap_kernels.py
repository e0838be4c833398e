"""The compiled loops of the correlation bootstrap. Python's side of them is in `bootstrap`."""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Mask, Matrix, Vector
from metaeval.compiled import compiled, inlined
from metaeval.generator import below

from .coefficient_kernels import coefficient


class Over(NamedTuple):
    """What is drawn anew in every resample."""

    systems: bool
    comparisons: bool
    experts: bool


class Shrinkage(NamedTuple):
    """How a resampled fraction is corrected: observed + scale (resampled - observed) - pull."""

    scales: Vector
    """(R,): one for each row of scores."""
    pulls: Matrix
    """(R, S)"""


class Room(NamedTuple):
    """How often each expert was drawn (E,), and the same for a system that was drawn again; how often each comparison
    of a system was drawn (as long as the longest); which systems were already drawn (S,)."""

    people: Vector
    others: Vector
    times: Vector
    drawn: Mask


@compiled
def room_for(judged):
    """Buffers reused by every resample; to begin with, everything is drawn once."""
    systems, most = len(judged.system_starts) - 1, 1
    for s in range(systems):
        most = max(most, judged.comparison_starts[s + 1] - judged.comparison_starts[s])
    people = max(judged.experts, 1)
    return Room(np.ones(people), np.ones(people), np.ones(most), np.zeros(systems, dtype=np.bool_))


@compiled
def draw(state, n, times):
    """Write into `times` how often each of n units is drawn in n draws with replacement."""
    times[:n] = 0
    for _ in range(n):
        times[np.int64(below(state, np.uint64(n)))] += 1


@inlined
def fraction(state, draw_comparisons, s, columns, starts, people, times):
    """System s's preference fraction on a resample of its comparisons, with the drawn experts; NaN if nothing is left.

    columns: comparison, expert, chosen and weight of each response; starts: where each system's responses and
    comparisons begin. Callers take both out of the record before their loops: reference counting on each access cost a
    fifth of the time. people (E,): how often each expert was drawn; times: a buffer for the same of comparisons.
    """
    comparison, expert, chosen, weight = columns
    responses, comparisons = starts
    if draw_comparisons:
        draw(state, comparisons[s + 1] - comparisons[s], times)
    total = load = 0.0
    for at in range(responses[s], responses[s + 1]):
        w = weight[at] * people[expert[at]]
        if draw_comparisons:
            w *= times[comparison[at]]
        load += w
        total += w * chosen[at]
    return total / load if load > 0 else np.nan


@inlined
def resample_systems(state, fractions, slots, observed):
    """Draw systems into `slots`, and put their observed fractions into `observed`."""
    systems = len(slots)
    for slot in range(systems):
        s = np.int64(below(state, np.uint64(systems)))
        slots[slot] = s
        observed[slot] = fractions[s]


@compiled
def resample(state, over, fractions, judged, room, slots, observed, moved):
    """Draw responses, and perhaps systems into `slots`: the observed fractions go into `observed`, the deviations of
    the resampled ones from them into `moved`."""
    if over.experts:
        draw(state, judged.experts, room.people)
        room.drawn[:] = False
    systems = len(slots)
    columns = judged.comparison, judged.expert, judged.chosen, judged.weight
    starts = judged.system_starts, judged.comparison_starts
    for slot in range(systems):
        s = np.int64(below(state, np.uint64(systems))) if over.systems else slot
        slots[slot] = s
        observed[slot] = fractions[s]
        if np.isnan(fractions[s]):
            continue
        panel = room.people
        if over.experts:
            if room.drawn[s]:  # a second system like it would have noise of its own
                draw(state, judged.experts, room.others)
                panel = room.others
            room.drawn[s] = True
        moved[slot] = fraction(state, over.comparisons, s, columns, starts, panel, room.times) - fractions[s]


@compiled
def replicate(state, size, over, scores, fractions, shrinkage, judged, which):
    """Coefficients of `size` resamples: shape (size, coefficients, rows).

    scores (R, S); fractions (S,): the observed ones, used unchanged if neither comparisons nor experts are drawn.
    """
    rows, systems = scores.shape
    scales, pulls = shrinkage
    inner = over.comparisons or over.experts
    answer = np.empty((size, len(which), rows))
    room = room_for(judged)
    slots, observed, moved = np.arange(systems), np.zeros(systems), np.zeros(systems)
    x, y = np.empty(systems), np.empty(systems)
    ranks_x, ranks_y = np.empty(systems), np.empty(systems)
    for at in range(size):
        if inner:
            resample(state, over, fractions, judged, room, slots, observed, moved)
        else:
            resample_systems(state, fractions, slots, observed)
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
def fractions_of(state, size, over, fractions, scale, judged):
    """Preference fractions of the same systems on resampled comparisons and experts: shape (size, systems).

    fractions (S,): the observed ones; the resampled ones become observed + scale (resampled - observed).
    """
    systems = len(fractions)
    answer = np.empty((size, systems))
    room = room_for(judged)
    people, times = room.people, room.times
    columns = judged.comparison, judged.expert, judged.chosen, judged.weight
    starts = judged.system_starts, judged.comparison_starts
    for at in range(size):
        if over.experts:
            draw(state, judged.experts, people)
        for s in range(systems):
            resampled = fraction(state, over.comparisons, s, columns, starts, people, times)
            answer[at, s] = fractions[s] + scale * (resampled - fractions[s])
    return answer
