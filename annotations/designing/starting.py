"""Begin a study, and change a draft's settings."""

import secrets
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.blinding.display_rule import DisplayRule, parts_of_step, stored_step
from annotations.designing.applying import NotADraft, discard_plan, refuse_if_begun
from annotations.designing.pairing import mark_identical
from annotations.errors import Conflict, HLVError
from annotations.models import Compares, Dataset, Study, StudyState, Task, User

SETTINGS = (
    "title",
    "instructions",
    "consent",
    "question_labels",
    "question_preference",
    "language",
    "direction",
    "compares",
    "runs",
    "assigning",
    "asks_guess",
    "display_threshold",
    "display_step",
    "give_aways",
    "instances_per_system",
    "experts_per_comparison",
    "seed",
)

# Asked where a study does not say otherwise; the model's defaults are for areas of law.
ACCURATE = "Which of these describes what people would say about this text more accurately?"
QUESTIONS = {
    Task.MULTICLASS: {"question_labels": "Which label fits this text best?", "question_preference": ACCURATE},
    Task.ORDINAL: {"question_labels": "Where on this scale is this text?", "question_preference": ACCURATE},
}

# The plan follows from these (and from the dataset).
PLANNED = ("compares", "runs", "assigning", "give_aways", "instances_per_system", "experts_per_comparison", "seed")

# The database refuses the rest (models/studies.py); here each bound has its sentence.
BOUNDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "display_threshold": (lambda v: 0 <= v < 1, "must be at least 0 and below 1"),
    "display_step": (
        lambda v: v is None or (0.01 <= v <= 0.5 and abs(v * parts_of_step(v) - 1) < 0.005),
        "must divide 1 and be from 0.01 to 0.5, such as 0.05, 0.1 or 0.2; or grid, or exact",
    ),
    "instances_per_system": (lambda v: v >= 1, "must be at least 1"),
    "experts_per_comparison": (lambda v: v >= 1, "must be at least 1"),
    "seed": (lambda v: 0 <= v < 2**63, "must be a whole number from 0 to 2^63 - 1"),
}


class InvalidSettings(HLVError):  # noqa: N818
    """A setting has a value that no study can have; the data name the fields."""

    code = "invalid_settings"


class StudyExists(Conflict):
    """The slug is taken."""

    code = "study_exists"


def draft(*, dataset: Dataset, slug: str, **settings: Any) -> Study:
    """A study that is not stored yet. Without a seed one is drawn, so that nobody can guess the side orders.

    Raises:
        InvalidSettings: a setting is unknown or out of range.
    """
    study = Study(dataset=dataset, slug=slug, seed=secrets.randbelow(2**53), is_simulated=dataset.is_simulated)
    study.title = slug
    for name, question in QUESTIONS.get(Task(dataset.task), {}).items():
        setattr(study, name, question)
    put_settings(study, settings)
    return study


@transaction.atomic
def create_study(*, dataset: Dataset, slug: str, actor: User | None = None, **settings: Any) -> Study:
    """Store a new draft. Raises InvalidSettings, StudyExists."""
    if Study.objects.filter(slug=slug).exists():
        raise StudyExists(f"There is a study {slug!r} already. Choose another slug.", slug=slug)
    study = draft(dataset=dataset, slug=slug, **settings)
    study.save()
    return study


@transaction.atomic
def change_settings(*, study: Study, **settings: Any) -> Study:
    """Change a draft's settings; later, answers were given under the old ones.

    A stored plan that no longer follows from them is taken away, so that nobody opens the study with it.

    Raises:
        NotADraft, InvalidSettings.
    """
    study = Study.objects.select_for_update().select_related("dataset").get(pk=study.pk)
    if study.state != StudyState.DRAFT:
        raise NotADraft(f"The study is {study.state}; only a draft's settings can change.", state=study.state)
    before, shown = [getattr(study, name) for name in PLANNED], DisplayRule.of(study)
    put_settings(study, settings)
    if [getattr(study, name) for name in PLANNED] != before:
        discard_plan(study)
    study.save()
    if DisplayRule.of(study) != shown and study.comparisons.exists():
        refuse_if_begun(study)
        mark_identical(study)
    return study


def put_settings(study: Study, settings: dict[str, Any]) -> None:
    """Put checked settings on a study, in memory. Raises InvalidSettings."""
    unknown = sorted(set(settings) - set(SETTINGS))
    if unknown:
        raise InvalidSettings(f"A study has no setting {', '.join(unknown)}.", fields={name: [] for name in unknown})
    for name, value in settings.items():
        setattr(study, name, stored_step(value) if name == "display_step" else value)
    fields: dict[str, list[str]] = {}
    try:
        study.clean_fields(exclude=["dataset"])
    except ValidationError as error:
        fields = error.message_dict
    for name, (holds, sentence) in BOUNDS.items():
        if name not in fields and not holds(getattr(study, name)):
            fields[name] = [sentence]
    if study.asks_guess and study.compares != Compares.HUMAN_VS_SYSTEM:
        fields["asks_guess"] = ["only where one side is people's; there is no such side between systems"]
    if fields:
        plain = "; ".join(f"{name}: {' '.join(sentences)}" for name, sentences in sorted(fields.items()))
        raise InvalidSettings(f"These settings do not make a study. {plain}", fields=fields)
