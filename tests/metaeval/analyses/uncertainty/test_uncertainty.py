"""Human uncertainty through the analysis: the published tables from the real files, and what it promises elsewhere."""

import json
from dataclasses import replace

import numpy as np
import pytest

from annotations.importing.memory.tables import PredictionTable, SystemTable
from annotations.importing.writing.predictions import write_predictions
from metaeval import figures, metrics
from metaeval.analyses.base.computing import result_of
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import DatasetInputs, SubjectKind
from metaeval.analyses.inputs.gathering import Subject, gather_dataset, gather_study
from metaeval.analyses.inputs.voting import gather_votes
from metaeval.jobs.runs import compute
from metaeval.reproductions.partitions import PARTITIONS, QUICK
from metaeval.stats.agreement import Annotations
from tests.metaeval.datasets import annotated_dataset, voted_dataset
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


def of(subject, **parameters):
    return compute(
        subject=subject, analysis="uncertainty", parameters={**QUICK, **parameters}, seed=1, progress=lambda *_: None
    )


def of_inputs(inputs, **parameters):
    """Of arrays that are there already, as a notebook does."""
    entry = analyses.get("uncertainty")
    return result_of(
        inputs=inputs, entry=entry, parameters=entry.validated({**QUICK, **parameters}), seed=1, work=Work()
    )


def by_partition(rows):
    return {row["partition"]: row for row in rows}


def as_printed(value, published):
    """Whether the value rounds to what is printed (half a unit of its last digit)."""
    digits = len(published.partition(".")[2])
    return abs(value - float(published)) <= 0.5 * 10**-digits + 1e-9


def table(result, name):
    return next(entry for entry in result["tables"] if entry["name"] == name)


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
                assert "all annotations are equal" in mine["reason"]
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
        assert alone["difference_reason"] == "one item only, which has no spread"

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
        assert perception["bins"][0]["reason"] == "no item has this typical label"
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


def toy_dataset(folder, human, machine, *, points, slug="toy"):
    """Labels of people, and of a machine whose every run is a system that is sure of one label."""
    names = [str(point) for point in range(1, points + 1)]
    rows = [f"i{item},p{who},{label}" for item, labels in enumerate(human) for who, label in enumerate(labels)]
    (folder / "people.csv").write_text("instance,annotator,label\n" + "\n".join(rows) + "\n")
    lines = [
        f"i{item},M,run,{run}," + ",".join(str(int(name == str(label))) for name in names)
        for item, labels in enumerate(machine)
        for run, label in enumerate(labels)
    ]
    (folder / "runs.csv").write_text(f"instance,model,method,run,{','.join(names)}\n" + "\n".join(lines) + "\n")
    options = {"task": "ordinal", "labels": "; ".join(names)}
    return about(imported(folder, ["people.csv"], predictions=["runs.csv"], slug=slug, **options))


