"""Soft-label and perspectivist evaluation: the baselines of LeWiDi-2025's Paraphrase, and each rule by itself."""

import json

import numpy as np
import pytest

from metaeval import metrics
from metaeval.metrics import (
    AnnotationError,
    annotation_metrics,
    error_rate,
    mean_soft_label,
    most_frequent_labels,
    multilabel_error_rate,
    normalised_absolute_distance,
    per_item,
    predict_most_frequent,
    predict_random,
    random_soft_labels,
)
from metaeval.metrics.perspectivist import NO_ANNOTATION

SCALE = [str(point) for point in range(-5, 6)]


@pytest.fixture
def paraphrase(shared_data):
    def read(split):
        items = json.loads((shared_data / "lewidi2025" / f"Paraphrase_{split}.json").read_text())
        return {key: {who: int(label) for who, label in item["annotations"].items()} for key, item in items.items()}

    return {split: read(split) for split in ("train", "dev", "test")}


@pytest.fixture
def reference(golden):
    found = json.loads((golden / "lewidi2025_par.json").read_text())
    return found | {"values": {entry["name"]: entry["value"] for entry in found["entries"]}}


def soft_labels(items):
    """Recomputed from the annotations, because files round them."""
    rows = [[list(item.values()).count(int(point)) / len(item) for point in SCALE] for item in items.values()]
    return np.array(rows)


@pytest.mark.shared_data
def test_the_mean_soft_label_scores_as_published(paraphrase, reference):
    baseline = mean_soft_label(soft_labels(paraphrase["train"]), "ordinal")
    assert baseline[0] == pytest.approx(reference["baseline"]["soft"], abs=1e-12)
    for split in ("dev", "test"):
        P = soft_labels(paraphrase[split])
        Q = mean_soft_label(soft_labels(paraphrase["train"]), "ordinal", len(P))
        expected = reference["values"][f"Par.taskA.mostfreq.{split}.soft_recomputed_from_annotations"]
        assert metrics.wasserstein_distance(P, Q) == pytest.approx(expected, abs=1e-12)
        items = dict(zip(paraphrase[split], per_item(P, Q, "ordinal", "wasserstein_distance"), strict=True))
        first = reference["per_item_first5"][f"Par.taskA.{split}"]
        assert {key: items[key] for key in first} == pytest.approx(first, abs=1e-12)


@pytest.mark.shared_data
def test_the_most_frequent_label_of_each_annotator_scores_as_published(paraphrase, reference):
    train = list(paraphrase["train"].values())
    assert most_frequent_labels(train) == {
        who: int(label) for who, label in reference["baseline"]["mode_per_annotator"].items()
    }
    for split in ("dev", "test"):
        truth = list(paraphrase[split].values())
        predicted = predict_most_frequent(train, truth)
        for S in (11, 10):
            score = normalised_absolute_distance(truth, predicted, S=S)
            expected = reference["values"][f"Par.taskB.mostfreq_per_annotator.{split}.divisor{S}"]
            assert score.value == pytest.approx(expected, abs=1e-12)
        by_position = normalised_absolute_distance(
            [list(item.values()) for item in truth], predicted, S=11, align="position"
        )
        assert by_position.value == normalised_absolute_distance(truth, predicted, S=11).value


def test_answers_are_compared_by_annotator_whatever_their_order():
    truth, predicted = [{"a": 1, "b": 2}], [{"b": 2, "a": 1}]
    assert error_rate(truth, predicted).value == 0.0
    assert error_rate(truth, predicted, align="position").value == 1.0


def test_an_item_that_nobody_annotated_is_left_out_and_listed():
    score = error_rate([{"a": 1}, {}], [{"a": 2}, {}])
    assert (score.value, score.n, score.excluded) == (1.0, 1, (1,))
    assert score.to_dict() == {"value": 1.0, "reason": "", "n": 1, "items": [1.0, None], "excluded": [1]}
    assert error_rate([{}], [{}]).value.reason == NO_ANNOTATION


def test_lists_of_labels_are_answers_too():
    truth = [{"a": ["entailment", "neutral"], "b": ["neutral"]}]
    assert float(error_rate(truth, [{"a": ["entailment", "neutral"], "b": ["entailment"]}])) == 0.5


