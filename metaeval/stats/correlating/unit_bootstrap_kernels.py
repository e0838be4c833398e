"""The compiled loop of the correlation bootstrap over whole units: methods with their systems in all models."""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Codes
from metaeval.compiled import compiled
from metaeval.generator import below

from .bootstrap_kernels import draw, fraction, room_for
from .coefficient_kernels import KENDALL, SPEARMAN, slack


class DrawnUnits(NamedTuple):
    """Which systems each unit has, systems[starts[u]:starts[u + 1]], and which part each system belongs to (S,)."""

    starts: Codes
    systems: Codes
    parts: Codes


@compiled
def kendall_within(x, y, part, n):
    """Kendall's coefficient over pairs of one part, of the first n pairs; NaN where undefined."""
    near_x, near_y = slack(x, n), slack(y, n)
    agree = untied_x = untied_y = np.int64(0)
    for i in range(n):
        for j in range(i + 1, n):
            if part[i] == part[j]:
                a = np.int64(x[i] - x[j] > near_x) - np.int64(x[j] - x[i] > near_x)
                b = np.int64(y[i] - y[j] > near_y) - np.int64(y[j] - y[i] > near_y)
                agree += a * b
                untied_x += a * a
                untied_y += b * b
    if untied_x == 0 or untied_y == 0:
        return np.nan
    return agree / (np.sqrt(np.float64(untied_x)) * np.sqrt(np.float64(untied_y)))


@compiled
def rank_within(x, part, n, ranks):
    """Average ranks of the first n values, each within its part."""
    near = slack(x, n)
    for i in range(n):
        below_it = most = 0
        for j in range(n):
            if part[i] == part[j]:
                below_it += x[j] < x[i] - near
                most += x[j] <= x[i] + near
        ranks[i] = (below_it + most + 1) / 2


@compiled
def pearson_within(x, y, part, n, means):
    """Pearson's r of the first n pairs, minus the means of their parts; NaN where nothing is left. means (3, parts)."""
    means[:] = 0.0
    for i in range(n):
        means[0, part[i]] += x[i]
        means[1, part[i]] += y[i]
        means[2, part[i]] += 1.0
    xx = yy = xy = 0.0
    for i in range(n):
        count = means[2, part[i]]
        a, b = x[i] - means[0, part[i]] / count, y[i] - means[1, part[i]] / count
        xx += a * a
        yy += b * b
        xy += a * b
    near_x, near_y = slack(x, n), slack(y, n)
    if xx <= n * near_x * near_x or yy <= n * near_y * near_y:
        return np.nan
    return min(1.0, max(-1.0, xy / (np.sqrt(xx) * np.sqrt(yy))))


@compiled
def coefficient_within(which, x, y, part, n, means, ranks):
    """The coefficient with that number within parts, of the first n pairs; means and ranks (2, n) are buffers."""
    if n < 2:
        return np.nan
    if which == KENDALL:
        return kendall_within(x, y, part, n)
    if which == SPEARMAN:
        rank_within(x, part, n, ranks[0])
        rank_within(y, part, n, ranks[1])
        return pearson_within(ranks[0], ranks[1], part, n, means)
    return pearson_within(x, y, part, n, means)


@compiled
def fill_slots(state, drawn, units, slots):
    """Write the systems of the drawn units (or of all units, once) into slots; return how many there are."""
    starts, systems, _ = units
    count, n = len(starts) - 1, 0
    for unit in range(count):
        own = np.int64(below(state, np.uint64(count))) if drawn else unit
        for at in range(starts[own], starts[own + 1]):
            slots[n] = systems[at]
            n += 1
    return n


@compiled
def replicate_units(state, size, over, scores, fractions, shrinkage, judged, which, units):
    """As `bootstrap_kernels.replicate`, but whole units are drawn for `over.systems`, and coefficients are within
    parts: shape (size, coefficients, rows). A unit that is drawn again gets its own experts."""
    rows = len(scores)
    starts, _, parts = units
    most = 1
    for unit in range(len(starts) - 1):
        most = max(most, starts[unit + 1] - starts[unit])
    places = most * max(len(starts) - 1, 1)
    scales, pulls = shrinkage
    room = room_for(judged)
    columns = judged.comparison, judged.expert, judged.chosen, judged.weight
    first = judged.system_starts, judged.comparison_starts
    slots, moved = np.zeros(places, dtype=np.int64), np.zeros(places)
    x, y, part = np.empty(places), np.empty(places), np.empty(places, dtype=np.int64)
    means, ranks = np.empty((3, parts.max() + 1)), np.empty((2, places))
    answer = np.empty((size, len(which), rows))
    inner = over.comparisons or over.experts
    for at in range(size):
        filled = fill_slots(state, over.systems, units, slots)
        if over.experts:
            draw(state, judged.experts, room.people)
            room.drawn[:] = False
        for slot in range(filled if inner else 0):
            s = slots[slot]
            panel = room.people
            if over.experts:
                if room.drawn[s]:
                    draw(state, judged.experts, room.others)
                    panel = room.others
                room.drawn[s] = True
            moved[slot] = fraction(state, over.comparisons, s, columns, first, panel, room.times) - fractions[s]
        for row in range(rows):
            n = 0
            for slot in range(filled):
                s = slots[slot]
                value = fractions[s]
                if inner:
                    value += scales[row] * moved[slot] - pulls[row, s]
                if not (np.isnan(scores[row, s]) or np.isnan(value)):
                    x[n] = scores[row, s]
                    y[n] = value
                    part[n] = parts[s]
                    n += 1
            for c in range(len(which)):
                answer[at, c, row] = coefficient_within(which[c], x, y, part, n, means, ranks)
    return answer
