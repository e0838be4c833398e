"""What a page needs to offer a training: the methods that apply, the encoders, the parameters and their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotations.models import Dataset
from metaeval.analyses.base.parameters import TITLES, values_of
from metaeval.training.applying import why_not
from metaeval.training.registry import methods
from metaeval.training.splits import gives_split
from metaeval.training_jobs.courses import corpus_of
from metaeval.training_jobs.parameters import TrainingParameters, called, offered
from metaeval.training_jobs.progress import worker_alive


@dataclass(frozen=True)
class OfferedMethod:
    """A method, and why it does not apply to the dataset (empty: it does)."""

    name: str
    title: str
    learns: str
    source: str
    reason: str


@dataclass(frozen=True)
class OfferedEncoder:
    """An encoder, and what its systems are called."""

    name: str
    title: str


@dataclass(frozen=True)
class TrainingForm:
    """What can be asked for on a dataset."""

    methods: list[OfferedMethod]
    encoders: list[OfferedEncoder]
    parameters: dict[str, Any]
    texts: int
    annotators: int
    has_given_split: bool
    worker_alive: bool


def form_for(dataset: Dataset) -> TrainingForm:
    """Reads the dataset's annotations once."""
    corpus = corpus_of(dataset)
    return TrainingForm(
        methods=[
            OfferedMethod(one.name, one.title, one.learns, one.source, why_not(one, corpus.judgements))
            for one in methods
        ],
        encoders=[OfferedEncoder(name, called(name)) for name in offered()],
        parameters=_schema(),
        texts=int(corpus.usable.sum()),
        annotators=len(corpus.judgements.people),
        has_given_split=gives_split(corpus),
        worker_alive=worker_alive(),
    )


def _schema() -> dict[str, Any]:
    """The parameters as a JSON Schema, with what is offered here as choices."""
    schema = TrainingParameters.model_json_schema()
    values_of(schema["properties"]["methods"])["enum"] = methods.names()
    encoder = values_of(schema["properties"]["encoder"])
    encoder["enum"] = offered()
    encoder[TITLES] = [called(name) for name in offered()]
    return schema
