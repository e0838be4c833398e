"""What a whole training will take, from fits that were measured on the machine that will do it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metaeval.training.lessons import Trainer
from metaeval.training.registry import methods
from metaeval.training_jobs.teaching import Course


@dataclass(frozen=True)
class Estimate:
    """Of a training. Times add up all its fits, as if one followed the other."""

    seconds: float
    fits: int
    peak_bytes: int
    free_bytes: int
    parameters: int
    trained: int
    cut: int
    texts: int
    device: str

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def estimate(course: Course, trainer: Trainer) -> Estimate:
    """Measure the method with the fewest heads and the one with the most, which need the least and the most memory; the
    others read the same texts, only more or fewer of them.

    Raises what the trainer raises if it cannot begin, such as a lack of memory.
    """
    names = course.training.methods
    lessons = {name: course.lesson(name, fold=0, run=1) for name in names}
    targets = {name: methods.get(name).targets(lesson.judgements) for name, lesson in lessons.items()}
    heads = {name: len(found.heads) for name, found in targets.items()}
    ends = dict.fromkeys(choose(names, key=heads.__getitem__) for choose in (min, max))
    measured = {name: trainer.forecast(lessons[name]) for name in ends}

    def seconds(name: str) -> float:
        like = min(measured, key=lambda one: abs(heads[one] - heads[name]))
        return measured[like].seconds * read(name) / read(like)

    def read(name: str) -> int:
        whole, most = targets[name].per_epoch, lessons[name].settings.per_epoch
        return whole if most is None else min(whole, most)

    fits = len(course.split) * (course.parameters.runs + course.parameters.search)
    largest = max(measured.values(), key=lambda forecast: forecast.peak_bytes)
    return Estimate(
        seconds=fits * sum(map(seconds, names)),
        fits=fits * len(names),
        peak_bytes=largest.peak_bytes,
        free_bytes=largest.free_bytes,
        parameters=largest.parameters,
        trained=largest.trained,
        cut=max(forecast.cut for forecast in measured.values()),
        texts=len(course.corpus.texts),
        device=largest.device,
    )
