"""A study's set-up, taken to another study: settings, questions and analysis plan, but no people and no answers.

It is copied from study to study, or written as a document that the same or another installation reads. A document
contains no key of the sides and no texts; it identifies the dataset by slug and fingerprint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from annotations.designing import SETTINGS
from annotations.designing.lifecycle import add_member
from annotations.designing.starting import InvalidSettings, create_study, slug_for
from annotations.ground.errors import HLVError
from annotations.models import Dataset, Role, Study, User
from metaeval.jobs.models import StampedPlan
from metaeval.jobs.planning import planned_rows, set_plan

FORMAT, VERSION = "hlvstudy-setup", 1

OF_ONE_STUDY = {"title", "seed", "opens_at", "known_texts"}
"""Settings that another study does not take over."""


def shared_settings(study: Study) -> dict[str, Any]:
    """The settings that another study takes over, as plain JSON: not the title, the seed, the date and the leave to
    show known texts.
    """
    settings = {name: getattr(study, name) for name in SETTINGS if name not in OF_ONE_STUDY}
    return {name: str(value) if isinstance(value, str) else value for name, value in settings.items()}


def shared_plan(study: Study) -> list[dict[str, Any]]:
    """The planned analyses; for an opened study, those that were fixed."""
    stamped = StampedPlan.objects.filter(study=study).first()
    return list(stamped.content) if stamped else planned_rows(study)


@transaction.atomic
def copy_study(*, study: Study, actor: User, title: str, slug: str = "", keeps_seed: bool = False) -> Study:
    """A draft with the settings and the analysis plan of another study, and the actor as its admin.

    `keeps_seed`: the same texts are drawn for the same systems, else others.

    Raises:
        InvalidSettings: the dataset has changed, and the settings no longer fit it.
        StudyExists: the slug is taken.
    """
    settings = shared_settings(study) | ({"seed": study.seed} if keeps_seed else {})
    return begin_as(
        dataset=study.dataset,
        actor=actor,
        title=title,
        slug=slug,
        settings=settings,
        planned=shared_plan(study),
        origin={"copied_from": study.slug, "keeps_seed": keeps_seed},
    )


@transaction.atomic
def begin_as(
    *,
    dataset: Dataset,
    actor: User,
    title: str,
    slug: str,
    settings: Mapping[str, Any],
    planned: Sequence[Mapping[str, Any]],
    origin: dict[str, Any],
) -> Study:
    """A draft with these settings and planned analyses, and the actor as its admin. Raises as `copy_study` does."""
    made = create_study(
        dataset=dataset, slug=slug or slug_for(title), actor=actor, origin=origin, **{**settings, "title": title}
    )
    add_member(study=made, user=actor, role=Role.ADMIN, actor=actor)
    if planned:
        try:
            set_plan(study=made, planned=planned, actor=actor)
        except HLVError as error:
            raise InvalidSettings(
                f"The analysis plan cannot be copied. {error.message}", fields={"analysis_plan": [error.message]}
            ) from error
    return made


def setup_document(study: Study) -> dict[str, Any]:
    """The set-up of a study as plain JSON, without the seed: another study draws its own texts."""
    dataset = study.dataset
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": study.title,
        "dataset": {"slug": dataset.slug, "title": dataset.title, "fingerprint": dataset.fingerprint},
        "settings": shared_settings(study),
        "analysis_plan": shared_plan(study),
    }


def begin_from_document(
    *, document: Mapping[str, Any], actor: User, title: str = "", slug: str = "", dataset: str = ""
) -> Study:
    """A draft as described by a document, with the actor as its admin.

    Args:
        document: checked, as `setup_document` writes it.
        title, slug: if empty, the document's title, and a slug made from it.
        dataset: the slug of the one to use; if empty, the document's, by fingerprint or slug.

    Raises:
        InvalidSettings: there is no such dataset, or the settings do not fit it; `data` names the fields.
        StudyExists: the slug is taken.
    """
    return begin_as(
        dataset=_dataset(document, actor, dataset),
        actor=actor,
        title=title or document["title"],
        slug=slug,
        settings=document["settings"],
        planned=document["analysis_plan"],
        origin={"from_file": document["title"]},
    )


def _dataset(document: Mapping[str, Any], actor: User, wanted: str) -> Dataset:
    seen = Dataset.objects.visible_to(actor)
    if wanted:
        dataset: Dataset | None = seen.filter(slug=wanted).first()
        if dataset is None:
            raise InvalidSettings("There is no such dataset.", fields={"dataset": ["There is no such dataset."]})
        return dataset
    named = document["dataset"]
    dataset = seen.filter(fingerprint=named["fingerprint"]).first() or seen.filter(slug=named["slug"]).first()
    if dataset is None:
        sentence = (
            f"The set-up is for the dataset {named['slug']!r}, which is not here. Import it first, or choose another "
            "one as `dataset`."
        )
        raise InvalidSettings(sentence, fields={"dataset": [sentence]})
    return dataset
