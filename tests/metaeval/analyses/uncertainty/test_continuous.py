"""Machines that give numbers: their correlation with people's labels in every partition, and how the numbers spread."""

import json
from dataclasses import replace

import numpy as np
import pytest
from django.core.management import call_command
from scipy import stats

from annotations.models import Dataset
from metaeval import metrics
from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import DatasetInputs
from metaeval.analyses.inputs.gathering import gather_study, gather_votes
from metaeval.analyses.uncertainty.agreement import EMPTY, FEW, ONE_VALUE, SAME_LABEL
from metaeval.stats.agreement import Annotations
from tests.metaeval.datasets import voted_dataset
from tests.metaeval.golden_runs import about, stored_result

POINTS = (1.0, 2.0, 4.0, 7.0, 11.0)
"""Not evenly spaced: counting places on the scale would give a different Pearson correlation."""

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
SHARES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}


def of(inputs, *, work=None, **parameters):
    entry = analyses.get("uncertainty")
    asked = entry.validated({"resamples": 200, "draws": 10, "bounds": [0.6, 0.8, 1.0], **parameters})
    return result_of(inputs=inputs, entry=entry, parameters=asked, seed=1, work=work or Work())


def scaled(said, *, points=POINTS, systems=("M / a / 1",), noise=0.5, seed=2):
    """Inputs of items (a list of people's places on the scale each), and of systems of growing noise."""
    rng = np.random.default_rng(seed)
    said = np.asarray(said)
    items, people = said.shape
    annotations = Annotations(
        np.repeat(np.arange(items), people), None, said.ravel(), np.arange(items), np.array([]), points
    )
    P = np.stack([np.bincount(row, minlength=len(points)) for row in said]) / people
    Q = {name: (1 - noise) * P + noise * rng.dirichlet(np.ones(len(points)), items) for name in systems}
    origins = [dict(zip(("model", "method", "run"), name.split(" / "), strict=True)) for name in systems]
    return DatasetInputs(
        slug="scaled",
        title="Scaled",
        task="ordinal",
        labels=tuple(f"point {place}" for place in range(len(points))),
        values=points,
        P=P,
        systems=tuple(systems),
        origins=tuple(origins),
        Q=Q,
        fingerprint="0" * 64,
        read_annotations=lambda: annotations,
    )


