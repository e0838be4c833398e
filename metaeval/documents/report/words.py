"""Sentences about a study that several parts of its report need."""

from __future__ import annotations

from datetime import UTC, datetime

from annotations.models import Compares, Study
from metaeval.analyses.base.wording import counted
from metaeval.analyses.inputs import StudyInputs

COMPARED = {
    Compares.HUMAN_VS_SYSTEM: "what people said with what one of {systems} predicted",
    Compares.SYSTEM_VS_SYSTEM: "what two of {systems} predicted",
}


def moment(at: datetime | None) -> str:
    """A time in UTC.

    >>> moment(datetime(2026, 11, 20, 12, 5, tzinfo=UTC)), moment(None)
    ('20 November 2026, 12:05 UTC', '–')
    """
    return f"{at.astimezone(UTC):%-d %B %Y, %H:%M} UTC" if at else "–"


def compared(study: Study, inputs: StudyInputs) -> str:
    """What an expert compared."""
    return COMPARED[Compares(study.compares)].format(systems=systems_in_words(inputs))


def systems_in_words(inputs: StudyInputs) -> str:
    """How many systems there are, and how they are crossed.

    Models and methods are mentioned only if every model has every method.
    """
    models = {origin["model"] for origin in inputs.origins}
    methods = {origin["method"] for origin in inputs.origins}
    cells = {(origin["model"], origin["method"]) for origin in inputs.origins}
    said = counted(len(inputs.systems), "system")
    if len(cells) == len(models) * len(methods) == len(inputs.systems) and "" not in models | methods:
        said += f" ({counted(len(models), 'model')} × {counted(len(methods), 'method')})"
    return said


def design_in_words(study: Study, inputs: StudyInputs) -> str:
    """The design in one paragraph: who judged what, how much, and how it was planned."""
    answers = inputs.answers
    kept = answers.counting(answers.is_answered).kept
    experts = len(set(answers.expert[kept].tolist()))
    texts = len(set(answers.instance[kept].tolist()))
    asked = (
        "Each read a text and chose its labels, then saw two label distributions without their sources and said which "
        "is more accurate (A, B, both or neither) and how certain they are."
    )
    planned = (
        f"The plan was {counted(study.instances_per_system, 'text')} per system and "
        f"{counted(study.experts_per_comparison, 'expert')} per comparison."
    )
    if not kept.any():
        pilot = int(answers.counting(answers.is_answered, include_pilot=True).kept.sum())
        so_far = f"only the {counted(pilot, 'answer')} of the pilot, which do not count" if pilot else "no answers"
        return (
            f"Experts compare {compared(study, inputs)}, on texts of {study.dataset.title}. {planned} There are "
            f"{so_far} yet."
        )
    who = counted(experts, "simulated expert" if study.is_simulated else "expert")
    return (
        f"{who[0].upper()}{who[1:]} compared {compared(study, inputs)}, on {counted(texts, 'text')} of "
        f"{study.dataset.title}. {asked} {planned} {counted(int(kept.sum()), 'answer')} count."
    )
