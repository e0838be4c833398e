"""Human uncertainty through the analysis: what it promises of datasets, votes and studies."""

import json
from dataclasses import replace

import numpy as np
import pytest

from annotations.importing.memory.tables import PredictionTable, SystemTable
from annotations.importing.writing.predictions import write_predictions
from metaeval import figures, metrics
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.inputs import DatasetInputs, SubjectKind
from metaeval.analyses.inputs.gathering import Subject, gather_dataset, gather_study, gather_votes
from metaeval.analyses.uncertainty.agreement import ONE_LABEL
from metaeval.analyses.uncertainty.labelled_items import OTHER_SYSTEMS
from metaeval.stats.agreement import Annotations
from tests.metaeval.analyses.uncertainty.asking import of, of_inputs, table, toy_dataset
from tests.metaeval.datasets import annotated_dataset, voted_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def binned(golden):
    return json.loads((golden / "binned_jsd.json").read_text())


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
        assert second["percentage"]["reasons"]["machines"] == ONE_LABEL
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
        with pytest.raises(AnalysisError, match=r"'none'\. Labels: contradiction"):
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
        with pytest.raises(AnalysisError, match="4 human judgements"):
            of(Subject.of_dataset(dataset), least_annotations=4)

    def test_without_annotations_it_says_what_to_do(self, study):
        with pytest.raises(AnalysisError, match="Import its annotations"):
            of(Subject.of_dataset(study.dataset))

    def test_an_unknown_system_is_answered_with_the_systems(self):
        with pytest.raises(AnalysisError, match=r"'X'\. Systems: Alpha / M0"):
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
        assert two["exclusions"] == [{"what": "votes", "count": 120, "reason": OTHER_SYSTEMS}]
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
    """What these systems predict for these instances, one row each."""
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
        with pytest.raises(AnalysisError, match="that side is always the closest"):
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


@pytest.mark.long
def test_the_interval_of_the_difference_covers_the_true_one():
    """Items drawn from a population with half of them certain; the truth from 20,000 of them."""

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