def test_what_does_not_fit_together_is_refused_with_the_item():
    good = [{"a": 1}]
    with pytest.raises(AnnotationError, match=r"1 items .*2 predicted"):
        error_rate(good, good * 2)
    with pytest.raises(AnnotationError, match=r"item 0: .*\['a'\]"):
        error_rate(good, [{"b": 1}])
    with pytest.raises(AnnotationError, match=r"item 0: .*lists"):
        error_rate(good, [[1]])
    with pytest.raises(AnnotationError, match="item 0: 1 annotations, 2 predicted"):
        error_rate(good, [[1, 2]], align="position")
    with pytest.raises(AnnotationError, match=r"item 0: .*numbers"):
        normalised_absolute_distance([{"a": "often"}], good, S=5)
    with pytest.raises(AnnotationError, match=r"item 0: .*NaN"):
        normalised_absolute_distance([{"a": float("nan")}], good, S=5)
    with pytest.raises(AnnotationError, match="S is 0"):
        normalised_absolute_distance(good, good, S=0)
    with pytest.raises(AnnotationError, match="0/1 vectors"):
        multilabel_error_rate([{"a": [0, 2]}], [{"a": [0, 1]}])
    for answer in (1, [[0, 1]]):
        with pytest.raises(AnnotationError, match="0/1 vectors"):
            multilabel_error_rate([{"a": answer}], [{"a": answer}])
    with pytest.raises(AnnotationError, match="align is 'guess'"):
        error_rate(good, good, align="guess")
    with pytest.raises(TypeError):
        error_rate({"ab": 1}, ["ab"], align="position")  # its keys would pass for items
    with pytest.raises(TypeError):
        error_rate(["ab"], {"ab": 1}, align="position")
    with pytest.raises(AnnotationError, match="the training items hold no annotation"):
        predict_most_frequent([], good)


def test_the_most_frequent_of_equals_is_the_smallest_whatever_the_order():
    assert most_frequent_labels([{"a": 2}, {"a": -1}]) == most_frequent_labels([{"a": -1}, {"a": 2}]) == {"a": -1}


def test_random_baselines_follow_their_seed():
    one, other = (random_soft_labels(5, 3, "multilabel", seed=seed) for seed in (1, 2))
    assert np.array_equal(one, random_soft_labels(5, 3, "multilabel", seed=1))
    assert not np.array_equal(one, other)
    items = [["a", "b"]] * 20
    assert predict_random([1, 2, 3], items, seed=1) == predict_random([1, 2, 3], items, seed=1)


def test_the_multilabel_manhattan_distance_is_that_of_two_sided_labels():
    P, Q = np.array([[0.2, 1.0]]), np.array([[0.5, 0.5]])
    expected = np.mean([np.abs([1 - p - (1 - q), p - q]).sum() for p, q in zip(P[0], Q[0], strict=True)])
    assert metrics.manhattan_distance(P, Q, "multilabel") == pytest.approx(expected)


def test_the_wasserstein_distance_knows_a_scale_and_needs_one():
    assert metrics.wasserstein_distance([[1, 0, 0]], [[0, 0, 1]]) == 2.0
    with pytest.raises(metrics.WrongTaskError, match=r"wasserstein_distance .*multiclass task"):
        metrics.wasserstein_distance([[1, 0, 0]], [[0, 0, 1]], "multiclass")


def test_every_metric_of_annotations_says_what_it_is():
    assert {entry.name for entry in annotation_metrics()} == {
        "error_rate",
        "multilabel_error_rate",
        "normalised_absolute_distance",
    }
    for entry in annotation_metrics():
        assert "Formula:" in entry.description
        assert entry.source
        assert entry.orientation == "lower"


VARIERR = ("contradiction", "entailment", "neutral")


def as_indicators(answer):
    said = {label.strip() for label in answer.split(",")}
    return [int(label in said) for label in VARIERR]


@pytest.mark.shared_data
def test_the_most_frequent_set_of_labels_has_the_mode_of_each_label(shared_data):
    """Of Ann4's 373 sets, "neutral" is the most frequent one, but most of them do not contain it (156)."""
    train, dev = (
        [
            {who: as_indicators(said) for who, said in item["annotations"].items()}
            for item in json.loads((shared_data / "lewidi2025" / f"VariErrNLI_{split}.json").read_text()).values()
        ]
        for split in ("train", "dev")
    )
    assert most_frequent_labels(train)["Ann4"] == (0, 0, 0)
    assert most_frequent_labels(train, sets="sets")["Ann4"] == (0, 0, 1)
    for sets, expected in (("labels", 0.315), ("sets", 0.31222222222222223)):
        score = multilabel_error_rate(dev, predict_most_frequent(train, dev, sets=sets))
        by_hand = np.mean(
            [
                np.mean(
                    [
                        np.mean(
                            [a != b for a, b in zip(said, most_frequent_labels(train, sets=sets)[who], strict=True)]
                        )
                        for who, said in item.items()
                    ]
                )
                for item in dev
            ]
        )
        assert score.value == pytest.approx(expected, abs=1e-12)
        assert by_hand == pytest.approx(expected, abs=1e-12)
