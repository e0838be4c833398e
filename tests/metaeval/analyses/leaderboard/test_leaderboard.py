"""The leaderboard through the analysis: a small case computed by hand, missing submissions, training data."""

import json

import numpy as np
import pytest

from annotations.importing.memory.tables import AnswersTable, PredictionTable, SystemTable
from annotations.importing.writing.predictions import write_predictions
from annotations.models import Label
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.inputs.gathering import Subject, gather_dataset
from metaeval.analyses.leaderboard.analysis import NO_SINGLE_ANNOTATIONS
from metaeval.jobs.runs import compute
from metaeval.stats import wilcoxon_clusters
from tests.metaeval.datasets import LABELS, annotated_dataset

pytestmark = pytest.mark.django_db

MOST_FREQUENT, RANDOM = "Baseline: most frequent", "Baseline: random"


def ranked(*datasets, seed=1, **parameters):
    parameters = {"resamples": 100, **parameters}
    subject = Subject.of_datasets(datasets) if len(datasets) > 1 else Subject.of_dataset(datasets[0])
    return compute(subject=subject, analysis="leaderboard", parameters=parameters, seed=seed, progress=lambda *_: None)


def board(result, task="soft"):
    return next(found for found in result["boards"] if found["task"] == task)


def standing(result, dataset, task="soft"):
    (found,) = (one for one in board(result, task)["standings"] if one["dataset"] == dataset.slug)
    return {row["system"]: row for row in found["systems"]}


def averages(result, task="soft"):
    return {row["system"]: row["average_position"] for row in board(result, task)["systems"]}


def predict(dataset, *, soft=(), single=()):
    """Systems by name: matrices of distributions, and one row of label positions (or of 0 and 1) per annotation."""
    found = gather_dataset(dataset).annotations
    systems = tuple(SystemTable(name, np.asarray(Q, dtype=float)) for name, Q in dict(soft).items())
    answers = []
    for name, said in dict(single).items():
        rows = np.asarray(said)
        matrix = rows if rows.ndim == 2 else np.eye(len(LABELS))[rows]
        assert len(matrix) == len(found.item)
        answers.append(AnswersTable(name, matrix.astype(float)))
    write_predictions(dataset=dataset, table=PredictionTable(systems, answers=tuple(answers)))


def test_scores_clusters_and_positions_are_those_of_the_metric_and_the_test():
    dataset = annotated_dataset("one", items=40)
    result = ranked(dataset)
    inputs = gather_dataset(dataset)
    scores = {
        system: metrics.per_item(inputs.P, inputs.Q[system], "multiclass", "manhattan_distance")
        for system in inputs.systems
    }
    found = standing(result, dataset)
    assert set(found) == {*scores, RANDOM}
    for system, values in scores.items():
        assert found[system]["score"] == pytest.approx(values.mean(), abs=1e-12)
        assert found[system]["low"] < found[system]["score"] < found[system]["high"]
    without = standing(ranked(dataset, baselines=[]), dataset)
    for row in wilcoxon_clusters(scores):
        mine = without[row.system]
        assert (mine["position"], mine["cluster"]) == (row.position, row.cluster)
        assert mine["p_value"] == (None if np.isnan(row.pvalue) else pytest.approx(row.pvalue))
    assert len({row["cluster"] for row in without.values()}) > 1
    assert [table["name"] for table in result["tables"]] == ["soft_standings"]


def test_a_metric_that_is_higher_for_better_systems_turns_the_order():
    dataset = annotated_dataset("one")
    closer = [row["system"] for row in board(ranked(dataset))["systems"]]
    result = ranked(dataset, soft_metric="soft_accuracy")
    assert [row["system"] for row in board(result)["systems"]] == closer  # 1 - half of the Manhattan distance
    (found,) = board(result)["standings"]
    assert (found["orientation"], found["metric"]) == ("higher", "soft_accuracy")


