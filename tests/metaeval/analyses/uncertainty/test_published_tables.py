"""The published tables of Elangovan et al. (2025), through the analysis, from the real files."""

import json

import pytest

from metaeval.analyses.uncertainty.agreement import ONE_ITEM
from metaeval.stats.agreement.measure import ALL_EQUAL
from metaeval.stats.uncertainty.table import NO_SUCH_ITEM
from tests.lab.reproductions.uncertainty import PARTITIONS, QUICK
from tests.metaeval.analyses.uncertainty.asking import by_partition, table, toy_dataset
from tests.metaeval.golden_runs import about, imported, stored_result

pytestmark = pytest.mark.django_db

TOPICAL_CHAT = {
    "table10.TC.understandable": "Understandable",
    "table10.TC.uses_knowledge": "Uses Knowledge",
    "table11.TC.engaging": "Engaging",
    "table11.TC.maintains_context": "Maintains Context",
    "table11.TC.natural": "Natural",
    "table11.TC.overall": "Overall",
}
DICES = "table10.DICES350.safety"
MT_BENCH = ["mtbench/human.jsonl", "mtbench/gpt4_pair.jsonl"]
DEFINITIONS = {
    "distance_nats": {},
    "distance_bits": {"logarithm": "2"},
    "divergence_nats": {"divergence": "divergence"},
    "divergence_bits": {"divergence": "divergence", "logarithm": "2"},
}


def as_printed(value, published):
    """Whether the value rounds to what is printed (half a unit of its last digit)."""
    digits = len(published.partition(".")[2])
    return abs(value - float(published)) <= 0.5 * 10**-digits + 1e-9


@pytest.fixture(scope="module")
def tables(golden):
    return json.loads((golden / "uncertainty.json").read_text())


@pytest.fixture(scope="module")
def binned(golden):
    return json.loads((golden / "binned_jsd.json").read_text())