@pytest.fixture(scope="module")
def planted():
    """Five people on 80 items: the first are certain, the last are not."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 5, 80)
    chance = np.linspace(1, 0.2, 80)
    said = np.where(rng.random((80, 5)) < chance[:, None], truth[:, None], rng.integers(0, 5, (80, 5)))
    return said, scaled(said, systems=("M / a / 1", "M / b / 1"))


def medians(said):
    return np.sort(said, axis=1)[:, (said.shape[1] - 1) // 2]


def partitions(said):
    """Which items are in each partition, by name, computed here independently."""
    share = (said == medians(said)[:, None]).mean(axis=1)
    different = np.array([len(set(row.tolist())) for row in said])
    by_labels = {
        "1 label" if number == 1 else f"{number} labels": different == number for number in np.unique(different)
    }
    return by_labels | {
        "all": np.ones(len(said), dtype=bool),
        "PA = 100%": share == 1,
        "80% <= PA < 100%": (share >= 0.8) & (share < 1),
        "60% <= PA < 80%": (share >= 0.6) & (share < 0.8),
        "PA < 60%": share < 0.6,
    }


class TestCorrelations:
    def test_coefficients_in_every_partition_are_scipy_s_of_expected_value_and_median(self, planted):
        said, inputs = planted
        found = of(inputs)["continuous"]
        expected = partitions(said)
        assert len(found) == 2 * len(expected)
        for row in found:
            inside = expected[row["partition"]]
            (system,) = [name for name in inputs.systems if name == row["machine"]]
            values = (inputs.Q[system] * np.array(POINTS)).sum(axis=1)[inside]
            people = np.array(POINTS)[medians(said)[inside]]
            assert (row["items"], row["share"]) == (inside.sum(), pytest.approx(inside.mean()))
            for name, measure in SCIPY.items():
                assert row[name] == pytest.approx(measure(values, people).statistic, abs=1e-12), (
                    row["partition"],
                    name,
                )

    def test_the_values_of_every_label_have_their_count_mean_and_quantiles(self, planted):
        said, inputs = planted
        expected = partitions(said)
        for row in of(inputs)["continuous"]:
            values = inputs.Q[row["machine"]] @ np.array(POINTS)
            assert [one["label"] for one in row["spread"]] == list(inputs.labels)
            assert sum(one["items"] for one in row["spread"]) == row["items"]
            for place, one in enumerate(row["spread"]):
                mine = values[expected[row["partition"]] & (medians(said) == place)]
                if not len(mine):
                    assert one == {"label": inputs.labels[place], "items": 0, "mean": None, **dict.fromkeys(SHARES)}
                    continue
                assert (one["items"], one["mean"]) == (len(mine), pytest.approx(mine.mean()))
                assert [one[key] for key in SHARES] == pytest.approx(np.quantile(mine, list(SHARES.values())))

    def test_the_value_of_a_machine_of_several_runs_is_the_mean_of_their_expected_values(self, planted):
        said, _ = planted
        inputs = scaled(said, systems=("M / a / 1", "M / a / 2", "M / b / 1"))
        together = np.mean([inputs.Q[name] @ np.array(POINTS) for name in inputs.systems[:2]], axis=0)
        row = of(inputs)["continuous"][0]
        assert row["machine"] == "M / a"
        assert row["pearson"] == pytest.approx(stats.pearsonr(together, np.array(POINTS)[medians(said)]).statistic)
        each = of(inputs, units="each", partitions=[])["continuous"]
        assert [one["machine"] for one in each] == list(inputs.systems)

    def test_an_interval_holds_spearman_and_follows_level_and_resamples(self, planted):
        _, inputs = planted
        wide, narrow = (of(inputs, level=level, resamples=300)["continuous"] for level in (0.95, 0.5))
        for one, other in zip(wide, narrow, strict=True):
            interval = one["interval"]
            assert (interval["level"], interval["resamples"], interval["method"]) == (0.95, 300, "percentile")
            assert interval["low"] <= one["spearman"] <= interval["high"]
            assert interval["low"] < other["interval"]["low"] < other["interval"]["high"] < interval["high"]

    def test_who_does_which_block_in_which_order_changes_no_digit(self, planted):
        _, inputs = planted

        class Backwards(Work):
            def run(self, plans):
                made = {}
                for name, plan in reversed(plans.items()):
                    blocks = {number: plan.block(number) for number in reversed(range(len(plan.blocks)))}
                    made[name] = plan.merged([blocks[number] for number in range(len(plan.blocks))])
                return made

        assert of(inputs, work=Backwards(), resamples=600) == of(inputs, resamples=600)

    def test_numbers_move_no_digit_of_what_is_said_of_labels(self, planted):
        said, _ = planted
        places = tuple(range(len(POINTS)))
        with_numbers = of(scaled(said, points=places))
        without = of(replace(scaled(said, points=places), values=None))
        assert without["continuous"] == []
        assert with_numbers["continuous"]
        for key in ("people_strata", "strata", "perception"):
            assert with_numbers[key] == without[key]
        assert [one for one in with_numbers["tables"] if one["name"] != "continuous"] == without["tables"]


class TestUndefined:
    def rows(self, said):
        found = of(scaled(said))
        return found, {row["partition"]: row for row in found["continuous"]}

    def test_where_people_give_all_items_one_label_nothing_can_rise_with_it(self):
        said = [[2, 2, 2]] * 4 + [[0, 0, 1], [1, 1, 3], [4, 4, 3], [3, 3, 0]]
        found, rows = self.rows(said)
        for name in ("PA = 100%", "1 label"):
            row = rows[name]
            assert [row[key] for key in SCIPY] == [None] * 3
            assert row["reason"] == row["interval"]["reason"] == SAME_LABEL
            assert (row["interval"]["low"], row["interval"]["high"]) == (None, None)
            assert row["spread"][2]["items"] == 4
            assert row["spread"][2]["p05"] < row["spread"][2]["p95"]
        assert rows["2 labels"]["reason"] == ""
        cells = next(one for one in found["tables"] if one["name"] == "continuous")["rows"]
        assert [cell["notes"] for cell in cells if cell["partition"] == "1 label"] == [f"undefined: {SAME_LABEL}"]

    def test_fewer_than_three_items_and_none(self):
        _, rows = self.rows([[0, 0, 0], [1, 1, 1], [0, 0, 1], [2, 2, 1], [3, 3, 4], [4, 4, 2]])
        assert rows["PA = 100%"]["reason"] == FEW
        assert rows["PA = 100%"]["spread"][0]["items"] == 1
        assert rows["80% <= PA < 100%"]["reason"] == EMPTY
        assert rows["80% <= PA < 100%"]["items"] == 0

    def test_a_machine_that_says_the_same_of_every_item(self):
        said = [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 4]]
        inputs = scaled(said)
        same = replace(inputs, Q={"M / a / 1": np.full((4, 5), 0.2)})
        assert of(same)["continuous"][0]["reason"] == ONE_VALUE


def preferences(inputs):
    """For every comparison how many experts chose the first side alone, the second alone, both and neither."""
    answers = inputs.answers
    kept = answers.is_answered & ~answers.identical
    comparisons, item = np.unique(answers.comparison[kept], return_inverse=True)
    one, other = answers.first_chosen[kept], answers.second_chosen[kept]
    counts = np.zeros((len(comparisons), 4), dtype=int)
    np.add.at(counts, (item, np.select([one & other, one, other], [2, 0, 1], 3)), 1)
    return counts


@pytest.mark.django_db
class TestAStudy:
    def test_a_metric_s_difference_is_compared_with_the_majority_in_its_order(self, answered):
        inputs = gather_study(answered.study)
        result = of(inputs, metrics=["po_jsd", "manhattan_distance"], margin=0.3)
        own = np.zeros(inputs.P.shape)
        own[:, 0] = 1  # every expert labels everything with the first area of law
        _, places = np.unique(inputs.answers.comparison, return_index=True)
        instance, system = inputs.answers.instance[places], inputs.answers.second[places]
        predicted = np.stack([inputs.Q[inputs.systems[one]][row] for one, row in zip(system, instance, strict=True)])
        majority = preferences(inputs).argmax(axis=1)
        people = np.array([1, -1, 0, 0])[majority]
        for name, sign in (("po_jsd", 1), ("manhattan_distance", -1)):
            human, other = (
                sign * metrics.per_item(own[instance], side, "multilabel", name)
                for side in (inputs.P[instance], predicted)
            )
            row = next(row for row in result["continuous"] if row["machine"] == metrics.get(name).title)
            assert (row["partition"], row["items"]) == ("all", len(places))
            for coefficient, measure in SCIPY.items():
                assert row[coefficient] == pytest.approx(measure(human - other, people).statistic, abs=1e-12)
            assert [one["label"] for one in row["spread"]] == ["system", "both", "neither", "human"]
            assert [one["items"] for one in row["spread"]] == np.bincount(majority, minlength=4)[[1, 2, 3, 0]].tolist()
            assert row["spread"][3]["mean"] == pytest.approx((human - other)[majority == 0].mean())

    def test_the_table_says_in_which_order_preferences_stand(self, answered):
        (table,) = [one for one in of(gather_study(answered.study))["tables"] if one["name"] == "continuous"]
        assert "system < both, neither < human" in table["notes"][0]


class TestWithoutNumbers:
    def nothing(self, result):
        assert result["continuous"] == []
        assert "continuous" not in {one["name"] for one in result["tables"]}
        assert not [name for name in analyses.get("uncertainty").figure_names(result) if "values" in name]

    def test_labels_without_an_order_or_without_points_and_one_label_alone_have_none(self, planted):
        _, inputs = planted
        self.nothing(of(replace(inputs, task="multiclass", values=None)))
        self.nothing(of(replace(inputs, values=None)))
        self.nothing(of(inputs, label="point 2"))
        self.nothing(of(replace(inputs, systems=(), origins=(), Q={})))

    @pytest.mark.django_db
    def test_votes_have_none(self):
        self.nothing(of(gather_votes(voted_dataset(machines=2))))

    def test_a_result_that_was_stored_before_has_neither_table_nor_figure(self, planted):
        _, inputs = planted
        entry = analyses.get("uncertainty")
        stored = of(inputs)
        del stored["continuous"]
        stored["tables"] = [one for one in stored["tables"] if one["name"] != "continuous"]
        assert entry.read(stored).continuous == []
        assert entry.figure_names(stored) == [
            f"{figure}{variant}"
            for figure in ("uncertainty_strata", "uncertainty_perception")
            for variant in ("", "-1-M-a-1", "-2-M-b-1")
        ]


@pytest.mark.django_db
@pytest.mark.shared_data
def test_a_real_scale_with_a_made_system(shared_data, tmp_path):
    path = shared_data / "lewidi2025" / "CSC_dev.json"
    call_command("import_dataset", "csc", str(path), verbosity=0)
    items = json.loads(path.read_text())
    bins = np.random.default_rng(5).dirichlet(np.ones(7), len(items))
    file = tmp_path / "Team_soft.tsv"
    file.write_text("".join(f"{id_}\t{row}\n" for id_, row in zip(items, bins.tolist(), strict=True)))
    call_command("import_predictions", "csc", str(file), verbosity=0)
    result = stored_result(about(Dataset.objects.get()), "uncertainty", resamples=100, draws=10)
    everything = result["continuous"][0]
    assert (everything["machine"], everything["partition"]) == ("Team", "all")
    assert everything["interval"]["low"] < everything["spearman"] < everything["interval"]["high"]
    assert abs(everything["spearman"]) < 0.2
