"""Outcomes of comparisons of two systems (how often each beat each other one, or tied with it), and whether they
connect the systems well enough to rank them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask, Matrix
from metaeval.checking import as_numbers, checked_array, checked_names, shown
from metaeval.frames import column_names, is_frame

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class PairwiseOutcomes:
    """Wins and ties between K systems. `PairwiseOutcomes.of` builds it from matrices, `from_responses` from responses.

    Attributes
    ----------
    names : tuple of str
        Names of the systems.
    wins, ties : ndarray, shape (K, K)
        How often i beat j, and how often they tied.
    counts : csr_array, shape (C, 2 K K), or None
        Wins, then ties, of each cluster of responses that is resampled as a whole.
    """

    names: tuple[str, ...]
    wins: Matrix
    ties: Matrix
    counts: csr_array | None = None

    @classmethod
    def of(
        cls, wins: npt.ArrayLike, ties: npt.ArrayLike | None = None, *, names: Sequence[str] | None = None
    ) -> PairwiseOutcomes:
        """From matrices (K, K): wins[i, j] times i beat j, ties[i, j] = ties[j, i] times they tied; zero diagonals.

        ValueError for other shapes, negative counts, ties that are not symmetric, and systems compared with themselves.

        >>> PairwiseOutcomes.of([[0, 2], [1, 0]]).names
        ('0', '1')
        """
        won = as_numbers("wins", wins, "a matrix (K, K) of how often each beat each")
        tied = np.zeros_like(won) if ties is None else as_numbers("ties", ties, "a matrix (K, K)")
        if won.ndim != 2:
            msg = f"wins have shape {won.shape}; expected (K, K), how often each beat each"
            raise ValueError(msg)
        systems = tuple(map(str, range(len(won)))) if names is None else tuple(names)
        if won.ndim != 2 or won.shape != (len(systems),) * 2 or tied.shape != won.shape:
            msg = f"wins have shape {won.shape}, ties {tied.shape}, names {len(systems)}; expected (K, K), (K, K) and K"
            raise ValueError(msg)
        for matrix, name in ((won, "wins"), (tied, "ties")):
            if not (np.isfinite(matrix).all() and (matrix >= 0).all()) or np.diag(matrix).any():
                msg = (
                    f"{name} are {shown(matrix.tolist())}; expected finite counts, none negative, zero on the diagonal"
                )
                raise ValueError(msg)
        if (tied != tied.T).any():
            msg = "ties must be symmetric: ties[i, j] and ties[j, i] count the same comparisons"
            raise ValueError(msg)
        return cls(systems, won, tied)

    @classmethod
    def from_responses(
        cls,
        first: Sequence[str],
        second: Sequence[str],
        outcome: npt.ArrayLike,
        *,
        cluster: Sequence[Hashable] | None = None,
        names: Sequence[str] | None = None,
    ) -> PairwiseOutcomes:
        """From responses: outcome 1 where `first` was preferred, -1 where `second` was, 0 for a tie (both, neither).

        `cluster` (an instance, or an expert) says which responses belong together when the bootstrap resamples;
        without it, each response is resampled alone.

        >>> found = PairwiseOutcomes.from_responses(["a", "b", "a"], ["b", "a", "b"], [1, 1, 0])
        >>> found.wins.tolist(), found.ties.tolist()
        ([[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]])
        """
        from scipy.sparse import csr_array

        result = np.asarray(outcome)
        if result.ndim != 1 or not len(first) == len(second) == len(result):
            entries = f"{len(first)}, {len(second)}, {result.size}"
            msg = f"first, second, outcome have {entries} entries; expected one a response"
            raise ValueError(msg)
        if not np.isin(result, (-1, 0, 1)).all():
            msg = f"outcomes are {sorted(set(result.tolist()))}; expected 1 (first), -1 (second) or 0 (tie)"
            raise ValueError(msg)
        systems = tuple(sorted({*first, *second})) if names is None else tuple(names)
        places = {name: place for place, name in enumerate(systems)}
        unknown = sorted({*first, *second} - set(systems))
        if unknown:
            msg = f"responses about systems that are not among the given ones: {', '.join(unknown)}"
            raise ValueError(msg)
        k = len(systems)
        a = np.array([places[name] for name in first], dtype=np.int64)
        b = np.array([places[name] for name in second], dtype=np.int64)
        winner, loser = np.where(result >= 0, a, b), np.where(result >= 0, b, a)
        tie = result == 0
        cells = np.concatenate([winner * k + loser + tie * k * k, (k * k + loser * k + winner)[tie]])
        groups: dict[Hashable, int] = {}
        labels = range(len(result)) if cluster is None else cluster
        if len(labels) != len(result):
            msg = f"{len(labels)} clusters for {len(result)} responses"
            raise ValueError(msg)
        rows = np.array([groups.setdefault(label, len(groups)) for label in labels], dtype=np.int64)
        counts = csr_array(
            (np.ones(len(cells)), (np.concatenate([rows, rows[tie]]), cells)), shape=(len(groups), 2 * k * k)
        )
        totals = np.asarray(counts.sum(axis=0)).reshape(2, k, k)
        checked = cls.of(totals[0], totals[1], names=systems)
        return cls(systems, checked.wins, checked.ties, counts)

    @property
    def comparisons(self) -> int:
        """How many responses there are."""
        return round(float(self.wins.sum() + self.ties.sum() / 2))

    def resampled(self, rng: np.random.Generator, size: int) -> tuple[Matrix, Matrix]:
        """Wins and ties of `size` bootstrap samples, each (size, K, K)."""
        k = len(self.names)
        if self.counts is None:  # responses are resampled alone: draw how many fall in each cell
            upper = np.triu(self.ties)
            cells = np.concatenate([self.wins.ravel(), upper.ravel()])
            drawn = rng.multinomial(self.comparisons, cells / cells.sum(), size).astype(np.float64)
            wins, ties = drawn.reshape(size, 2, k, k).swapaxes(0, 1)
            return wins, ties + ties.swapaxes(1, 2)
        clusters = self.counts.shape[0]
        times = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size).astype(np.float64)
        drawn = np.asarray(times @ self.counts)
        wins, ties = drawn.reshape(size, 2, k, k).swapaxes(0, 1)
        return wins, ties


def as_outcomes(given: PairwiseOutcomes | npt.ArrayLike | Sequence[tuple[Hashable, Hashable]]) -> PairwiseOutcomes:
    """Outcomes as they are, or from a matrix of wins, or from a list of pairs (winner, loser).

    A list of 2-tuples is taken as pairs; anything else is a matrix (K, K) in which [i, j] is how often i beat j.

    >>> as_outcomes([("a", "b"), ("a", "b"), ("b", "a")]).wins.tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    >>> as_outcomes([[0, 2], [1, 0]]).names
    ('0', '1')
    """
    if isinstance(given, PairwiseOutcomes):
        return given
    if isinstance(given, (list, tuple)) and given and all(isinstance(pair, tuple) for pair in given):
        if any(len(pair) != 2 for pair in given):
            msg = f"outcomes is {shown(given)}; expected pairs (winner, loser)"
            raise ValueError(msg)
        sides = {side for pair in given for side in pair}
        order = sorted(
            sides, key=lambda side: (0, side, "") if isinstance(side, (int, np.integer)) else (1, 0, str(side))
        )
        place = {side: at for at, side in enumerate(order)}
        wins = np.zeros((len(order), len(order)))
        for winner, loser in given:
            wins[place[winner], place[loser]] += 1
        return PairwiseOutcomes.of(wins, names=tuple(map(str, order)))
    frame: Any = given
    if is_frame(frame):
        if list(frame.index) != list(frame.columns):
            msg = "the rows and columns of outcomes have different names; expected the systems in one order in both"
            raise ValueError(msg)
        return PairwiseOutcomes.of(frame, names=column_names(frame))
    if isinstance(given, str) or not hasattr(given, "__len__"):
        msg = f"outcomes is {shown(given)}; expected PairwiseOutcomes, a matrix of wins, or pairs (winner, loser)"
        raise TypeError(msg)
    return PairwiseOutcomes.of(frame)


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

    programme = linprog(-slopes.sum(axis=0), A_ub=-slopes, b_ub=np.zeros(len(slopes)), bounds=[(-1, 1)] * (k + 1))
    return bool(programme.status == 0 and -programme.fun < 1e-7)


def _row(k: int, i: int, j: int, sign: float, tie: float) -> Matrix:
    row = np.zeros(k + 1)
    row[i], row[j], row[k] = sign, -sign, tie
    return row


def _group(names: Sequence[str], members: Mask) -> str:
    return "{" + ", ".join(name for name, own in zip(names, members, strict=True) if own) + "}"