class TestADataset:
    def test_the_runs_of_a_method_are_one_machine_with_several_labels(self):
        dataset = annotated_dataset(systems=0)
        gold = np.asarray(dataset.gold)
        rng = np.random.default_rng(1)
        tables = [
            SystemTable("One", rng.dirichlet(np.ones(3), len(gold)), method, run)
            for method, run in (("A", "1"), ("A", "2"), ("B", "1"))
        ]
        write_predictions(dataset=dataset, table=PredictionTable(tuple(tables)))
        subject = Subject.of_dataset(dataset)
        result = of(subject)
        machines = {machine["name"]: machine["most_labels_an_item"] for machine in result["machines"]}
        assert machines == {"One / A": 2, "One / B / 1": 1}
        first, second = (next(row for row in result["strata"] if row["machine"] == name) for name in machines)
        assert first["alpha"]["machines"] is not None
        assert second["alpha"]["machines"] is None
        assert second["percentage"]["reasons"]["machines"] == "one label an item"
        assert "alpha_machines" in {column["key"] for column in table(result, "stratified")["columns"]}
        each = of(subject, units="each")
        assert [machine["name"] for machine in each["machines"]] == ["One / A / 1", "One / A / 2", "One / B / 1"]
        assert "alpha_machines" not in {column["key"] for column in table(each, "stratified")["columns"]}
        together = of(subject, units="all")
        assert [(machine["name"], machine["most_labels_an_item"]) for machine in together["machines"]] == [
            ("All systems", 3)
        ]
        assert [machine["name"] for machine in of(subject, systems=["One / B / 1"])["machines"]] == ["One / B / 1"]

    def test_a_machine_s_label_is_the_system_s_most_probable_one(self):
        dataset = annotated_dataset()
        inputs = gather_dataset(dataset)
        result = of(Subject.of_dataset(dataset), units="each")
        for name in inputs.systems:
            row = next(row for row in result["strata"] if row["machine"] == name)
            top = np.asarray(inputs.Q[name]).argmax(axis=1)
            assert row["win_rates"]["machine"] == pytest.approx(np.bincount(top, minlength=3) / len(top))

    def test_an_interval_holds_its_value_and_the_difference_is_of_the_same_items(self):
        result = of(Subject.of_dataset(annotated_dataset(items=60)), resamples=400)
        row = result["strata"][0]["alpha"]
        assert row["typical_low"] < row["typical"] < row["typical_high"]
        assert row["difference"] == pytest.approx(row["people"] - row["typical"])
        assert row["difference_low"] < row["difference"] < row["difference_high"]
        people = result["people_strata"][0]["rows"][0]
        apart = row["typical_high"] - row["typical_low"] + people["high"] - people["low"]
        assert row["difference_high"] - row["difference_low"] < apart

    def test_random_labellers_agree_with_people_as_by_chance(self):
        rows = of(Subject.of_dataset(annotated_dataset(items=60)), draws=400)["people_strata"][0]["rows"]
        random = rows[0]["random"]
        assert random["percentage"]["mean"] == pytest.approx(1 / 3, abs=0.01)
        assert random["alpha"]["mean"] == pytest.approx(0, abs=0.02)
        assert random["alpha"]["low"] < 0 < random["alpha"]["high"] < rows[0]["alpha"]

    def test_sets_of_labels_are_a_decision_a_label_and_one_label_can_be_looked_at(self):
        dataset = annotated_dataset(task="multilabel", items=12)
        subject = Subject.of_dataset(dataset)
        result = of(subject, partitions=[])
        assert (result["items"], result["counts"]["items"]) == ("decisions", 36)
        assert result["labels"] == ["does not apply", "applies"]
        applies = (np.asarray(gather_dataset(dataset).Q["Alpha / M0 / 1"]) > 0.5).mean()
        assert result["strata"][0]["win_rates"]["machine"][1] == pytest.approx(applies)
        one = of(subject, label="neutral", partitions=[])
        assert (one["counts"]["items"], one["labels"]) == (12, ["not neutral", "neutral"])
        with pytest.raises(AnalysisError, match=r"No label is called 'none'\. Labels: contradiction"):
            of(subject, label="none")

    def test_one_label_of_a_multiclass_dataset_is_this_or_another(self):
        dataset = annotated_dataset()
        result = of(Subject.of_dataset(dataset), label="neutral", units="each")
        top = np.asarray(gather_dataset(dataset).Q[result["machines"][0]["name"]]).argmax(axis=1)
        assert result["strata"][0]["win_rates"]["machine"][1] == pytest.approx((top == 2).mean())

    def test_a_scale_has_medians_and_rank_correlations(self):
        result = of(Subject.of_dataset(annotated_dataset(task="ordinal")))
        assert result["scale"] == "ordinal"
        assert "the lower of the two middle labels" in result["notes"][-1]
        rows = table(result, "correlations")["rows"]
        assert rows[0]["spearman_mean"] > 0.5
        drawn = json.dumps(analyses.get("uncertainty").draw("uncertainty_perception", result).to_dict())
        assert "Human median" in drawn

    def test_without_systems_people_stand_beside_random_labellers(self):
        result = of(Subject.of_dataset(annotated_dataset(systems=0)))
        assert result["machines"] == []
        assert [entry["name"] for entry in result["tables"]] == ["people", "bins"]
        assert result["notes"][0].startswith("No machine labels these items")
        (perception,) = result["perception"]
        assert perception["machine"] is None
        assert sum(row["share"] for row in perception["bins"]) == pytest.approx(1)
        entry = analyses.get("uncertainty")
        for name in entry.figure_names(result):
            assert figures.image(entry.draw(name, result), "svg")

    def test_items_of_few_judgements_are_left_out_and_listed(self):
        dataset = annotated_dataset(people=3)
        with pytest.raises(AnalysisError, match="No item has 4 human judgements"):
            of(Subject.of_dataset(dataset), least_annotations=4)

    def test_without_annotations_it_says_what_to_do(self, study):
        with pytest.raises(AnalysisError, match="Import its annotations"):
            of(Subject.of_dataset(study.dataset))

    def test_an_unknown_system_is_answered_with_the_systems(self):
        with pytest.raises(AnalysisError, match=r"No system is called 'X'\. Systems: Alpha / M0"):
            of(Subject.of_dataset(annotated_dataset()), systems=["X"])


