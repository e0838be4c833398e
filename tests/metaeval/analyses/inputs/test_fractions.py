"""Preference fractions: integers divided once, and how a comparison of two equal sides counts."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.inputs import Responses
from metaeval.analyses.inputs.fractions import ALWAYS_ALIKE, judgements_behind, preference_fractions
from metaeval.stats import correlation

HOW = {"both": "1", "weights": "none", "average": "responses"}
BOTH, CHOSEN, OTHER, NEITHER = (True, True), (True, False), (False, True), (False, False)


def responses_of(said, *, alike=None):
    """`said`: for each system its comparisons, lists of (chosen, other chosen). `alike`: which looked the same."""
    flat = [
        (system, comparison, *one, bool(alike and alike[system][comparison]))
        for system, comparisons in enumerate(said)
        for comparison, given_ones in enumerate(comparisons)
        for one in given_ones
    ]
    system, comparison, chosen, other, same = (np.array(column) for column in zip(*flat, strict=True))
    count = len(flat)
    return Responses(
        response=np.arange(count),
        comparison=system * 1000 + comparison,
        system=system,
        instance=comparison,
        expert=np.arange(count) % 5,
        chosen=chosen,
        other_chosen=other,
        certainty=np.full(count, np.nan),
        **({} if alike is None else {"identical": same}),
    )


def found_of(said, *, alike=None, **how):
    names = tuple(f"s{place}" for place in range(len(said)))
    return preference_fractions(responses_of(said, alike=alike), names, **{**HOW, **how})


def fractions_of(said, **how):
    return [one.fraction for one in found_of(said, **how)]


def choices(chosen, of):
    return [CHOSEN] * chosen + [OTHER] * (of - chosen)


shares = st.lists(st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=8)


class TestEqualFractionsAreEqual:
    def test_a_mean_over_comparisons_does_not_depend_on_their_order(self):
        """Sums such as 1/3 + 2/3 + 1/5 have different last digits when added in another order."""
        parts = [(1, 3), (2, 3), (1, 5), (3, 7), (5, 6)]
        one, other = ([choices(*part) for part in order] for order in (parts, parts[::-1]))
        first, second = fractions_of([one, other], average="comparisons")
        assert first == second == float(sum(Fraction(*part) for part in parts) / len(parts))

    @given(st.lists(shares, min_size=2, max_size=4), st.sampled_from(["responses", "comparisons"]))
    def test_every_fraction_is_the_exact_one_rounded_once(self, systems, average):
        found = fractions_of([[choices(*part) for part in system] for system in systems], average=average)
        for value, system in zip(found, systems, strict=True):
            each = [Fraction(*part) for part in system]
            pooled = Fraction(sum(k for k, _ in system), sum(n for _, n in system))
            assert value == float(sum(each) / len(each) if average == "comparisons" else pooled)

    @given(st.lists(shares, min_size=2, max_size=4), st.sampled_from(["responses", "comparisons"]))
    def test_the_bootstrap_resamples_judgements_of_exactly_these_fractions(self, systems, average):
        said = [[choices(*part) for part in system] for system in systems]
        names = tuple(f"s{place}" for place in range(len(said)))
        how = {**HOW, "average": average}
        behind = judgements_behind(responses_of(said), names, **how)
        assert behind.fractions().tolist() == fractions_of(said, average=average)

    def test_ranks_tie_where_fractions_are_equal(self):
        """Three systems with the same mean over comparisons, and one above them."""
        parts = [(1, 3), (2, 3), (1, 5), (3, 7), (5, 6), (1, 6)]
        orders = [parts, parts[::-1], parts[3:] + parts[:3], [(1, 1)] * 6]
        target = fractions_of([[choices(*part) for part in order] for order in orders], average="comparisons")
        assert correlation([1, 2, 3, 4], target, "kendall").value == pytest.approx(3 / np.sqrt(6 * 3), abs=1e-15)
        assert correlation([1, 2, 3, 4], target, "spearman").value == pytest.approx(np.sqrt(0.6), abs=1e-12)


class TestIdenticalSides:
    """A system with two comparisons; the second looked the same on both sides, and was answered both, both, neither."""

    SAID = [[[CHOSEN, OTHER, OTHER, BOTH], [BOTH, BOTH, NEITHER]]]
    ALIKE = [[False, True]]

    @pytest.mark.parametrize(
        ("identical", "both", "expected"),
        [
            ("keep", "1", Fraction(2 + 2, 7)),
            ("both", "1", Fraction(2 + 3, 7)),
            ("half", "1", Fraction(4 + 3, 14)),
            ("leave out", "1", Fraction(2, 4)),
            ("keep", "1/2", Fraction(3 + 3, 14)),
            ("both", "1/2", Fraction(3 + 3, 14)),
            ("half", "1/2", Fraction(3 + 3, 14)),
            ("leave out", "1/2", Fraction(3, 8)),
            ("keep", "0", Fraction(1, 4)),
            ("both", "0", Fraction(1, 4)),
            ("half", "0", Fraction(2 + 3, 14)),
            ("leave out", "0", Fraction(1, 4)),
        ],
    )
    def test_what_they_count(self, identical, both, expected):
        (value,) = fractions_of(self.SAID, alike=self.ALIKE, both=both, identical=identical)
        assert value == float(expected)

    @pytest.mark.parametrize("both", ["1", "1/2", "0"])
    @pytest.mark.parametrize("identical", ["keep", "both", "half", "leave out"])
    def test_a_system_that_looks_like_people_more_often_is_never_counted_worse_for_it(self, both, identical):
        """Half of its comparisons looked the same, and both sides were found accurate."""
        said = [[[CHOSEN, OTHER]] * 4, [[CHOSEN, OTHER]] * 2 + [[BOTH, BOTH]] * 2]
        alike = [[False] * 4, [False, False, True, True]]
        plain, better = fractions_of(said, alike=alike, both=both, identical=identical)
        assert better >= plain == 0.5

    def test_a_system_of_which_nothing_else_was_seen_has_no_fraction_and_says_why(self):
        (found,) = found_of([[[BOTH, BOTH]]], alike=[[True]], identical="leave out")
        assert np.isnan(found.fraction)
        assert found.reason == ALWAYS_ALIKE
        assert (found.responses, found.identical) == (2, 2)

    def test_they_are_counted(self):
        (found,) = found_of(self.SAID, alike=self.ALIKE)
        assert (found.responses, found.both, found.identical) == (7, 3, 3)

    @pytest.mark.parametrize("identical", ["keep", "both", "half", "leave out"])
    @pytest.mark.parametrize("average", ["responses", "comparisons"])
    def test_the_bootstrap_counts_them_alike(self, identical, average):
        how = {**HOW, "average": average, "identical": identical}
        behind = judgements_behind(responses_of(self.SAID, alike=self.ALIKE), ("s0",), **how)
        assert behind.fractions().tolist() == fractions_of(
            self.SAID, alike=self.ALIKE, average=average, identical=identical
        )
