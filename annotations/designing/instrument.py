"""Which version of a study's instrument experts read: stored when it opens, and whenever part of it changes."""

import json
from hashlib import sha256
from typing import Any

from django.utils import timezone

from annotations.models import InstrumentVersion, Study
from annotations.shown.languages import of_study

APP_WORDS = 2
"""The version of the wording of the experts' pages themselves. Raise it when you change what they ask or what the
answers are called, and document the change in docs/studies.md ("Versions of the instrument")."""

WORDS = (
    "question_labels",
    "question_preference",
    "question_certainty",
    "share_meaning",
    "instructions",
    "layout",
)


def content_of(study: Study) -> dict[str, Any]:
    """What a study's experts currently read, except the texts and the pages' own words. At most two queries."""
    language, direction = of_study(study)
    labels = study.dataset.labels.order_by("position")
    return {
        **{name: str(getattr(study, name)) for name in WORDS},
        "language": language,
        "direction": str(direction),
        "labels": [label.shown for label in labels],
    }


def digest_of(content: dict[str, Any], app: int) -> str:
    """A digest that is the same for the same content in any database."""
    text = json.dumps({"app": app, "content": content}, ensure_ascii=False, sort_keys=True)
    return sha256(text.encode()).hexdigest()


def keep_version(study: Study) -> InstrumentVersion:
    """The version that the study's experts currently read, stored if it is new, in the caller's transaction."""
    content = content_of(study)
    newest = study.instrument_versions.order_by("-number").first()
    # If two store the same version at once, only one is created: the digest is unique within the study.
    version, _ = InstrumentVersion.objects.get_or_create(
        study=study,
        sha256=digest_of(content, APP_WORDS),
        defaults={
            "number": newest.number + 1 if newest else 1,
            "app": APP_WORDS,
            "content": content,
            "created_at": timezone.now(),
        },
    )
    return version