class TestVotes:
    def test_people_and_machines_are_compared_on_what_both_voted_on(self):
        dataset = voted_dataset(machines=2)
        subject = Subject.of_dataset(dataset, kind=SubjectKind.VOTES)
        result = of(subject)
        assert [machine["name"] for machine in result["machines"]] == ["m0", "m1"]
        assert len(result["people_strata"]) == 1  # both voted on everything
        together = of(subject, units="all")
        assert [(machine["name"], machine["most_labels_an_item"]) for machine in together["machines"]] == [
            ("All machines", 2)
        ]
        two = of(subject, systems=["gpt", "vicuna"])
        assert two["labels"] == ["gpt", "vicuna", "tie"]
        assert two["counts"]["items"] == 12
        assert two["exclusions"] == [{"what": "votes", "count": 120, "reason": "votes on other systems"}]
        with pytest.raises(AnalysisError, match="name at least 2"):
            of(subject, systems=["gpt"])

    def test_a_machine_that_did_not_vote_on_everything_has_items_of_its_own(self):
        inputs = gather_votes(voted_dataset(machines=2))
        kept = np.flatnonzero((inputs.judge != 4) | (inputs.instance < 6))
        columns = {name: getattr(inputs, name)[kept] for name in ("instance", "judge", "first", "second", "outcome")}
        result = of_inputs(replace(inputs, certainty=inputs.certainty[kept], **columns))
        assert [machine["items"] for machine in result["machines"]] == [36, 18]
        assert [frame["machines"] for frame in result["people_strata"]] == [["m0"], ["m1"]]
        assert result["exclusions"] == [
            {"what": "comparisons", "machine": "m1", "count": 18, "reason": "m1 did not label them"}
        ]
        assert "labelled_by" in {column["key"] for column in table(result, "people")["columns"]}

    def test_a_variant_is_of_one_machine(self):
        subject = Subject.of_dataset(voted_dataset(machines=2), kind=SubjectKind.VOTES)
        result = of(subject)
        entry = analyses.get("uncertainty")
        assert entry.figure_names(result) == [
            "uncertainty_strata",
            "uncertainty_strata-1-m0",
            "uncertainty_strata-2-m1",
            "uncertainty_perception",
            "uncertainty_perception-1-m0",
            "uncertainty_perception-2-m1",
        ]
        second = json.dumps(entry.draw("uncertainty_perception-2-m1", result).to_dict())
        assert "Perception chart: m1" in second


def predictions(inputs, systems, instances):
    """What these systems predict for these instances, a row each."""
    pairs = zip(systems, instances, strict=True)
    return np.stack([inputs.Q[inputs.systems[system]][instance] for system, instance in pairs])


