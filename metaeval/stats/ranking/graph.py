"""Whether comparisons connect the systems well enough to rank them, and what is missing if not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask, Matrix
from metaeval.checking import checked_array, checked_names


def unrankable_because(names: Sequence[str], beats: npt.ArrayLike) -> str:
    """Why comparisons give no finite strengths; empty if they do.

    Parameters
    ----------
    names : sequence of str
        Names of the K systems.
    beats : array_like, shape (K, K)
        Whether system i was preferred to j at least once. A tie may count for both.

    Returns
    -------
    str
        The reason, naming the groups of systems, or an empty string.

    Notes
    -----
    Strengths exist (Ford 1957) if every system can be reached from every other along the edges of `beats`. Otherwise
    either nothing connects two groups of systems, or a group never lost to the others, and its strength would be
    infinite.

    References
    ----------
    Hunter 2004, MM Algorithms for Generalized Bradley-Terry Models, assumption 1 (the graph).

    Examples
    --------
    >>> unrankable_because(["a", "b", "c"], [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    'disconnected: no comparison links {a, b} with {c}'
    >>> unrankable_because(["a", "b"], [[0, 1], [0, 0]])
    'one-sided: {a} never lost to {b}'
    """

    from scipy.sparse.csgraph import connected_components

    names = checked_names("names", names)
    matrix = checked_array("beats", beats, 2, "a matrix (K, K), a row and a column a name")
    if matrix.shape != (len(names), len(names)):
        msg = f"beats has shape {matrix.shape} for {len(names)} names; expected (K, K), a row and a column a name"
        raise ValueError(msg)
    if len(names) < 2:
        return "fewer than two systems"
    edges = matrix != 0
    parts, part = connected_components(edges, directed=True, connection="weak")
    if parts > 1:
        groups = [_group(names, part == number) for number in range(parts)]
        return f"disconnected: no comparison links {' with '.join(groups)}"
    parts, part = connected_components(edges, directed=True, connection="strong")
    if parts == 1:
        return ""
    undefeated = next(
        number for number in range(parts) if not edges[np.ix_(part != number, part == number)].any()
    )  # a graph of components has no cycle, so some component never lost to any other
    own = part == undefeated
    return f"one-sided: {_group(names, own)} never lost to {_group(names, ~own)}"


def strongly_connected(beats: Mask) -> Mask:
    """Whether each of B graphs (B, K, K) has a path from every system to every other: shape (B,)."""
    k = beats.shape[-1]
    reach = (beats | np.eye(k, dtype=bool)).astype(np.float32)
    for _ in range(max(1, int(np.ceil(np.log2(max(k, 2)))))):
        reach = np.minimum(reach @ reach, 1.0)
    answer: Mask = np.logical_and.reduce(reach > 0, axis=(1, 2))
    return answer


def davidson_exists(wins: Matrix, ties: Matrix) -> bool:
    """Whether Davidson's likelihood, with at least one tie, has a finite maximum.

    It has none exactly if some direction (u of the log-strengths, v of log nu) never lowers and somewhere raises an
    observed outcome's share: a win of i over j needs u_i - u_j >= 2 v and u_i >= u_j, a tie 2 v >= |u_i - u_j|. A
    linear programme looks for the steepest one.
    """
    k = len(wins)
    rows = []
    for i, j in zip(*np.nonzero(wins), strict=True):
        rows += [_row(k, i, j, 1.0, -2.0), _row(k, i, j, 1.0, 0.0)]
    for i, j in zip(*np.nonzero(ties), strict=True):
        rows.append(_row(k, i, j, -1.0, 2.0))  # ties are symmetric: the other sign is covered by j, i
    slopes = np.array(rows)
    from scipy.optimize import linprog  # takes a quarter of a second to import, so only when needed

    found = linprog(-slopes.sum(axis=0), A_ub=-slopes, b_ub=np.zeros(len(slopes)), bounds=[(-1, 1)] * (k + 1))
    return bool(found.status == 0 and -found.fun < 1e-7)


def _row(k: int, i: int, j: int, sign: float, tie: float) -> Matrix:
    row = np.zeros(k + 1)
    row[i], row[j], row[k] = sign, -sign, tie
    return row


def _group(names: Sequence[str], members: Mask) -> str:
    return "{" + ", ".join(name for name, own in zip(names, members, strict=True) if own) + "}"
