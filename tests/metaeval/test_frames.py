"""Tables and results become DataFrames: named rows and columns, right types, NaN with a reason."""

import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from metaeval import metrics, stats
from metaeval.analyses.base.table import column, table
from metaeval.stats import agreement
from metaeval.stats.agreement.binary import CHOSEN_ALIKE

NAN = math.nan
P = [[1.0, 0.0], [0.5, 0.5]]
WINS = [[0, 9, 8], [3, 0, 7], [2, 4, 0]]
SETS = agreement.SetAnnotations.from_columns([1, 1, 2, 2], None, [{"a", "c"}, {"c"}, {"b", "c"}, {"b", "c"}])


def test_a_table_of_metrics_says_why_a_value_is_missing():
    found = metrics.compute(
        P, {"same": P, "flat": [[0.5, 0.5]] * 2}, "multiclass", ["accuracy", "entropy_correlation"]
    ).to_frame()
    assert (found.index.name, found.index.tolist()) == ("system", ["same", "flat"])
    assert found.columns.tolist() == ["accuracy", "entropy_correlation", "reason"]
    assert found.dtypes.tolist()[:2] == [np.float64, np.float64]
    assert found.loc["same"].tolist() == [1.0, 1.0, ""]
    assert math.isnan(found.loc["flat", "entropy_correlation"])
    assert found.loc["flat", "reason"].startswith("entropy_correlation: ")


def test_a_table_of_labels_has_a_row_for_each():
    classes = metrics.class_table(P, P, "multiclass", labels=["yes", "no"])
    found = classes.to_frame()
    assert (found.index.name, found.index.tolist()) == ("label", ["yes", "no"])
    assert found.loc["no", "soft_f1"] == classes["no"].soft.f1
    undefined = metrics.class_table([[1.0, 0.0]], [[1.0, 0.0]], "multiclass", labels=["a", "b"], zero_division=NAN)
    assert math.isnan(undefined.to_frame().loc["b", "hard_f1"])
    assert "hard_f1: 0/0" in undefined.to_frame().loc["b", "reason"]


def test_a_ranking_has_a_row_for_each_system_also_without_any():
    ranking = stats.rank_by_outcomes(stats.PairwiseOutcomes.of(WINS, names=["a", "b", "c"]), n_resamples=50)
    found = ranking.to_frame()
    assert found.index.tolist() == [system.name for system in ranking.systems]
    assert found["rank"].dtype == np.int64
    assert found["low"].tolist() == [system.interval.low for system in ranking.systems]
    empty = stats.rank_by_outcomes([[0, 1], [0, 0]])
    assert empty.reason
    assert (len(empty.to_frame()), empty.to_frame().columns.tolist()) == (0, found.columns.tolist())


def test_standings_are_side_by_side():
    board = stats.leaderboard({"t": {"base": [1, 2, 3], "a": [1, 1, 1]}, "u": {"base": [3, 1, 2]}}, baseline=None)
    found = board.to_frame()
    assert found.loc["base", "average_position"] == 1
    assert math.isnan(found.loc["a", "u"])
    assert found.loc["a", "reason"] == "no place in some table"


def test_results_of_one_kind_are_rows():
    tests = stats.correlation_tests({"a": [1, 2, 3, 5], "b": [1, 1, 1, 1]}, [1, 2, 4, 3], n_resamples=50)
    found = stats.to_frame(tests, index=["row", "coefficient"])
    assert found.index.names == ["row", "coefficient"]
    assert found["pvalue"].dtype == np.float64
    assert found["exact"].dtype == np.bool_
    assert found["pvalue"].isna().tolist() == [bool(test.reason) for test in tests]
    intervals = stats.to_frame(stats.correlation_intervals({"m": [1, 2, 3, 5, 4]}, [1, 2, 4, 3, 5], n_resamples=50))
    assert {"interval_low", "interval_high", "interval_confidence_level"} <= set(intervals.columns)
    one = stats.wilcoxon([1, 2, 3, 4]).to_frame()
    assert one.shape[0] == 1
    assert one["pvalue"].item() == 0.125


@pytest.mark.parametrize(
    ("made", "index", "columns"),
    [
        (lambda: stats.strengths(WINS), ["name"], ["strength", "reason"]),
        (lambda: stats.regression_line([1, 2, 3], [1, 2, 4], points=5), [None], ["x", "y", "lower", "upper"]),
        (lambda: agreement.mean_binary_alpha(SETS), ["label"], ["alpha", "reason"]),
        (
            lambda: agreement.cohen_kappas([[1, 2, 1], [1, 2, 2], [2, 2, 1]]),
            ["first", "second"],
            ["value", "observed", "expected", "n_items", "excluded", "reason"],
        ),
        (lambda: metrics.metric_relationship(1, 1, 3, pairs=5, instances=5), ["a", "b"], ["r", "reason"]),
        (lambda: metrics.best_temperature(P, P, grid=[1.0, 2.0]), ["temperature"], ["cross_entropy", "reason"]),
        (
            lambda: stats.power_curve(
                stats.StudyDesign(systems=6, instances=4, experts_per_comparison=2, experts=4, correlation=0),
                correlations=[0.2, 0.8],
                n_resamples=4,
                n_test_resamples=39,
            ),
            ["correlation"],
            ["power", "low", "high", "mean_observed"],
        ),
    ],
)
def test_each_table_has_named_rows_and_columns(made, index, columns):
    found = made().to_frame()
    assert isinstance(found, pd.DataFrame)
    assert (list(found.index.names), found.columns.tolist()) == (index, columns)
    assert len(found)


def test_a_label_without_an_alpha_says_so():
    found = agreement.mean_binary_alpha(SETS).to_frame()
    assert math.isnan(found.loc["c", "alpha"])
    assert found.loc["c", "reason"] == CHOSEN_ALIKE


def test_the_tables_of_analyses_become_frames_too():
    rows = [{"system": "A", "rank": 1, "p": 0.5, "flag": None}, {"system": "B", "rank": None, "p": None, "flag": "x"}]
    found = table("ranks", "Ranks", [column(key, key) for key in ("system", "rank", "p", "flag")], rows).to_frame()
    assert found.columns.tolist() == ["system", "rank", "p", "flag"]
    assert found["rank"].dtype == found["p"].dtype == np.float64
    assert found["p"].isna().tolist() == [False, True]
    assert found["flag"].tolist() == ["", "x"]


def test_the_library_imports_pandas_only_where_a_frame_is_made():
    code = (
        "import sys; from metaeval import metrics, stats; found = stats.wilcoxon([1, 2, 3]); "
        "print('pandas' in sys.modules, 'django' in sys.modules); found.to_frame(); print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]
