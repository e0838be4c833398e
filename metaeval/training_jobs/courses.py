"""A training's texts, annotations and split as lessons: which texts one fit learns from, and which it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from annotations.ground.arrays import Codes
from annotations.models import Dataset, Instance, Label, Task
from annotations.models.datasets import matrix_or_error
from metaeval.analyses.inputs.gathering import annotation_rows
from metaeval.training.corpus import Corpus
from metaeval.training.judgements import UNKNOWN, HumanJudgements
from metaeval.training.lessons import EncoderChoice, FitSettings, Lesson, Text
from metaeval.training.splits import Split, SplitKind, split_of
from metaeval.training_jobs.models import StoredSplit, Training
from metaeval.training_jobs.parameters import TrainingParameters, choice_of

GIVEN = ("train", "dev", "test")
"""Before texts kept the part that their file names, ids such as `train/12` said it (LeWiDi)."""


def corpus_of(dataset: Dataset) -> Corpus:
    """The texts and annotations of a dataset, in three queries. The points of a scale become labels."""
    instances = list(
        Instance.objects.filter(dataset=dataset)
        .order_by("position")
        .values_list("external_id", "segments", "split", "withdrawn_at", "erased_at")
    )
    ids = tuple(name for name, *_ in instances)
    return Corpus(
        ids=ids,
        texts=[tuple(segment["text"] for segment in segments) for _, segments, *_ in instances],
        judgements=judgements_of(dataset, size=len(instances)),
        withdrawn=np.array([bool(withdrawn or erased) for *_, withdrawn, erased in instances], dtype=bool),
        given=_given(ids, [split for _, _, split, *_ in instances]),
    )


def judgements_of(dataset: Dataset, *, size: int) -> HumanJudgements:
    """The annotations of a dataset with that many instances, in two queries."""
    labels = tuple(Label.objects.filter(dataset=dataset).order_by("position").values_list("name", flat=True))
    rows = list(annotation_rows(dataset))
    people: dict[str, int] = {}
    chosen = np.zeros((len(rows), len(labels)))
    for row, (_, _, labels_given, _) in enumerate(rows):
        chosen[row, list(labels_given)] = 1.0
    return HumanJudgements(
        task="multilabel" if dataset.task == Task.MULTILABEL else "multiclass",
        labels=labels,
        size=size,
        instance=np.array([position for position, *_ in rows], dtype=np.int64),
        person=np.array(
            [people.setdefault(code, len(people)) if code else UNKNOWN for _, code, *_ in rows], dtype=np.int64
        ),
        chosen=chosen,
        count=np.array([count for *_, count in rows], dtype=np.int64),
        people=tuple(people),
    )


def _given(ids: tuple[str, ...], splits: list[Any]) -> tuple[str, ...]:
    """The part of each text, as its file says; blank everywhere if no file says anything."""
    if any(splits):
        return tuple(splits)
    named = tuple(name.partition("/")[0] if "/" in name else "" for name in ids)
    return named if all(part in GIVEN for part in named) else ("",) * len(ids)


def split_for(corpus: Corpus, parameters: TrainingParameters, *, seed: int) -> Split:
    """The split that the parameters ask for. Raises `CannotSplit`."""
    kind = None if parameters.split == "auto" else parameters.split
    return split_of(corpus, kind, folds=parameters.folds, seed=seed, stratify=parameters.stratify)


def stored(split: Split, *, dataset: Dataset) -> StoredSplit:
    """The row of a split, which is made if no training has used it before. To be called in a transaction."""
    row, _ = StoredSplit.objects.get_or_create(
        dataset=dataset,
        kind=split.kind,
        fingerprint=split.fingerprint,
        defaults={
            "folds": len(split),
            "seed": split.seed,
            "is_stratified": split.is_stratified,
            "twins": split.twins,
            "parts": split.parts.astype(np.float64),
        },
    )
    return row


def recalled(row: StoredSplit, ids: tuple[str, ...]) -> Split:
    """The split that a row holds; `ids` are those of the dataset's instances, by position."""
    return Split(
        kind=cast(SplitKind, row.kind),
        ids=ids,
        parts=matrix_or_error(row.parts).astype(np.int8),
        seed=row.seed,
        is_stratified=row.is_stratified,
        twins=row.twins,
    )


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
