"""Every two people's agreement, counted within items, is what going through all pairs one by one gives."""

import math
from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats.agreement import (
    Annotations,
    Bootstrap,
    KappaWeighting,
    SetAnnotations,
    SetDistance,
    cohen_kappas,
    krippendorff_alpha,
)
from metaeval.stats.agreement import (
    pairs as pairs_of_people,
)
from metaeval.stats.agreement.pairs import JudgedCells, MeasuredPairs, alphas_of_pairs, common_items

relaxed = settings(deadline=None, max_examples=60)  # the first example may have to compile

PEOPLE, ITEMS, LABELS = 7, 6, 4
Given = list[tuple[int, int, int]]
SetsGiven = list[tuple[int, int, frozenset[int]]]
WHERE = (st.integers(0, ITEMS - 1), st.integers(0, PEOPLE - 1))
ROWS = st.lists(st.tuples(*WHERE, st.integers(0, LABELS - 1)), min_size=1, max_size=60)
SET_ROWS = st.lists(st.tuples(*WHERE, st.frozensets(st.integers(0, 4), max_size=4)), min_size=1, max_size=40)
BLOCKS = st.sampled_from([1, 5, 1 << 20])
"""How much a block may hold: every person, and every pair, alone; a few; all at once."""


def labels_of(rows: Given, person: int) -> dict[int, set[int]]:
    """What a person said about each item."""
    given: dict[int, set[int]] = defaultdict(set)
    for item, whose, label in rows:
        if whose == person:
            given[item].add(label)
    return given


def kappa_one_by_one(pairs: list[tuple[int, int]], weighting: KappaWeighting) -> tuple[float, float]:
    """Observed and expected disagreement of two people's labels of their items."""
    apart = {"none": lambda a, b: float(a != b), "linear": lambda a, b: abs(a - b) / (LABELS - 1)}.get(
        weighting, lambda a, b: ((a - b) / (LABELS - 1)) ** 2
    )
    observed = [apart(one, other) for one, other in pairs]
    expected = [apart(one, other) for one, _ in pairs for _, other in pairs]
    return math.fsum(observed) / len(observed), math.fsum(expected) / len(expected)


@pytest.mark.parametrize("weighting", ["none", "linear", "quadratic"])
@relaxed
@given(rows=ROWS, least=st.integers(1, 4), room=BLOCKS)
def test_kappas_are_those_of_going_through_all_pairs(
    weighting: KappaWeighting, rows: Given, least: int, room: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_of_people, "ROOM", room)
        patch.setattr(pairs_of_people, "NUMBERS", room)
        annotations = Annotations.from_columns(*zip(*rows, strict=True), labels=range(LABELS), items=range(ITEMS))
        found = cohen_kappas(annotations, weighting=weighting, least_common=least)
    said = {int(person): labels_of(rows, person) for person in annotations.annotators}
    shared = {pair: said[pair[0]].keys() & said[pair[1]].keys() for pair in combinations(said, 2)}
    enough = [pair for pair, items in shared.items() if len(items) >= least]
    assert [(pair.first, pair.second) for pair in found.pairs] == enough
    assert found.left_out == sum(0 < len(items) < least for items in shared.values())
    values = []
    for pair in found.pairs:
        one, other = said[int(str(pair.first))], said[int(str(pair.second))]
        items = shared[int(str(pair.first)), int(str(pair.second))]
        sound = [(*one[item], *other[item]) for item in sorted(items) if len(one[item]) == len(other[item]) == 1]
        assert (pair.kappa.n_items, pair.kappa.excluded) == (len(sound), len(items) - len(sound))
        assert pair.kappa.n_labels == len({label for both in sound for label in both})
        if not sound:
            assert math.isnan(pair.kappa.value)
            continue
        observed, expected = kappa_one_by_one(sound, weighting)
        assert pair.kappa.observed == pytest.approx(observed, abs=1e-15)
        assert pair.kappa.expected == pytest.approx(expected, abs=1e-15)
        assert math.isnan(pair.kappa.value) == (expected == 0) == bool(pair.kappa.reason)
        if expected:
            assert pair.kappa.value == pytest.approx(1 - observed / expected, abs=1e-14)
            values.append(pair.kappa.value)
    assert found.mean_kappa == pytest.approx(np.mean(values) if values else math.nan, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("distance", ["nominal", "jaccard", "masi"])
@relaxed
@given(rows=SET_ROWS, least=st.integers(1, 4), room=BLOCKS)
def test_alphas_are_those_of_each_pair_alone(distance: SetDistance, rows: SetsGiven, least: int, room: int) -> None:
    item, person, chosen = zip(*rows, strict=True)
    annotations = SetAnnotations.from_columns(item, person, chosen, labels=range(5), items=range(ITEMS))
    assert annotations.annotator is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_of_people, "ROOM", room)
        patch.setattr(pairs_of_people, "NUMBERS", room)
        patch.setattr(pairs_of_people, "LANES", min(room, 64))
        found = MeasuredPairs.joined(
            list(alphas_of_pairs(annotations, annotations.annotator, distance, least_common=least))
        )
    places, sharing = [], 0
    for first, second in combinations(range(len(annotations.annotators)), 2):
        mine, theirs = (set(annotations.item[annotations.annotator == one].tolist()) for one in (first, second))
        sharing += bool(mine & theirs)
        if len(mine & theirs) < least:
            continue
        places.append((first, second))
        place, people = len(places) - 1, annotations.annotators[[first, second]].tolist()
        rows_of_pair = [row for row in rows if row[1] in people and row[0] in mine & theirs]
        alone = SetAnnotations.from_columns(*zip(*rows_of_pair, strict=True), labels=range(5))
        alpha, nominal = (krippendorff_alpha(alone, each) for each in (distance, "nominal"))
        assert found.value[place] == pytest.approx(alpha.value, abs=1e-14, nan_ok=True)
        assert found.observed[place] == pytest.approx(alpha.observed, abs=1e-15)
        assert found.equal[place] == pytest.approx(1 - nominal.observed, abs=1e-15)
        assert (found.n_items[place], found.n_labels[place]) == (len(mine & theirs), alpha.n_labels)
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == places
    assert found.sharing == sharing


def test_an_interval_of_a_pair_leaves_its_kappa_as_it_is() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.integers(0, 3, (4, 20)).astype(float)
    matrix[rng.random(matrix.shape) < 0.3] = math.nan
    plain = cohen_kappas(Annotations.from_matrix(matrix), weighting="linear", least_common=5)
    with_intervals = cohen_kappas(
        Annotations.from_matrix(matrix), weighting="linear", least_common=5, bootstrap=Bootstrap(50)
    )
    assert plain.pairs
    for one, other in zip(plain.pairs, with_intervals.pairs, strict=True):
        assert other.kappa.interval is not None
        assert one.kappa.to_dict() | {"interval": None} == other.kappa.to_dict() | {"interval": None}


def test_an_item_that_everybody_judged_is_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block holds no more than `ROOM` pairs of judgements and one person's; all pairs come, once each."""
    monkeypatch.setattr(pairs_of_people, "ROOM", 10_000)
    people = 500
    cells = JudgedCells.of(np.zeros(people, dtype=np.int64), np.arange(people), people=people, items=1)
    sizes = [(len(block.pair), block.sharing) for block in common_items(cells)]
    assert sum(size for size, _ in sizes) == sum(sharing for _, sharing in sizes) == people * (people - 1) // 2
    assert max(size for size, _ in sizes) <= pairs_of_people.ROOM + people
    assert sum(len(block.pair) for block in common_items(cells, least=2)) == 0