class TestAStudy:
    def test_a_metric_prefers_the_side_that_is_nearer_to_the_experts_own_labels(self, answered):
        result = of(Subject.of_study(answered.study), metrics=["po_jsd", "manhattan_distance"])
        inputs = gather_study(answered.study)
        answers = inputs.answers
        own = np.zeros(inputs.P.shape)
        own[:, 0] = 1  # every expert labels everything with the first area of law
        _, places = np.unique(answers.comparison, return_index=True)
        instance, system = answers.instance[places], answers.second[places]
        sides = inputs.P[instance], predictions(inputs, system, instance)
        for name, sign in (("po_jsd", 1), ("manhattan_distance", -1)):
            human, predicted = (sign * metrics.per_item(own[instance], side, "multilabel", name) for side in sides)
            rates = [np.mean(human > predicted + 1e-9), np.mean(predicted > human + 1e-9)]
            row = next(row for row in result["strata"] if row["machine"] == metrics.get(name).title)
            assert row["win_rates"]["machine"][:2] == pytest.approx(rates)
        assert result["labels"] == ["human", "system", "both", "neither"]
        assert "the experts' own labels of step 1" in " ".join(result["notes"])
        wide = of(Subject.of_study(answered.study), metrics=["po_jsd"], margin=1.0)
        assert wide["strata"][0]["win_rates"]["machine"] == [0, 0, 1, 0]

    def test_nearness_to_the_dataset_s_people_needs_two_systems(self, answered):
        with pytest.raises(AnalysisError, match="to which it is always nearest"):
            of(Subject.of_study(answered.study), nearness="dataset")
        inputs = gather_study(answered.study)
        other = (inputs.answers.second + 2) % len(inputs.systems)
        inputs = replace(inputs, compares="system_vs_system", answers=replace(inputs.answers, first=other))
        result = of_inputs(inputs, nearness="dataset", metrics=["po_jsd"])
        _, places = np.unique(inputs.answers.comparison, return_index=True)
        low = np.minimum(other, inputs.answers.second)[places]
        high = np.maximum(other, inputs.answers.second)[places]
        instance = inputs.answers.instance[places]
        values = [
            metrics.per_item(
                inputs.P[instance],
                predictions(inputs, side, instance),
                "multilabel",
                "po_jsd",
            )
            for side in (low, high)
        ]
        assert result["labels"] == ["first", "second", "both", "neither"]
        assert result["strata"][0]["win_rates"]["machine"][0] == pytest.approx(np.mean(values[0] > values[1]))

    def test_a_metric_without_values_for_single_instances_cannot_judge(self, answered):
        with pytest.raises(AnalysisError, match="no value for a single instance"):
            of(Subject.of_study(answered.study), metrics=["soft_micro_f1"])

    def test_what_nobody_labelled_is_not_judged_and_listed(self, answered):
        inputs = gather_study(answered.study)
        answers = inputs.answers
        answers = replace(answers, is_labelled=answers.is_labelled & (answers.instance != 0))
        result = of_inputs(replace(inputs, answers=answers))
        reason = "nobody labelled the instance in step 1, so that a metric has nothing to compare with"
        assert {"what": "comparisons", "count": 1, "reason": reason} in result["exclusions"]


class TestOrder:
    """What the published code gets wrong: its numbers depend on the order of people, and drop items between labels."""

    def test_the_order_of_people_changes_nothing(self, tmp_path):
        human = [[1, 2], [2, 2], [3, 1], [1, 3]]
        machine = [[1], [2], [3], [3]]
        results = []
        for number, order in enumerate((1, -1)):
            folder = tmp_path / str(number)
            folder.mkdir()
            subject = toy_dataset(folder, [row[::order] for row in human], machine, points=3, slug=f"toy{number}")
            results.append(of(subject))
        assert results[0]["perception"] == results[1]["perception"]
        assert results[0]["strata"] == results[1]["strata"]

    def test_an_even_number_of_people_drops_no_item(self, binned, tmp_path):
        labels = binned["pitfalls"]["even_number_of_raters"]["labels"]
        result = of(toy_dataset(tmp_path, labels, [[1]] * len(labels), points=3))
        assert sum(row["share"] for row in result["perception"][0]["bins"]) == pytest.approx(1)
        assert result["strata"][0]["undecided"] == 2
        assert "this concerns 2 of 4 instances" in result["notes"][-1]