def test_a_metric_without_values_of_instances_is_refused():
    with pytest.raises(AnalysisError, match=r"^Entropy correlation "):
        ranked(annotated_dataset("one"), soft_metric="entropy_correlation")
    with pytest.raises(AnalysisError, match=r"two: wasserstein_distance .*multiclass task"):
        ranked(annotated_dataset("two"), soft_metric="wasserstein_distance")


def test_a_system_with_an_infinite_score_is_left_out_and_listed():
    dataset = annotated_dataset("one", systems=1)
    certain = np.zeros((20, 3))
    certain[:, 0] = 1
    predict(dataset, soft={"Certain": certain})
    result = ranked(dataset, soft_metric="cross_entropy", baselines=[])
    assert "Certain" not in averages(result)
    (left,) = [left for left in result["exclusions"] if left["what"] == "submissions"]
    assert left["system"] == "Certain"
    assert "undefined or infinite" in left["reason"]


class TestSingleAnnotations:
    @pytest.fixture
    def dataset(self, db):
        return annotated_dataset("one", items=10, people=3, systems=0)

    def test_the_error_rate_is_the_share_of_annotators_that_are_predicted_wrongly(self, dataset):
        truth = gather_dataset(dataset).annotations.label
        wrong = truth.copy()
        wrong[:6] = (wrong[:6] + 1) % 3  # both annotators of the first two items
        predict(dataset, single={"Perfect": truth, "Near": wrong})
        found = standing(ranked(dataset), dataset, "perspectivist")
        assert (found["Perfect"]["score"], found["Near"]["score"]) == (0, pytest.approx(2 / 10))
        assert found["Perfect"]["position"] == 1

    def test_on_a_scale_it_is_the_distance_over_points_or_range(self):
        dataset = annotated_dataset("one", task="ordinal", items=10, people=3, systems=0)
        assert list(Label.objects.filter(dataset=dataset).values_list("value", flat=True)) == [1, 2, 3]
        truth = gather_dataset(dataset).annotations.label
        predict(dataset, single={"Low": np.zeros_like(truth)})
        by_points = standing(ranked(dataset), dataset, "perspectivist")["Low"]["score"]
        by_range = standing(ranked(dataset, divisor="range"), dataset, "perspectivist")["Low"]["score"]
        assert by_points == pytest.approx(truth.mean() / 3)
        assert by_range == pytest.approx(truth.mean() / 2)
        whole = ranked(dataset, perspectivist_metric="error_rate")
        assert standing(whole, dataset, "perspectivist")["Low"]["score"] == pytest.approx((truth > 0).mean())

    def test_an_item_of_which_a_system_lacks_an_annotation_counts_for_none_and_is_counted(self, dataset):
        found = gather_dataset(dataset).annotations
        truth = np.eye(3)[found.label]
        wrong = np.roll(truth, 1, axis=1)
        partly = truth.copy()
        partly[found.item < 4] = np.nan
        partly[np.flatnonzero(found.item == 5)[0]] = np.nan  # one of its annotations is enough
        wrong[found.item == 4] = truth[found.item == 4]
        predict(dataset, single={"Partly": partly, "Wrong": wrong})
        result = ranked(dataset, baselines=[])
        rows = standing(result, dataset, "perspectivist")
        assert (rows["Partly"]["score"], rows["Wrong"]["score"]) == (0, pytest.approx(4 / 5))
        (standings,) = board(result, "perspectivist")["standings"]
        assert standings["items"] == 5
        assert [(left["count"], left["reason"]) for left in result["exclusions"] if left["what"] == "items"] == [
            (5, "not all systems predicted each of their annotations (Partly lack some)")
        ]

    def test_items_that_no_two_systems_share_leave_nothing_to_rank(self, dataset):
        found = gather_dataset(dataset).annotations
        halves = {}
        for name, half in (("First", found.item < 5), ("Second", found.item >= 5)):
            halves[name] = np.eye(3)[found.label]
            halves[name][~half] = np.nan
        predict(dataset, single=halves)
        with pytest.raises(AnalysisError, match="there is no instance of which every system predicted all annotations"):
            ranked(dataset, tasks=["perspectivist"])

    def test_sets_of_labels_are_predicted_label_by_label(self):
        dataset = annotated_dataset("one", task="multilabel", items=10, people=3, systems=0)
        found = gather_dataset(dataset).annotations
        truth = found.members[found.chosen].astype(int)
        flipped = truth.copy()
        flipped[:, 0] = 1 - flipped[:, 0]
        predict(dataset, single={"Flipped": flipped})
        assert standing(ranked(dataset), dataset, "perspectivist")["Flipped"]["score"] == pytest.approx(1 / 3)
        whole = ranked(dataset, perspectivist_metric="error_rate")
        assert standing(whole, dataset, "perspectivist")["Flipped"]["score"] == 1

    def test_the_most_frequent_set_is_the_mode_of_each_label_and_not_of_sets(self):
        dataset = annotated_dataset("one", task="multilabel", items=10, people=3, systems=0)
        train = annotated_dataset("train", task="multilabel", items=40, people=3, systems=0, seed=4)
        found, known = gather_dataset(dataset).annotations, gather_dataset(train).annotations
        truth, seen = found.members[found.chosen], known.members[known.chosen]
        people = np.asarray(found.annotators)[found.annotator]
        trained = np.asarray(known.annotators)[known.annotator]
        mode = {who: seen[trained == who].mean(axis=0) > 0.5 for who in set(trained)}
        guessed = np.array([mode.get(who, seen.mean(axis=0) > 0.5) for who in people])
        by_label = standing(ranked(dataset, train, training=["train"]), dataset, "perspectivist")[MOST_FREQUENT]
        wrong = [(truth != guessed)[found.item == item].mean() for item in np.unique(found.item)]
        assert by_label["score"] == pytest.approx(np.mean(wrong), abs=1e-12)
        by_set = standing(
            ranked(dataset, train, training=["train"], most_frequent_sets="sets"), dataset, "perspectivist"
        )[MOST_FREQUENT]
        assert by_set["score"] != by_label["score"]

    def test_the_most_frequent_baseline_learns_each_annotator_and_knows_labels_by_name(self, dataset):
        train = annotated_dataset("train", items=30, people=2, systems=0, seed=9)
        for position in range(3):  # the same labels in another order
            Label.objects.filter(dataset=train, position=position).update(name=f"x{position}")
        for position, name in enumerate(("neutral", "contradiction", "entailment")):
            Label.objects.filter(dataset=train, position=position).update(name=name)
        result = ranked(dataset, train, training=["train"])
        known = gather_dataset(train)
        own = {}
        for who in known.annotations.annotators:
            rows = known.annotations.annotator == list(known.annotations.annotators).index(who)
            own[who] = known.labels[np.bincount(known.annotations.label[rows], minlength=3).argmax()]
        overall = known.labels[np.bincount(known.annotations.label, minlength=3).argmax()]
        truth = gather_dataset(dataset)
        people = truth.annotations.annotators[truth.annotations.annotator]
        said = np.array(truth.labels)[truth.annotations.label]
        guessed = np.array([own.get(who, overall) for who in people])
        assert len(set(people)) > len(own)  # one annotator is new
        found = standing(result, dataset, "perspectivist")[MOST_FREQUENT]
        assert found["score"] == pytest.approx((said != guessed).mean())
        P = known.P[:, [known.labels.index(name) for name in truth.labels]].mean(axis=0)
        soft = standing(result, dataset)[MOST_FREQUENT]["score"]
        assert soft == pytest.approx(np.abs(truth.P - P).sum(axis=1).mean())

    def test_without_submissions_and_training_data_the_task_is_left_out_and_says_so(self, dataset):
        result = ranked(dataset)
        assert [found["task"] for found in result["boards"]] == ["soft"]
        (left,) = result["exclusions"]
        assert left["reason"] == NO_SINGLE_ANNOTATIONS

    def test_who_annotated_need_not_be_known(self):
        dataset = annotated_dataset("one", known=False, systems=0)
        train = annotated_dataset("train", known=False, systems=0, seed=7)
        result = ranked(dataset, train, training=["one=train"])
        mode = np.bincount(gather_dataset(train).annotations.label).argmax()
        truth = gather_dataset(dataset).annotations.label
        found = standing(result, dataset, "perspectivist")[MOST_FREQUENT]["score"]
        assert found == pytest.approx((truth != mode).mean())
        assert any("not all annotators have a code" in note for note in result["notes"])


