"""Intervals resample items, are the same however the work is distributed, and leave nothing out silently."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metaeval.sampling import seed_sequence, stream
from metaeval.stats.agreement import (
    AgreementBootstrap,
    Annotations,
    BinaryAlphas,
    Bootstrap,
    CohenKappa,
    FleissKappa,
    KrippendorffAlpha,
    PairwiseAgreement,
    PercentageAgreement,
    RandolphKappa,
    SetAnnotations,
    krippendorff_alpha,
    percentage_agreement,
)
from metaeval.stats.agreement.measure import ALL_EQUAL, NO_PAIRS

LABELS, ITEMS = 5, 30
STEP = 1.01 / 420


def columns(seed=0):
    """An incomplete design: 1 to 5 of 8 people per item, who partly agree."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, LABELS, ITEMS)
    rows = []
    for item in range(ITEMS):
        for person in rng.permutation(8)[: rng.integers(1, 6)]:
            label = truth[item] if rng.random() < 0.6 else rng.integers(0, LABELS)
            rows.append((item, person, label, frozenset({int(label), int(rng.integers(0, LABELS))})))
    return rows


def labels_of(rows):
    item, person, label, _ = zip(*rows, strict=True)
    return Annotations.from_columns(item, person, label, labels=range(LABELS))


def sets_of(rows):
    item, person, _, chosen = zip(*rows, strict=True)
    return SetAnnotations.from_columns(item, person, chosen, labels=range(LABELS))


def first_pair(rows):
    by_person = [{row[0]: row[2] for row in rows if row[1] == person} for person in (0, 1)]
    common = sorted(by_person[0].keys() & by_person[1].keys())
    one, other = (np.array([labels[item] for item in common]) for labels in by_person)
    return CohenKappa(one, other, LABELS)


MEASURES = {
    **{
        d: (lambda rows, d=d: KrippendorffAlpha(labels_of(rows), d))
        for d in ("nominal", "ordinal", "interval", "ratio")
    },
    **{d: (lambda rows, d=d: KrippendorffAlpha(sets_of(rows), d)) for d in ("jaccard", "masi")},
    "sets": lambda rows: KrippendorffAlpha(sets_of(rows), "nominal"),
    "binary": lambda rows: BinaryAlphas(sets_of(rows)),
    "percentage": lambda rows: PercentageAgreement(labels_of(rows)),
    "pairwise": lambda rows: PairwiseAgreement(labels_of(rows)),
    "pairs": lambda rows: PairwiseAgreement(labels_of(rows), "pairs"),
    "fleiss": lambda rows: FleissKappa(labels_of(rows)),
    "randolph": lambda rows: RandolphKappa(labels_of(rows), labels="all"),
    "cohen": first_pair,
}


@pytest.mark.parametrize("name", list(MEASURES))
def test_a_resample_is_the_measure_of_the_drawn_items(name):
    """Weights of items give the same as the items repeated as often as they were drawn."""
    rows = columns()
    bootstrap = AgreementBootstrap(MEASURES[name](rows), Bootstrap(n_resamples=5, seed=3))
    items = items_that_count(name, rows)
    weights, values = bootstrap.weights(stream(seed_sequence(3), 0), 5), bootstrap.plan.block(0)
    assert weights.shape == (len(items), 5)
    assert (weights.sum(axis=0) == len(items)).all()
    for lane in range(5):
        drawn = np.repeat(items, weights[:, lane].astype(int))
        written = [(copy, *row[1:]) for copy, item in enumerate(drawn) for row in rows if row[0] == item]
        assert values[lane] == pytest.approx(MEASURES[name](written).result().value, abs=1e-12)


@pytest.mark.parametrize("name", list(MEASURES))
def test_the_jackknife_leaves_out_one_item_at_a_time(name):
    rows = columns()
    measure = MEASURES[name](rows)
    expected = [
        MEASURES[name]([row for row in rows if row[0] != left_out]).result().value
        for left_out in items_that_count(name, rows)
    ]
    assert measure.without_each() == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("similarity", ["jaccard", "masi"])
