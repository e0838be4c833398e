"""A search draws, scores and chooses as published, and never looks at the texts to be predicted."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from annotations.ground.progress import Progress, silent
from metaeval.metrics import accuracy, entropy_correlation, micro_f1, po_jsd, soft_accuracy, soft_micro_f1
from metaeval.training.errors import NothingToLearn, TrainingDiverged
from metaeval.training.lessons import NOT_KEPT, Checkpoints, FitSettings, Fitted, Lesson
from metaeval.training.searching import SearchSpace, Trial, chosen, drawn, scored, search
from tests.metaeval.training.taught import Kept, lesson

SPACE = SearchSpace(draws=4)
SETTINGS = FitSettings(learning_rate=1e-4)


class Pretended:
    """Predictions that are better the closer the learning rate is to 1e-5, so that the best draw is known beforehand.
    Real fits are searched in tests/metaeval/training_jobs/test_training.py.
    """

    def __init__(self, *, stop_at: int | None = None, diverge_above: float = 1.0) -> None:
        self.fitted: list[Lesson] = []
        self.went_on: list[bool] = []
        self._stop_at = stop_at
        self._diverge_above = diverge_above

    def fit(self, lesson: Lesson, *, checkpoints: Checkpoints = NOT_KEPT, progress: Progress = silent) -> Fitted:
        self.went_on.append(checkpoints.latest() is not None)
        progress(0, 10, "Epoch 1 of 1")
        rate = lesson.settings.learning_rate
        checkpoints.keep(repr(rate).encode())
        if len(self.fitted) == self._stop_at:
            raise InterruptedError
        if rate > self._diverge_above:
            raise TrainingDiverged("no number")
        self.fitted.append(lesson)
        P = lesson.dev_judgements.shares
        away = abs(math.log10(rate) + 5) / 3
        Q = (1 - away) * P + away * (1 - P)
        return Fitted(
            logits=np.zeros((0, 1, 2)),
            dev_logits=np.log(np.maximum(Q, 1e-9))[:, None],
            heads=("",),
            epochs=(),
            learning_rate=rate,
            parameters=1,
            trained=1,
            cut=0,
            peak_bytes=1,
        )


def test_settings_are_drawn_as_published() -> None:
    made = drawn(lesson("ReL", size=600), SearchSpace(draws=2000))
    exponents = np.log10([one.learning_rate for one in made])
    assert stats.kstest(exponents, stats.uniform(-7, 4).cdf).pvalue > 0.01
    counts = Counter(one.batch_size for one in made)
    assert sorted(counts) == [1 << exponent for exponent in range(2, 12)]
    assert stats.chisquare(list(counts.values())).pvalue > 0.01
    assert {one.epochs for one in made} == {lesson().settings.epochs}


def test_a_longer_search_begins_with_the_draws_of_a_shorter_one() -> None:
    assert drawn(lesson(), SearchSpace(draws=9))[:4] == drawn(lesson(), SPACE)
    assert drawn(lesson(seed=1), SPACE) != drawn(lesson(), SPACE)


@pytest.mark.parametrize(
    ("method", "per_epoch", "largest"), [("SL", None, 32), ("ReL", None, 128), ("ReL", 40, 64), ("ReL", 64, 64)]
)
def test_no_batch_is_larger_than_an_epoch_rounded_up_to_a_power_of_two(method, per_epoch, largest) -> None:
    taught = lesson(method, settings=FitSettings(per_epoch=per_epoch))  # 24 texts, 96 annotations
    assert max(one.batch_size for one in drawn(taught, SearchSpace(draws=100))) == largest


def test_the_texts_to_be_predicted_are_in_no_trial() -> None:
    trainer = Pretended()
    found = search(lesson(), trainer=trainer, space=SPACE)
    assert len(trainer.fitted) == len(found.trials) == 4
    assert all(one.unseen == () for one in trainer.fitted)


def test_the_best_trial_is_chosen_with_its_settings() -> None:
    found = search(lesson(), trainer=Pretended(), space=SPACE)
    away = [abs(math.log10(trial.learning_rate) + 5) for trial in found.trials]
    assert found.best == int(np.argmin(away))
    assert found.settings == drawn(lesson(), SPACE)[found.best]
    assert found.trials[found.best].mean == max(trial.mean for trial in found.trials)


@pytest.mark.parametrize(
    ("task", "hard", "soft"), [("multiclass", accuracy, soft_accuracy), ("multilabel", micro_f1, soft_micro_f1)]
)
def test_a_trial_is_scored_by_the_geometric_mean_of_four(task, hard, soft) -> None:
    judgements = replace(lesson(size=30).judgements, task=task)
    P = judgements.shares
    Q = np.random.default_rng(0).dirichlet((1, 1), 30)
    trial = scored(SETTINGS, judgements, Q)
    r = entropy_correlation(P, Q, task=task)
    factors = [hard(P, Q, task=task), po_jsd(P, Q, task=task), (1 + r) / 2, soft(P, Q, task=task)]
    assert trial.mean == pytest.approx(stats.gmean(factors), abs=1e-12)
    assert list(trial.scores.values())[2] == pytest.approx(r)
    assert not trial.collapsed


def test_instances_that_nobody_judged_are_not_scored() -> None:
    whole = lesson(size=30).judgements
    Q = np.random.default_rng(0).dirichlet((1, 1), 30)
    first = whole.instance < 15
    half = replace(
        whole,
        instance=whole.instance[first],
        person=whole.person[first],
        chosen=whole.chosen[first],
        count=whole.count[first],
    )
    assert scored(SETTINGS, half, Q) == scored(SETTINGS, whole.of(range(15)), Q[:15])


def test_a_collapse_does_not_win_over_a_worse_trial_that_has_not_collapsed() -> None:
    judgements = lesson(size=30).judgements
    collapsed = scored(SETTINGS, judgements, np.tile([0.6, 0.4], (30, 1)))
    assert collapsed.collapsed
    assert collapsed.scores["entropy_correlation"] is None
    worse = Trial(1e-4, 32, dict.fromkeys(collapsed.scores, 0.1), mean=collapsed.mean / 2)
    assert chosen([collapsed, worse]) == 1
    assert chosen([collapsed, collapsed]) == 0


def test_where_people_always_agree_the_correlation_says_nothing_about_any_trial() -> None:
    judgements = replace(lesson(size=4).judgements, chosen=np.eye(2)[np.repeat([0, 1, 0, 1], 4)])
    trial = scored(SETTINGS, judgements, np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]]))
    assert trial.scores["entropy_correlation"] is None
    assert not trial.collapsed
    assert trial.mean > 0


def test_of_equal_trials_the_first_is_chosen() -> None:
    trial = Trial(1e-4, 32, {"accuracy": 0.5}, mean=0.5)
    assert chosen([replace(trial, mean=0.4), trial, trial]) == 1


def test_a_trial_that_diverged_is_told_and_never_chosen() -> None:
    trainer = Pretended(diverge_above=1e-5)
    found = search(lesson(), trainer=trainer, space=SearchSpace(draws=8))
    diverged = [trial.learning_rate > 1e-5 for trial in found.trials]
    assert [trial.scores is None for trial in found.trials] == diverged
    assert any(diverged)
    assert not diverged[found.best]
    with pytest.raises(NothingToLearn, match="Search among lower learning rates"):
        search(lesson(), trainer=Pretended(diverge_above=0.0), space=SPACE)


def test_a_search_that_was_interrupted_runs_no_finished_trial_again() -> None:
    kept = Kept()
    with pytest.raises(InterruptedError):
        search(lesson(), trainer=Pretended(stop_at=2), space=SPACE, checkpoints=kept)
    second = Pretended()
    found = search(lesson(), trainer=second, space=SPACE, checkpoints=kept)
    assert len(second.fitted) == 2
    assert second.went_on == [True, False]
    assert found == search(lesson(), trainer=Pretended(), space=SPACE)
    third = Pretended()
    longer = search(lesson(), trainer=third, space=SearchSpace(draws=5), checkpoints=kept)
    assert len(third.fitted) == 1
    assert longer.trials[:4] == found.trials


@pytest.mark.parametrize("state", [b"", b"broken", b"\x05\0\0\0\0\0\0\0nope!"])
def test_the_trials_of_another_search_or_a_broken_state_are_not_used(state: bytes) -> None:
    kept = Kept()
    search(lesson(seed=1), trainer=Pretended(), space=SPACE, checkpoints=kept)
    if state:
        kept.keep(state)
    trainer = Pretended()
    search(lesson(), trainer=trainer, space=SPACE, checkpoints=kept)
    assert len(trainer.fitted) == 4


def test_a_search_needs_a_development_set() -> None:
    with pytest.raises(NothingToLearn, match="needs a development set"):
        search(lesson(dev_texts=(), dev_judgements=None), trainer=Pretended(), space=SPACE)


def test_progress_counts_all_trials() -> None:
    seen = []
    search(
        lesson(),
        trainer=Pretended(),
        space=SPACE,
        progress=lambda done, total, message="": seen.append((done, total, message)),
    )
    assert seen[1] == (1000, 4000, "Trial 2 of 4: Epoch 1 of 1")
