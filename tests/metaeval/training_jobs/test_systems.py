"""What comes out of a training: one system of joined test parts, and what each annotator's head says."""

import numpy as np
import pytest

from annotations.importing.writing.predictions import write_predictions
from annotations.models import Event, HumanAnnotation, PredictedAnnotations, System
from metaeval.training.registry import activated, votes
from metaeval.training.splits import k_folds
from metaeval.training_jobs.courses import corpus_of
from metaeval.training_jobs.systems import Diverged, PredictedFold, logits_of, trained_table
from tests.metaeval.datasets import annotated_dataset

pytestmark = pytest.mark.django_db


def predicted(split, heads=("",), *, labels=3, seed=0):
    rng = np.random.default_rng(seed)
    return [PredictedFold(fold.test, rng.normal(size=(len(fold.test), len(heads), labels)), heads) for fold in split]


def stored(dataset, folds, *, method="SL", **changes):
    named = {"model": "tiny", "run": "1", "provenance": {"by": "us"}, "method": method} | changes
    return write_predictions(dataset=dataset, table=trained_table(corpus_of(dataset), folds=folds, **named))


def test_the_test_parts_of_all_folds_become_one_system_that_says_where_it_comes_from():
    dataset = annotated_dataset(systems=0)
    folds = predicted(k_folds(corpus_of(dataset), 4))
    assert stored(dataset, folds).added == ("tiny / SL / 1",)
    system = System.objects.get()
    for fold in folds:
        np.testing.assert_array_equal(system.predictions[fold.instances], activated(fold.logits[:, 0], "multiclass"))
    assert system.options == {"training": {"by": "us", "method": "SL"}}
    assert not PredictedAnnotations.objects.exists()
    assert stored(dataset, folds).changed is False
    assert Event.objects.filter(kind="imported", data__what="predictions").count() == 1


def test_instances_that_no_fold_tests_have_no_prediction():
    dataset = annotated_dataset(systems=0)
    folds = predicted(k_folds(corpus_of(dataset), 4))[:1]
    stored(dataset, folds)
    known = np.zeros(20, dtype=bool)
    known[folds[0].instances] = True
    system = System.objects.get()
    assert np.isnan(system.predictions[~known]).all()
    assert system.missing == 20 - known.sum()


@pytest.mark.parametrize("task", ["multiclass", "multilabel"])
def test_each_annotators_head_predicts_what_they_say_of_the_texts_they_judged(task):
    dataset = annotated_dataset(task=task, systems=0)
    corpus = corpus_of(dataset)
    heads = ("p3", "p0", "p1", "p2")  # nobody learnt of p4
    folds = predicted(k_folds(corpus, 4), heads)[:3]
    stored(dataset, folds, method="AE")
    answers = PredictedAnnotations.objects.get()
    rows = HumanAnnotation.objects.order_by("instance__position", "position")
    for row, (instance, code) in zip(answers.answers, rows.values_list("instance__position", "annotator"), strict=True):
        at = [(fold, fold.instances.tolist().index(instance)) for fold in folds if instance in fold.instances]
        if not at or code == "p4":
            assert np.isnan(row).all()
            continue
        [(fold, place)] = at
        logits = fold.logits[place, heads.index(code)]
        assert row.tolist() == (
            (logits > 0).astype(float).tolist() if task == "multilabel" else np.eye(3)[logits.argmax()].tolist()
        )
    assert answers.options == {
        "training": {"by": "us", "method": "AE"},
        "missing": int(np.isnan(answers.answers).all(axis=1).sum()),
    }
    for fold in folds:
        expected = activated(fold.logits, task).mean(axis=1)
        np.testing.assert_allclose(System.objects.get().predictions[fold.instances], expected, rtol=1e-15)


def test_heads_that_are_no_annotators_predict_no_single_annotations():
    dataset = annotated_dataset(systems=0)
    folds = predicted(k_folds(corpus_of(dataset), 4), ("soft labels", "majority vote"))
    table = trained_table(corpus_of(dataset), model="m", method="SLMV", run="", folds=folds, provenance={})
    assert table.answers == ()
    np.testing.assert_array_equal(
        table.systems[0].Q[folds[0].instances], activated(folds[0].logits[:, 0], "multiclass")
    )


def test_a_training_that_diverged_is_no_system_that_lacks_predictions():
    dataset = annotated_dataset(systems=0)
    folds = predicted(k_folds(corpus_of(dataset), 4))
    folds[2].logits[:] = np.nan
    with pytest.raises(Diverged, match=r"\btiny / SL / 1 .*fold 3\b"):
        stored(dataset, folds)
    assert not System.objects.exists()


def test_no_instance_is_predicted_twice():
    dataset = annotated_dataset(systems=0)
    folds = predicted(k_folds(corpus_of(dataset), 4))
    with pytest.raises(ValueError, match="tested twice"):
        stored(dataset, [*folds, folds[0]])


@pytest.mark.parametrize("task", ["multiclass", "multilabel"])
def test_probabilities_come_back_from_their_logits(task):
    q = np.array([[0.25, 0.75], [0.0, 1.0], [0.5, 0.5]])
    np.testing.assert_allclose(activated(logits_of(q, task), task), q, rtol=1e-15)
    assert votes(logits_of(q, task), task).tolist() == [
        [0, 1],
        [0, 1],
        [0, 0] if task == "multilabel" else [1, 0],
    ]
