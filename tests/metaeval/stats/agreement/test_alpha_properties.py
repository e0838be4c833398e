"""Alpha and the kappas keep their promises on any data, and equal the established packages."""

from fractions import Fraction

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import jaccard_distance, masi_distance

from metaeval.stats.agreement import (
    LABEL_DISTANCES,
    Annotations,
    Measure,
    SetAnnotations,
    alpha,
    cohen_kappas,
    fleiss_kappa,
    krippendorff_alpha,
    mean_binary_alpha,
    pairwise_agreement,
    percentage_agreement,
    randolph_kappa,
)
from metaeval.stats.agreement.alpha import Sets

relaxed = settings(deadline=None, max_examples=50)  # the first example may have to compile

CELL = st.one_of(st.none(), st.integers(0, 4))
MATRICES = (
    st.integers(2, 5)
    .flatmap(lambda people: st.lists(st.lists(CELL, min_size=people, max_size=people), min_size=2, max_size=12))
    .map(lambda rows: np.array(rows, dtype=float).T)
)
SETS = st.lists(st.tuples(st.integers(0, 6), st.frozensets(st.integers(0, 7), max_size=8)), min_size=2, max_size=30)
MEASURES = {
    "percentage": percentage_agreement,
    "pairwise": pairwise_agreement,
    "pairs": lambda a, **k: pairwise_agreement(a, pooling="pairs", **k),
    "fleiss": fleiss_kappa,
    "randolph": randolph_kappa,
    **{distance: (lambda a, d=distance, **k: krippendorff_alpha(a, d, **k)) for distance in LABEL_DISTANCES},
}


def set_annotations(rows, labels=range(8)) -> SetAnnotations:
    item, chosen = zip(*rows, strict=True)
    return SetAnnotations.from_columns(item, range(len(rows)), chosen, labels=labels)


@relaxed
@given(MATRICES)
def test_alpha_equals_the_krippendorff_package(matrix):
    pairable = matrix[:, (~np.isnan(matrix)).sum(axis=0) >= 2]
    vary = len(np.unique(pairable[~np.isnan(pairable)])) > 1
    for distance in LABEL_DISTANCES:
        found = krippendorff_alpha(Annotations.from_matrix(matrix), distance)
        if vary:
            expected = krippendorff.alpha(reliability_data=matrix, level_of_measurement=distance)
            assert found.value == pytest.approx(expected, abs=1e-10), distance
        else:
            assert np.isnan(found.value), distance
            assert found.reason, distance


@settings(deadline=None, max_examples=30)
@given(SETS.map(lambda rows: [(item, chosen or frozenset([0])) for item, chosen in rows[:15]]))
def test_alpha_of_sets_equals_nltk(rows):
    for distance, theirs in (("masi", masi_distance), ("jaccard", jaccard_distance)):
        found = krippendorff_alpha(set_annotations(rows), distance)
        assume(np.isfinite(found.value))
        task = AnnotationTask([(n, item, chosen) for n, (item, chosen) in enumerate(rows)], distance=theirs)
        assert found.value == pytest.approx(task.alpha(), abs=1e-10), distance


@relaxed
@given(
    st.lists(st.tuples(st.integers(0, 4), st.frozensets(st.integers(0, 89), max_size=20)), min_size=2, max_size=14),
    st.sampled_from([15, 64, 90]),
)
def test_large_sets_and_many_labels_give_what_the_formula_gives(rows, labels):
    """Sets beyond the limits of the fast sums over subsets, in exact arithmetic."""
    rows = [(item, frozenset(label % labels for label in chosen)) for item, chosen in rows]
    found = krippendorff_alpha(set_annotations(rows, range(labels)), "masi")
    expected = exact_alpha(rows)
    if expected is None:
        assert np.isnan(found.value)
    else:
        assert found.value == pytest.approx(float(expected), abs=1e-12)


@relaxed
@given(rows=SETS, room=st.integers(0, 200))
def test_it_does_not_matter_which_sets_are_summed_over_subsets_and_which_are_compared(rows, room):
    annotations = set_annotations(rows)
    expected = krippendorff_alpha(annotations, "masi").value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alpha, "ROOM", room)
        assert krippendorff_alpha(annotations, "masi").value == pytest.approx(expected, abs=1e-12, nan_ok=True)
        mixed = Sets(annotations.table.paired(), annotations.members, "masi")
    plain = Sets(annotations.table.paired(), annotations.members, "masi")
    totals = np.arange(1.0, len(annotations.members) + 1)[:, None]
    assert mixed.small <= plain.small
    assert mixed.to_all(totals) == pytest.approx(plain.to_all(totals), abs=1e-9)


def exact_alpha(rows) -> Fraction | None:
    items = {item: [chosen for other, chosen in rows if other == item] for item, _ in rows}
    kept = [chosen for chosen in items.values() if len(chosen) > 1]
    flat = [one for chosen in kept for one in chosen]
    within = sum((masi(a, b) / (len(chosen) - 1) for chosen in kept for a in chosen for b in chosen), start=Fraction(0))
    between = sum((masi(a, b) for a in flat for b in flat), start=Fraction(0))
    return 1 - (len(flat) - 1) * within / between if between else None


def masi(a: frozenset, b: frozenset) -> Fraction:
    if a == b:
        return Fraction(0)
    if not a & b:
        return Fraction(1)
    factor = Fraction(2, 3) if a <= b or b <= a else Fraction(1, 3)
    return 1 - factor * Fraction(len(a & b), len(a | b))


