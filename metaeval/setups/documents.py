"""A study's set-up as a document: written by one installation, read by the same or another one.

It contains no people, no answers, no key of the sides and no texts; it identifies the dataset by slug and fingerprint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotations.designing.starting import InvalidSettings
from annotations.models import Dataset, Study, User
from metaeval.setups.copying import begin_as, shared_plan, shared_settings

FORMAT, VERSION = "hlvstudy-setup", 1


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
        found: Dataset | None = seen.filter(slug=wanted).first()
        if found is None:
            raise InvalidSettings("There is no such dataset.", fields={"dataset": ["There is no such dataset."]})
        return found
    named = document["dataset"]
    found = seen.filter(fingerprint=named["fingerprint"]).first() or seen.filter(slug=named["slug"]).first()
    if found is None:
        sentence = (
            f"The set-up is for the dataset {named['slug']!r}, which is not here. Import it first, or choose another "
            "one as `dataset`."
        )
        raise InvalidSettings(sentence, fields={"dataset": [sentence]})
    return found