@pytest.mark.shared_data
class TestGolden:
    @pytest.mark.parametrize("name", [*TOPICAL_CHAT, DICES])
    def test_agreement_among_people_in_every_partition(self, name, tables, shared_data):
        if name == DICES:
            dataset = imported(shared_data, ["dices350/dices_350_crowdsourced.json"])
        else:
            options = {"criterion": TOPICAL_CHAT[name], "responses": "New Human Generated"}
            dataset = imported(shared_data, ["topicalchat/tc_usr_data.json"], **options)
        parameters = {**QUICK, "bounds": [0.4, 0.6, 0.8, 1.0]}
        result = stored_result(about(dataset), "uncertainty", **parameters)
        assert result["scale"] == ("ordinal" if "table11" in name else "nominal")
        (frame,) = result["people_strata"]
        found = by_partition(frame["rows"])
        for row in tables["tables"][name]:
            mine, expected = found[PARTITIONS[row["partition"]]], row["all_values"]
            assert mine["items"] == row["n"]
            assert mine["labels_that_occur"] == expected["n_labels_observed"]
            published = {
                "alpha": expected["alpha"],
                "percentage": expected["percentage_agreement"],
                "pairwise": expected["pairwise_agreement"],
                "randolph": expected["randolph_k_observed"],
            }
            if "fleiss" in expected:
                published["fleiss"] = expected["fleiss"]
            for key, value in published.items():
                assert mine[key] == (None if value is None else pytest.approx(value, abs=1e-12)), (row, key)
            if published["alpha"] is None:
                assert mine["reason"] == ALL_EQUAL
            printed = {
                "size_percent": 100 * mine["share"],
                f"krippendorff_alpha_{result['scale']}": 1.0 if mine["alpha"] is None else mine["alpha"],
                "percentage_agreement": mine["percentage"],
                "randolph_kappa": 1.0 if mine["randolph"] is None else mine["randolph"],
            }
            for check in row["checks"]:
                assert printed[check["name"]] == pytest.approx(check["value"], abs=1e-12)
                assert as_printed(printed[check["name"]], check["published"]) == check["agrees"]

    def test_mt_bench_alpaca_against_gpt_3_5(self, tables, shared_data):
        """People and GPT-4; tied majorities by the first vote in the file, as published."""
        result = stored_result(
            about(imported(shared_data, MT_BENCH)),
            "uncertainty",
            systems=["alpaca-13b", "gpt-3.5-turbo"],
            least_annotations=3,
            ties="first given",
            constant="1",
            **QUICK,
        )
        assert result["labels"] == ["alpaca-13b", "gpt-3.5-turbo", "tie"]
        assert [machine["name"] for machine in result["machines"]] == ["gpt4_pair"]
        strata = by_partition(result["strata"])
        compared = 0
        for row in tables["tables"]["table3_8.MT-Bench"]["Alp-Gp3"]:
            mine = strata[PARTITIONS[row["partition"]]]
            assert mine["undecided"] == row["items_with_tied_majority"]
            found = {
                "n_items": mine["items"],
                "human_majority_winrate": mine["win_rates"]["people"][1],
                "gpt4_winrate": mine["win_rates"]["machine"][1],
                "HH_alpha": mine["alpha"]["people"],
                "HH_percentage_agreement": mine["percentage"]["people"],
                "HwMw_percentage_agreement": mine["percentage"]["typical"],
                "HwMw_alpha": mine["alpha"]["typical"],
                "HwMw_fleiss": mine["fleiss"]["typical"],
                "HwMw_randolph_k_observed": mine["randolph"]["typical"],
                "JS_unbinned_natural_log_sqrt": mine["divergence"]["pooled"],
                "JSb_as_defined_in_the_paper_code": mine["divergence"]["binned"],
            }
            for check in row["checks"]:
                value = found[check["name"]]
                assert value == pytest.approx(check["value"], abs=1e-12), (row["partition"], check["name"])
                assert as_printed(value, check["published"]) == check["agrees"]
                compared += 1
        assert compared == 52
        alone = strata["80% <= PA < 100%"]["alpha"]
        assert (alone["typical"], alone["typical_low"], alone["difference_low"]) == (1.0, None, None)
        assert alone["difference_reason"] == ONE_ITEM

    @pytest.mark.parametrize("definition", list(DEFINITIONS))
    def test_the_example_of_appendix_a7_in_all_definitions(self, definition, binned, tables, tmp_path):
        toy = tables["toy_A7"]
        subject = toy_dataset(tmp_path, toy["human"], toy["machine"], points=3)
        result = stored_result(subject, "uncertainty", **QUICK, **DEFINITIONS[definition])
        expected = binned["A7_all_definitions"][definition]
        (perception,) = result["perception"]
        values = {row["label"]: row["value"] for row in perception["bins"]}
        assert values == {
            "1": None,
            "2": pytest.approx(expected["bin2"], abs=1e-12),
            "3": pytest.approx(expected["bin3"], abs=1e-12),
        }
        assert perception["binned"] == pytest.approx(expected["weighted"], abs=1e-12)
        assert perception["bins"][0]["reason"] == NO_SUCH_ITEM
        assert result["machines"][0]["most_labels_an_item"] == 2

    @pytest.mark.parametrize(("model", "labels"), [("good", [3, 1, 2]), ("poor", [1, 3, 4])])
    def test_the_toy_models_of_tables_5_and_6(self, model, labels, binned, tables, tmp_path):
        expected = binned["toy_repo"][model]
        subject = toy_dataset(tmp_path, tables["toy_A7"]["human"], [[label] for label in labels], points=4)
        result = stored_result(subject, "uncertainty", **QUICK)
        row = result["strata"][0]
        assert row["divergence"]["binned"] == pytest.approx(expected["JS_b"], abs=1e-12)
        assert row["alpha"]["typical"] == pytest.approx(expected["alpha"]["ordinal"], abs=1e-12)
        for coefficient in ("kendall", "spearman"):
            value = row["correlations"][f"{coefficient}_median"]["value"]
            assert value == pytest.approx(expected[coefficient], abs=1e-12)
        printed = table(result, "correlations")["rows"][0]
        assert printed["kendall_median"] == row["correlations"]["kendall_median"]["value"]