def test_the_jackknife_of_sets_of_very_many_labels_leaves_out_one_item_at_a_time(similarity):
    """With more labels than a word has bits, every set is compared with every other."""

    def alpha(left_out):
        chosen = ["ab", "ab", "b", "ab", "bc", "bc", "abc", "bc", "b", "ab"]
        rows = [(number // 2, number, set(one)) for number, one in enumerate(chosen) if number // 2 != left_out]
        item, person, sets = zip(*rows, strict=True)
        labels = [*"abc", *range(70)]
        return KrippendorffAlpha(SetAnnotations.from_columns(item, person, sets, labels=labels), similarity)

    expected = [alpha(left_out).result().value for left_out in range(5)]
    assert alpha(None).without_each() == pytest.approx(expected, abs=1e-12)


def items_that_count(name, rows):
    if name == "cohen":
        people = [{row[0] for row in rows if row[1] == person} for person in (0, 1)]
        return np.array(sorted(people[0] & people[1]))
    return np.array([item for item in range(ITEMS) if sum(row[0] == item for row in rows) > 1])


@pytest.mark.parametrize("name", list(MEASURES))
@settings(deadline=None, max_examples=8)
@given(resamples=st.integers(1, 300), seed=st.integers(0, 99), random=st.randoms(use_true_random=False))
def test_the_interval_does_not_depend_on_who_did_which_block_in_which_order(name, resamples, seed, random):
    rows = columns()
    settings_ = Bootstrap(n_resamples=resamples, seed=seed)
    blocks = list(range(len(AgreementBootstrap(MEASURES[name](rows), settings_).plan.blocks)))
    random.shuffle(blocks)
    shards = {block: AgreementBootstrap(MEASURES[name](rows), settings_).plan.block(block) for block in blocks}
    bootstrap = AgreementBootstrap(MEASURES[name](rows), settings_)
    merged = bootstrap.result(bootstrap.plan.merged([shards[block] for block in sorted(shards)]))
    assert merged.to_dict() == bootstrap.run().to_dict()
    assert merged.interval.n_resamples == resamples


def test_more_resamples_go_on_where_fewer_stopped():
    measure = MEASURES["masi"](columns())
    few, many = (AgreementBootstrap(measure, Bootstrap(n_resamples=n, seed=1)) for n in (70, 500))
    assert few.plan.run().tolist() == many.plan.run()[:70].tolist()


def test_the_order_of_rows_changes_no_digit_of_the_interval():
    rows = columns()
    shuffled = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))]
    for name in ("masi", "ordinal", "fleiss"):
        first, second = (AgreementBootstrap(MEASURES[name](r), Bootstrap(200, seed=2)).run() for r in (rows, shuffled))
        assert first == second


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_of_a_mean_equal_scipys(method):
    """Percentage agreement is the mean of a share of each item, which SciPy can resample too."""
    rng = np.random.default_rng(5)
    counts = rng.multinomial(7, [0.5, 0.3, 0.2], 60)
    shares = counts.max(axis=1) / 7  # so that means lie on a grid of 1/420
    found = percentage_agreement(
        Annotations.from_counts(counts), bootstrap=Bootstrap(n_resamples=40_000, method=method, seed=1)
    ).interval
    theirs = scipy_stats.bootstrap(
        (shares,), np.mean, n_resamples=40_000, method=method, rng=np.random.default_rng(2)
    ).confidence_interval
    assert found.low == pytest.approx(theirs.low, abs=STEP)
    assert found.high == pytest.approx(theirs.high, abs=STEP)


def test_the_acceleration_is_the_skewness_of_the_values_without_each_item():
    """BCa written out, of shares that are far from symmetric; the replicates are any numbers."""
    counts = [[4, 0], [4, 0], [4, 0], [4, 0], [3, 1], [2, 2], [4, 0]]
    shares = np.array(counts).max(axis=1) / 4
    replicates = np.random.default_rng(4).normal(shares.mean() + 0.01, 0.05, 300)
    bootstrap = AgreementBootstrap(
        PercentageAgreement(Annotations.from_counts(counts)), Bootstrap(n_resamples=300, method="bca")
    )
    found = bootstrap.result(replicates).interval
    deviation = shares - shares.mean()  # as of means without each item, but for a factor
    a = (deviation**3).sum() / (6 * (deviation**2).sum() ** 1.5)
    z0 = scipy_stats.norm.ppf((replicates < shares.mean()).mean())
    moved = z0 + scipy_stats.norm.ppf([0.025, 0.975])
    expected = np.quantile(replicates, scipy_stats.norm.cdf(z0 + moved / (1 - a * moved)))
    assert [found.low, found.high] == pytest.approx(expected, abs=1e-12)
    assert abs(a) > 0.05  # so that a missing one would be seen


def test_an_interval_has_the_level_that_was_asked_for():
    bootstrap = AgreementBootstrap(
        MEASURES["nominal"](columns()), Bootstrap(n_resamples=200, confidence_level=0.5, seed=1)
    )
    drawn = bootstrap.plan.run()
    found = bootstrap.result(drawn).interval
    assert found.confidence_level == 0.5
    assert [found.low, found.high] == np.quantile(drawn, [0.25, 0.75]).tolist()


def test_resamples_without_a_value_are_counted_and_left_out():
    found = krippendorff_alpha(Annotations.from_counts([[2, 0], [1, 1], [2, 0]]), bootstrap=Bootstrap(1000)).interval
    assert 200 < found.undefined < 400  # (2/3)^3 of them never draw the only item with another label
    assert np.isfinite([found.low, found.high]).all()
    counted = krippendorff_alpha(
        Annotations.from_counts([[2, 0], [1, 1], [2, 0]]), constant=1.0, bootstrap=Bootstrap(1000)
    ).interval
    assert counted.undefined == 0
    assert counted.high == 1.0


def test_where_there_is_no_value_there_is_no_interval_and_it_says_why():
    nothing = krippendorff_alpha(Annotations.from_counts([[1, 0]]), bootstrap=Bootstrap(100))
    assert nothing.interval.reason == NO_PAIRS
    same = krippendorff_alpha(Annotations.from_counts([[2, 0], [3, 0]]), bootstrap=Bootstrap(100))
    assert same.interval.reason == same.reason == ALL_EQUAL
    assert same.interval.undefined == 100
    assert same.to_dict()["interval"]["low"] is None
    one_sided = krippendorff_alpha(
        Annotations.from_counts([[2, 0], [0, 2]]), constant=1.0, bootstrap=Bootstrap(100, method="bca")
    )
    assert one_sided.interval.low == one_sided.interval.high == 1.0  # ties count half, so the bias is 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", list(MEASURES))
def test_a_single_item_has_an_interval_without_width_or_none(name):
    rows = [(0, 0, 1, frozenset({1})), (0, 1, 2, frozenset({1, 2})), (0, 2, 1, frozenset({3}))]
    found = AgreementBootstrap(MEASURES[name](rows), Bootstrap(100, method="bca")).run()
    assert found.interval.reason or found.interval.low == found.interval.high == found.value


@pytest.mark.parametrize("wrong", [{"n_resamples": 0}, {"confidence_level": 1.0}, {"method": "normal"}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} is .*; expected"):
        Bootstrap(**wrong)


def test_progress_is_told_before_the_first_block_and_after_each():
    seen = []
    AgreementBootstrap(MEASURES["nominal"](columns()), Bootstrap(200)).run(lambda *at: seen.append(at))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