class TestSeveralDatasets:
    @pytest.fixture
    def datasets(self, db):
        """The second has one system more than the first; the third trains."""
        found = [annotated_dataset(slug, systems=3, seed=seed) for slug, seed in (("one", 3), ("two", 4))]
        predict(found[1], soft={"Extra": found[1].gold})
        return [*found, annotated_dataset("train", systems=0, seed=5)]

    def test_the_average_position_is_over_datasets(self, datasets):
        one, two, _ = datasets
        result = ranked(one, two, missing="undefined")
        for system, average in averages(result).items():
            if system != "Extra":
                mean = (standing(result, one)[system]["position"] + standing(result, two)[system]["position"]) / 2
                assert average == mean
        shown = [row["average_position"] for row in board(result)["systems"]]
        assert shown[:-1] == sorted(shown[:-1])
        assert result["tables"][0]["name"] == "soft"

    def test_a_missing_submission_is_scored_as_the_baseline_and_says_so(self, datasets):
        one, _, _ = datasets
        for missing, stand_in in (({}, RANDOM), ({"missing": "most_frequent"}, MOST_FREQUENT)):
            result = ranked(*datasets, training=["train"], **missing)
            rows = standing(result, one)
            assert rows["Extra"]["substituted"]
            assert [rows["Extra"][key] for key in ("score", "position", "low", "high")] == [
                rows[stand_in][key] for key in ("score", "position", "low", "high")
            ]
            row = next(row for row in result["tables"][0]["rows"] if row["system"] == "Extra")
            assert row["notes"] == f"no submission to Data one: scored as “{stand_in}”"
        assert result["counts"]["datasets"] == 2
        drawn = json.dumps(analyses.get("leaderboard").draw("leaderboard_map", result).to_dict())
        assert f"{rows['Extra']['score']:.3f}*" in drawn

    def test_without_the_baseline_the_average_is_undefined_with_its_reason(self, datasets):
        one, two, _ = datasets
        result = ranked(one, two, missing="most_frequent")
        assert averages(result)["Extra"] is None
        row = next(row for row in board(result)["systems"] if row["system"] == "Extra")
        assert row["reason"] == "no submission to one"
        assert any("missing submissions could not be scored as" in note for note in result["notes"])
        filled = ranked(one, two, missing="random")
        assert standing(filled, one)["Extra"]["score"] == standing(filled, one)[RANDOM]["score"]
        assert averages(filled)["Extra"] is not None

    def test_a_baseline_is_never_scored_as_the_other_one(self, datasets):
        """Without training data, there is no most frequent baseline, and the board shows none."""
        one, two, train = datasets
        result = ranked(one, two, train, training=["one=train"])
        assert MOST_FREQUENT in standing(result, one)
        assert MOST_FREQUENT not in standing(result, two)
        row = next(row for row in board(result)["systems"] if row["system"] == MOST_FREQUENT)
        assert row["average_position"] is None
        assert row["reason"] == "no score on two"
        assert row["positions"]["two"] is None
        assert averages(result)["Extra"] is not None

    def test_a_missing_submission_moves_no_other_system(self, datasets):
        one, two, _ = datasets
        worst = one.gold[:, ::-1]  # behind the random baseline
        predict(one, soft={"Behind": np.eye(3)[worst.argmin(axis=1)]})
        predict(two, soft={f"Missed {n}": two.gold for n in range(3)})
        alone = standing(ranked(one), one)
        beside = standing(ranked(one, two), one)
        assert {name: beside[name]["position"] for name in alone} == {n: row["position"] for n, row in alone.items()}
        assert {beside[f"Missed {n}"]["position"] for n in range(3)} == {alone[RANDOM]["position"]}
        own = standing(ranked(one, two, missing_places="own"), one)
        assert max(row["position"] for row in own.values()) > max(row["position"] for row in alone.values())

    def test_a_dataset_without_the_stand_in_takes_no_average_from_systems_that_are_on_it(self, datasets):
        """The most frequent baseline is a substitute on the first dataset; on the second, where it has no score, nobody
        is missing."""
        one, two, train = datasets
        predict(one, soft={"Only one": one.gold})
        result = ranked(one, two, train, training=["one=train"], missing="most_frequent")
        assert board(result)["unfilled"] == ["two"]
        found = averages(result)
        assert found["Extra"] is not None
        assert found["Only one"] is None

    def test_a_dataset_has_its_random_baseline_whatever_stands_beside_it_in_whatever_order(self, datasets):
        one, two, _ = datasets
        alone = standing(ranked(one), one)[RANDOM]
        assert standing(ranked(two, one), one)[RANDOM] == alone
        assert ranked(one, two)["boards"] == ranked(two, one)["boards"]
        assert standing(ranked(one, seed=2), one)[RANDOM]["score"] != alone["score"]

    def test_training_data_that_cannot_be_are_answered_with_a_sentence(self, datasets):
        one, _, train = datasets
        sets = annotated_dataset("sets", task="multilabel")
        for named, message in (
            (["else"], "'else' are not among the datasets of this analysis: one, train"),
            (["one=one"], "one cannot be its own training data"),
        ):
            with pytest.raises(AnalysisError, match=message):
                ranked(one, train, training=named)
        with pytest.raises(AnalysisError, match=r"^sets .*training data of one"):
            ranked(one, sets, training=["one=sets"])
        with pytest.raises(AnalysisError, match=r"\bdata sets\b"):
            ranked(one, sets, training=["sets"])


