"""What each method learns from, where the examples worked out elsewhere do not say."""

import time

import numpy as np
import pytest

from metaeval.training.applying import DoesNotApply
from metaeval.training.judgements import HumanJudgements, TrainedTask
from metaeval.training.methods.ranking import annotator_scores, example_weights
from metaeval.training.registry import methods
from metaeval.training.targets import Targets
from tests.metaeval.training.methods.given import judgements

NAMES = methods.names()


def rows_of(targets: Targets) -> list[tuple[int, int, list[float]]]:
    """Instance, head and value of each row."""
    return [
        (int(targets.instance[example]), int(head), value)
        for example, head, value in zip(targets.example, targets.head, targets.value.tolist(), strict=True)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_part_of_the_targets_has_its_shape_and_type(name: str) -> None:
    targets = methods.get(name).targets(judgements("1A 2A 3B", "1B 2B", "3A 4B 4A"))
    examples, rows = len(targets), len(targets.value)
    assert {field: (getattr(targets, field).shape, getattr(targets, field).dtype) for field in vars(targets)
            if field != "heads"} == {
        "instance": ((examples,), np.int64),
        "example": ((rows,), np.int64),
        "value": ((rows, 2), np.float64),
        "head": ((rows,), np.int64),
        "weight": ((examples,), np.float64),
        "times": ((examples,), np.int64),
    }  # fmt: skip
    assert np.diff(targets.example).min() >= 0
    assert set(targets.example) == set(range(examples))
    assert set(targets.head) == set(range(len(targets.heads)))


@pytest.mark.parametrize("name", NAMES)
def test_a_text_without_annotations_is_left_out(name: str) -> None:
    targets = methods.get(name).targets(judgements("1A 2B", "", "1B 2B"))
    assert set(targets.instance) == {0, 2}
    assert np.isfinite(targets.value).all()
    assert np.isfinite(targets.weight).all()


def test_repeated_labelling_reads_a_text_as_often_as_it_was_annotated() -> None:
    given = judgements("1A 2A 3B", "1B")
    targets = methods.get("ReL").targets(given)
    assert rows_of(targets) == [(0, 0, [1, 0]), (0, 0, [1, 0]), (0, 0, [0, 1]), (1, 0, [0, 1])]
    counted = HumanJudgements("multiclass", given.labels, 1, given.instance[:2], given.person[:2], given.chosen[1:3],
                         np.array([91, 9]))  # fmt: skip
    targets = methods.get("ReL").targets(counted)
    assert (len(targets), targets.times.tolist(), targets.per_epoch) == (2, [91, 9], 100)


def test_soft_labels_and_majority_are_two_rows_for_two_heads() -> None:
    targets = methods.get("SLMV").targets(judgements("1A 2A 3B 4A", "1B"))
    assert rows_of(targets) == [(0, 0, [0.75, 0.25]), (0, 1, [1, 0]), (1, 0, [0, 1]), (1, 1, [0, 1])]
    assert len(targets) == 2


def test_only_the_first_of_the_two_heads_predicts() -> None:
    logits = np.log([[[0.2, 0.8], [0.9, 0.1]]])
    np.testing.assert_allclose(methods.get("SLMV").predict(logits, "multiclass"), [[0.2, 0.8]])


@pytest.mark.parametrize("name", ["AE", "AEh"])
def test_an_ensemble_has_a_head_for_each_person_who_annotated_what_is_learnt_from(name: str) -> None:
    given = judgements("1A 4B", "2B", "4A 1A").of([2, 0])
    assert given.people == ("1", "2", "4")
    targets = methods.get(name).targets(given)
    assert targets.heads == ("1", "4")
    assert rows_of(targets) == [(0, 1, [1, 0]), (0, 0, [1, 0]), (1, 0, [1, 0]), (1, 1, [0, 1])]


@pytest.mark.parametrize("name", ["LA-min", "LA-max"])
def test_aggregation_has_a_row_for_each_different_annotation(name: str) -> None:
    targets = methods.get(name).targets(judgements("1A 2B 3A", "1B 2B"))
    assert sorted(rows_of(targets)) == [(0, 0, [0, 1]), (0, 0, [1, 0]), (1, 0, [0, 1])]
    several = judgements("1AC 2 3AC 4ABC", "1C", labels="ABC", task="multilabel")
    assert sorted(rows_of(methods.get(name).targets(several))) == [
        (0, 0, [0, 0, 0]),
        (0, 0, [1, 0, 1]),
        (0, 0, [1, 1, 1]),
        (1, 0, [0, 0, 1]),
    ]


def test_aggregation_tells_sets_of_many_labels_apart() -> None:
    """The ninth label of nine and the last of 33 too."""
    for labels in (9, 33):
        chosen = np.eye(labels)
        given = HumanJudgements("multilabel", tuple(map(str, range(labels))), 1, np.zeros(labels, dtype=np.int64),
                           np.full(labels, -1), chosen, np.ones(labels, dtype=np.int64))  # fmt: skip
        found = methods.get("LA-min").targets(given).value
        assert sorted(found.argmax(axis=1).tolist()) == list(range(labels))


def test_somebody_listed_twice_gave_two_annotations() -> None:
    given = judgements("1A 1A 2B", "1B 2B 3A")
    assert given.shares[0].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert methods.get("ReL").targets(given).per_epoch == 6
    assert rows_of(methods.get("AE").targets(given))[:3] == [(0, 0, [1, 0]), (0, 0, [1, 0]), (0, 1, [0, 1])]
    hard = annotator_scores(given, hard=True)
    assert hard[:, 0].tolist() == [1, 1 / 2, 0]
    assert example_weights(given, hard).tolist() == [2.5, 1.5]


@pytest.mark.parametrize("hard", [False, True])
def test_people_who_never_agree_or_gave_nothing_score_0(hard: bool) -> None:
    given = judgements("1A 2A 3B", "1A 2A", "4B").of([0, 1])
    assert annotator_scores(given, hard=hard)[:, 0].tolist()[2:] == [0, 0]


@pytest.mark.parametrize("name", ["AR", "ARh", "AE", "AEh"])
def test_targets_that_need_people_are_refused_without_them(name: str) -> None:
    with pytest.raises(DoesNotApply, match=rf"\b{name} "):
        methods.get(name).targets(judgements("1A 2B", known=False))


def test_ambiguous_labelling_of_several_labels_is_refused() -> None:
    with pytest.raises(DoesNotApply, match=r"\bAL "):
        methods.get("AL").targets(judgements("1A 2B", task="multilabel"))


def test_votes_that_tie_take_the_first_label_and_half_is_no_majority() -> None:
    tied = np.zeros((1, 2, 3))
    assert methods.get("AEh").predict(tied, "multiclass").tolist() == [[1, 0, 0]]
    assert methods.get("AEh").predict(tied, "multilabel").tolist() == [[0, 0, 0]]


def test_votes_do_not_tie_where_only_their_probabilities_do() -> None:
    """softmax gives 1 for both in floating point, for different labels; and a logistic function of 1e-17 is 1/2."""
    assert methods.get("AEh").predict(np.array([[[1e-17, 0.0]]]), "multilabel").tolist() == [[1, 0]]
    assert methods.get("AEh").predict(np.array([[[0.0, 1e-17]]]), "multiclass").tolist() == [[0, 1]]


@pytest.mark.parametrize(("name", "task"), [(entry.name, task) for entry in methods for task in sorted(entry.tasks)])
def test_151_400_annotations_take_less_than_a_second(name: str, task: TrainedTask) -> None:
    """As many as ChaosNLI has, 100 for each of 1,514 texts. Seconds of the processor, whoever else computes."""
    rng, rows, labels = np.random.default_rng(7), 151_400, 33 if task == "multilabel" else 3
    several = (rng.random((rows, labels)) < 0.1).astype(float)
    given = HumanJudgements(
        task=task,
        labels=tuple(map(str, range(labels))),
        size=1514,
        instance=np.repeat(np.arange(1514), 100),
        person=rng.integers(500, size=rows),
        chosen=several if task == "multilabel" else np.eye(labels)[rng.integers(labels, size=rows)],
        count=np.ones(rows, dtype=np.int64),
        people=tuple(map(str, range(500))),
    )
    start = time.process_time()
    methods.get(name).targets(given)
    assert time.process_time() - start < 1