@relaxed
@given(SETS)
def test_the_mean_of_binary_alphas_is_the_mean_of_nominal_alphas(rows):
    annotations = set_annotations(rows)
    found = mean_binary_alpha(annotations)
    each = [krippendorff_alpha(annotations.binary(label)).value for label in annotations.labels]
    assert found.alphas == pytest.approx(each, abs=1e-12, nan_ok=True)
    if np.isfinite(each).any():
        assert found.value == pytest.approx(np.nanmean(each), abs=1e-12)
        assert set(found.left_out) == set(np.flatnonzero(np.isnan(each)).tolist())
    else:
        assert np.isnan(found.value)


@relaxed
@given(MATRICES)
def test_no_measure_exceeds_1_and_shares_lie_between_0_and_1(matrix):
    for measure, of in MEASURES.items():
        found = of(Annotations.from_matrix(matrix))
        if np.isfinite(found.value):
            assert found.value <= 1.0, measure
            if measure in {"percentage", "pairwise", "pairs"}:
                assert found.value >= 0.0, measure
            assert found.value == 1 - found.observed / (1 if found.expected is None else found.expected), measure
        else:
            assert found.reason, measure
            assert found.to_dict()["value"] is None, measure


@relaxed
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=2, max_size=12),
    st.sampled_from(["", "a person alone"]),
)
def test_identical_answers_in_an_incomplete_design_give_exactly_1(rows, alone):
    """Every item has its own people, who all give it the same label."""
    assume(len({label for label, people in rows if people >= 2}) >= 2)
    columns = [(item, person, label) for item, (label, people) in enumerate(rows) for person in range(people)]
    columns += [(len(rows), 0, 9)] if alone else []
    item, person, label = zip(*columns, strict=True)
    for measure in MEASURES.keys() - {"percentage"}:
        found = MEASURES[measure](Annotations.from_columns(item, person, label))
        assert found.value == 1.0, measure
        assert found.excluded == sum(people == 1 for _, people in rows) + bool(alone), measure


@relaxed
@given(SETS)
def test_identical_sets_give_exactly_1(rows):
    chosen = dict(rows)
    assume(len(set(chosen.values())) > 1)
    twice = [(item, chosen[item]) for item in chosen for _ in range(2)]
    for distance in ("nominal", "jaccard", "masi"):
        assert krippendorff_alpha(set_annotations(twice), distance).value == 1.0


@relaxed
@given(MATRICES, st.randoms(use_true_random=False))
def test_permuting_items_annotators_or_rows_changes_nothing(matrix, random):
    items, people = list(range(matrix.shape[1])), list(range(matrix.shape[0]))
    random.shuffle(items)
    random.shuffle(people)
    columns = [(i, p, matrix[p, i]) for i in items for p in people]
    random.shuffle(columns)
    item, person, label = zip(*columns, strict=True)
    for measure, of in MEASURES.items():
        before = pytest.approx(of(Annotations.from_matrix(matrix)).value, abs=1e-12, nan_ok=True)
        assert of(Annotations.from_matrix(matrix[people][:, items])).value == before, measure
        assert of(Annotations.from_columns(item, person, label)).value == before, measure


@relaxed
@given(MATRICES, st.permutations(range(5)))
def test_renaming_labels_changes_no_nominal_measure(matrix, names):
    renamed = matrix.copy()
    for old, new in enumerate(names):
        renamed[matrix == old] = new
    for measure in ("percentage", "pairwise", "fleiss", "randolph", "nominal"):
        before, after = (MEASURES[measure](Annotations.from_matrix(m)).value for m in (matrix, renamed))
        assert after == pytest.approx(before, abs=1e-12, nan_ok=True), measure


@relaxed
@given(SETS, st.permutations(range(8)))
def test_renaming_labels_changes_no_alpha_of_sets(rows, names):
    renamed = [(item, frozenset(names[label] for label in chosen)) for item, chosen in rows]
    for distance in ("nominal", "jaccard", "masi"):
        before, after = (krippendorff_alpha(set_annotations(r), distance).value for r in (rows, renamed))
        assert after == pytest.approx(before, abs=1e-12, nan_ok=True)


@relaxed
@given(MATRICES)
def test_cohens_kappa_is_symmetric_and_equals_the_formula(matrix):
    found = cohen_kappas(Annotations.from_matrix(matrix))
    swapped = cohen_kappas(Annotations.from_matrix(matrix[::-1]))
    values, others = (np.sort([pair.kappa.value for pair in each.pairs]) for each in (found, swapped))
    assert values == pytest.approx(others, abs=1e-12, nan_ok=True)
    for pair in found.pairs:
        one, other = matrix[pair.first], matrix[pair.second]
        both = ~np.isnan(one) & ~np.isnan(other)
        one, other = one[both], other[both]
        chance = sum((one == label).mean() * (other == label).mean() for label in range(5))
        if chance < 1:
            expected = ((one == other).mean() - chance) / (1 - chance)
            assert pair.kappa.value == pytest.approx(expected, abs=1e-12)
        else:
            assert np.isnan(pair.kappa.value)


def test_every_measure_says_what_it_is():
    assert all(cls.name for cls in Measure.__subclasses__() if "name" in vars(cls))