def test_a_system_that_is_called_like_a_baseline_is_refused():
    dataset = annotated_dataset("one", systems=0)
    predict(dataset, soft={RANDOM: dataset.gold})
    with pytest.raises(AnalysisError, match=r"like the baseline\. Rename it"):
        ranked(dataset)


def test_nothing_to_rank_says_why():
    with pytest.raises(AnalysisError, match="There is nothing to rank"):
        ranked(annotated_dataset("one", systems=0), baselines=[])


def test_where_clusters_are_shown_it_is_said_how_often_chance_splits_them():
    result = ranked(annotated_dataset("one", items=60))
    said = "If six systems are equally good, about 40% of tables still split them into clusters"
    (standings,) = (one for one in result["tables"] if one["name"] == "soft_standings")
    assert any(said in note for note in standings["notes"])
    for name in ("leaderboard_dots", "leaderboard_map"):
        chart = analyses.get("leaderboard").draw(name, result).to_dict()
        assert "split them into clusters" in " ".join(chart["title"]["subtitle"]).replace("\n", " ")


def test_clusters_stand_on_changing_ground():
    dataset = annotated_dataset("one", items=60)
    result = ranked(dataset)
    chart = analyses.get("leaderboard").draw("leaderboard_dots", result).to_dict()
    grounds = [rows for rows in chart["datasets"].values() if rows and set(rows[0]) == {"name"}]
    rows = board(result)["standings"][0]["systems"]
    assert len({row["cluster"] for row in rows}) > 1
    grey = [{"name": f"{row['position']}. {row['system']}"} for row in rows if row["cluster"] % 2]
    assert grounds == [grey]
