"""The compiled loops of the correlation bootstrap, over systems or whole units. Python's side is in `bootstrap`."""

# mypy: allow-untyped-defs
# ruff: noqa: PLR0917 - compiled functions take their arrays by position; types are Numba's to infer

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Codes, Mask, Matrix, Vector
from metaeval.compiled import compiled, inlined
from metaeval.generator import below

from .coefficient_kernels import KENDALL, SPEARMAN, coefficient, slack


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
    """As `replicate`, but whole units are drawn for `over.systems`, and coefficients are within
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