def test_a_tied_majority_is_settled_by_the_rule_that_is_asked_for():
    inputs = gather_dataset(annotated_dataset(people=2, items=40))
    notes = {ties: of_inputs(inputs, ties=ties)["notes"][-1] for ties in ("label order", "first given")}
    assert "comes first in the label set" in notes["label order"]
    assert "that was given first" in notes["first given"]


def labelled(rng, shares, machine, people=5):
    """Inputs of items whose people choose labels by these shares (items, labels), and of a system that is sure."""
    items, count = shares.shape
    said = np.array([rng.choice(count, people, p=row) for row in shares])
    names = tuple(f"label {place}" for place in range(count))
    item = np.repeat(np.arange(items), people)
    annotations = Annotations(item, None, said.ravel(), np.arange(items), np.array([]), names)
    return DatasetInputs(
        slug="made",
        title="Made",
        task="multiclass",
        labels=names,
        P=np.stack([np.bincount(row, minlength=count) for row in said]) / people,
        systems=("sure",),
        origins=({"model": "sure", "method": "", "run": ""},),
        Q={"sure": np.eye(count)[machine]},
        fingerprint="0" * 64,
        read_annotations=lambda: annotations,
    )


def test_many_labels_are_drawn_as_the_most_frequent_and_the_others():
    rng = np.random.default_rng(4)
    result = of_inputs(labelled(rng, rng.dirichlet(np.ones(15), 40), rng.integers(0, 15, 40)), partitions=[])
    spec = analyses.get("uncertainty").draw("uncertainty_perception", result).to_dict()
    bars = [row for rows in spec["datasets"].values() for row in rows] if "datasets" in spec else []
    bars = bars or [row for panel in spec["concat"] for row in panel["data"]["values"]]
    assert len({row["label"] for row in bars}) == 10
    assert "other labels" in {row["label"] for row in bars}
    panels = len(spec["concat"])
    assert sum(row["share"] for row in bars if row["series"] == "All human labels") == pytest.approx(panels)


@pytest.mark.slow
def test_the_interval_of_the_difference_covers_the_true_one():
    """Items drawn from a population of which people are half certain; the truth from 20,000 of them."""

    def drawn(rng, items):
        sure = rng.random(items) < 0.5
        shares = np.where(sure[:, None], np.eye(3)[rng.integers(0, 3, items)] * 0.91 + 0.03, 1 / 3)
        machine = np.where(rng.random(items) < 0.8, shares.argmax(axis=1), rng.integers(0, 3, items))
        return labelled(rng, shares, machine)

    options = {"partitions": [], "draws": 10}
    truth = of_inputs(drawn(np.random.default_rng(0), 20_000), **options)["strata"][0]["alpha"]["difference"]
    covered = 0
    for seed in range(1, 201):
        inputs = drawn(np.random.default_rng(seed), 150)
        alpha = of_inputs(inputs, resamples=500, **options)["strata"][0]["alpha"]
        covered += alpha["difference_low"] <= truth <= alpha["difference_high"]
    assert 0.91 <= covered / 200 <= 0.99


def test_the_figures_show_the_result():
    result = of(Subject.of_dataset(annotated_dataset()), units="all")
    entry = analyses.get("uncertainty")
    strata = json.dumps(entry.draw("uncertainty_strata", result).to_dict())
    assert json.dumps(result["strata"][0]["alpha"]["typical"]) in strata
    perception = json.dumps(entry.draw("uncertainty_perception", result).to_dict(), ensure_ascii=False)
    largest = max(result["perception"][0]["bins"], key=lambda row: row["items"])
    assert f"{100 * largest['share']:.0f}% of instances ({largest['items']})" in perception
