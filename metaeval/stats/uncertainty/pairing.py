"""Human and machine annotations of the same items."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from annotations.ground.arrays import Codes
from metaeval.sampling import ResamplingPlan, Seed, chosen_seed
from metaeval.stats.agreement import Annotations
from metaeval.stats.agreement.annotations import as_annotations

from .typical import NOBODY, checked_codes


@dataclass(frozen=True, eq=False)
class Paired:
    """The items that both annotated, in the humans' order, over one label set.

    Attributes
    ----------
    human, machine : Annotations
        Both annotations of these items.
    places : ndarray of int
        Where the items are in `human.items`.
    left_out : int
        How many items only one of them annotated.
    """

    human: Annotations
    machine: Annotations
    places: Codes
    left_out: int


def paired(human: Annotations, machine: Annotations) -> Paired:
    """Both annotations of their common items, matched by the names of items and labels.

    Parameters
    ----------
    human : Annotations
        People's labels.
    machine : Annotations
        The machine's labels.

    Returns
    -------
    Paired
        The annotations of the common items.

    Raises
    ------
    ValueError
        If the machine uses a label that is not in the humans' label set.

    References
    ----------
    Elangovan et al. 2025, section 3: people and machine are compared on the items that both have labelled.

    Examples
    --------
    >>> human = Annotations.from_columns(["q1", "q1", "q2"], ["Ann", "Ben", "Ann"], ["yes", "no", "no"])
    >>> machine = Annotations.from_columns(["q2", "q3"], ["GPT", "GPT"], ["no", "no"])
    >>> both = paired(human, machine)
    >>> both.human.items.tolist(), both.places.tolist(), both.left_out
    (['q2'], [1], 2)
    """
    human, machine = as_annotations(human), as_annotations(machine)
    place = {label: code for code, label in enumerate(human.labels)}
    used = set(np.unique(machine.label).tolist())
    unknown = [label for code, label in enumerate(machine.labels) if code in used and label not in place]
    if unknown:
        msg = f"the machine gives {unknown[0]!r}, which is none of the humans' labels {', '.join(map(repr, place))}"
        raise ValueError(msg)
    recode = np.array([place.get(label, NOBODY) for label in machine.labels], dtype=np.int64)
    relabelled = replace(machine, label=recode[machine.label], labels=human.labels)
    where = {name: at for at, name in enumerate(machine.items.tolist()) if machine.table.sizes[at] > 0}
    places = np.array(
        [at for at, name in enumerate(human.items.tolist()) if name in where and human.table.sizes[at] > 0],
        dtype=np.int64,
    )
    theirs = [where[name] for name in human.items[places].tolist()]
    left_out = len(human.items) + len(machine.items) - 2 * len(places)
    return Paired(human.only(places), relabelled.only(theirs), places, left_out)


def side_by_side(annotations: Annotations, first: Codes, second: Codes) -> Annotations:
    """Two labels per item, as if by two annotators; items where one is missing have fewer.

    Parameters
    ----------
    annotations : Annotations
        Provides the items and labels.
    first, second : ndarray of int, shape (items,)
        The code of one label per item, -1 for none.

    Returns
    -------
    Annotations
        Two annotators' labels.

    Notes
    -----
    Used to compute the agreement of people's typical label with the machine's.

    References
    ----------
    Elangovan et al. 2025, section 3 (the columns of people's majority and the machine's).

    Examples
    --------
    >>> votes = Annotations.from_counts([[0, 2], [1, 0], [1, 1]], ["a", "b"])
    >>> two = side_by_side(votes, np.array([1, 0, -1]), np.array([1, 1, 0]))
    >>> two.item.tolist(), two.annotator.tolist(), two.label.tolist()
    ([0, 1, 0, 1, 2], [0, 0, 1, 1, 1], [1, 0, 1, 1, 0])
    """
    annotations = as_annotations(annotations)
    first, second = (checked_codes(name, codes, annotations) for name, codes in (("first", first), ("second", second)))
    items = np.arange(len(annotations.items))
    item, person, label = np.tile(items, 2), np.repeat([0, 1], len(items)), np.concatenate([first, second])
    given = label != NOBODY
    return replace(
        annotations,
        item=item[given],
        annotator=person[given],
        label=label[given],
        annotators=np.array(["first", "second"]),
        missing=0,
    )


def one_of_each(annotations: Annotations, seed: Seed | None = None, *, rng: Seed | None = None) -> Codes:
    """The label of one random annotator of each item; `NOBODY` where there is none.

    Drawn from the item's labels in the order of the label set, so the order of annotators does not matter;
    `one_of_each_plan` distributes the items.

    >>> one_of_each(Annotations.from_counts([[0, 3], [0, 0]])).tolist()
    [1, -1]
    """
    seed = chosen_seed(seed, rng)
    table = as_annotations(annotations).table
    if not table.items:
        return np.full(0, NOBODY)
    wanted = np.floor(one_of_each_plan(table.items, seed).run() * table.sizes)
    running = np.cumsum(table.counts)
    before = np.concatenate([[0.0], running])[table.offsets[:-1]]
    entries = np.flatnonzero(running - before[table.rows] > wanted[table.rows])[::-1]
    codes = np.full(table.items, NOBODY)
    codes[table.rows[entries]] = table.codes[entries]
    return codes


def one_of_each_plan(items: int, seed: Seed) -> ResamplingPlan:
    """A number in [0, 1) for each item (items,), to distribute: which of its annotators is taken."""
    return ResamplingPlan(lambda stream, size: np.random.default_rng(stream).random(size), n_resamples=items, seed=seed)
