"""The lessons of a training: which texts one fit learns from, and which it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotations.ground.arrays import Codes
from metaeval.training.corpus import Corpus
from metaeval.training.lessons import EncoderChoice, FitSettings, Lesson, Text
from metaeval.training.splits import Split
from metaeval.training_jobs.encoders import choice_of
from metaeval.training_jobs.models import StoredSplit, Training
from metaeval.training_jobs.parameters import TrainingParameters
from metaeval.training_jobs.reading import corpus_of
from metaeval.training_jobs.splitting import recalled

FITTING, SEARCHING = 0, 1


@dataclass(frozen=True)
class Course:
    """A training with all that its lessons are made from, read once for each job."""

    training: Training
    parameters: TrainingParameters
    corpus: Corpus
    split: Split
    encoder: EncoderChoice

    def lesson(self, method: str, *, fold: int, run: int, settings: FitSettings | None = None) -> Lesson:
        """The fit whose predictions become a system's. It learns from the development part too if the split says so."""
        learnt = self._still(self.split.final(fold))
        return self._lesson(method, fold, learnt, self.fit_seed(run, fold), settings, predicts=True)

    def trial(self, method: str, *, fold: int) -> Lesson:
        """A fit of a search: it learns from the training part, and never sees a text of the test part."""
        learnt = self._still(self.split[fold].train)
        return self._lesson(method, fold, learnt, self.search_seed(fold), None, predicts=False)

    def fit_seed(self, run: int, fold: int) -> int:
        """Runs differ in their seeds, methods do not: in one run and fold they all begin with the same weights."""
        return self._seed(FITTING, run, fold)

    def predicted(self, fold: int) -> Codes:
        """The places of the texts that a fit of this fold predicts."""
        return self._still(self.split[fold].test)

    def search_seed(self, fold: int) -> int:
        """The same for all methods, which are thus compared with the same draws."""
        return self._seed(SEARCHING, 0, fold)

    def _lesson(
        self, method: str, fold: int, learnt: Codes, seed: int, settings: FitSettings | None, *, predicts: bool
    ) -> Lesson:
        dev = self._still(np.setdiff1d(self.split[fold].dev, learnt))
        return Lesson(
            method=method,
            texts=self._texts(learnt),
            judgements=self.corpus.judgements.of(learnt),
            unseen=self._texts(self.predicted(fold)) if predicts else (),
            dev_texts=self._texts(dev),
            dev_judgements=self.corpus.judgements.of(dev) if len(dev) else None,
            encoder=self.encoder,
            settings=self._drawn(settings or self.parameters.settings, len(learnt)),
            seed=seed,
        )

    def _still(self, instances: Codes) -> Codes:
        """Without texts that were withdrawn or erased since the split was made."""
        return instances[self.corpus.usable[instances]]

    def _texts(self, instances: Codes) -> Sequence[Text]:
        return tuple(self.corpus.texts[instance] for instance in instances)

    def _drawn(self, settings: FitSettings, texts: int) -> FitSettings:
        per_text = self.parameters.annotations_per_text
        return settings if per_text is None else replace(settings, per_epoch=per_text * texts)

    def _seed(self, purpose: int, run: int, fold: int) -> int:
        sequence = np.random.SeedSequence(self.training.seed, spawn_key=(purpose, run, fold))
        return int(sequence.generate_state(1, np.uint32)[0])


def course_of(training: Training) -> Course:
    """Read a training's dataset and split."""
    parameters = TrainingParameters.model_validate(training.parameters)
    corpus = corpus_of(training.dataset)
    return Course(
        training=training,
        parameters=parameters,
        corpus=corpus,
        split=recalled(StoredSplit.objects.defer(None).get(pk=training.split_id), corpus.ids),
        encoder=choice_of(parameters),
    )
