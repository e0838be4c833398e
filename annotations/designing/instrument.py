"""Which version of a study's instrument experts read: kept when it opens, and whenever something of it changes."""

import json
from hashlib import sha256
from typing import Any

from django.utils import timezone

from annotations.languages import of_study
from annotations.models import InstrumentVersion, Study

APP_WORDS = 2
"""The version of the words that the experts' pages say themselves. Raise it when you change what they ask or what
their answers are called, and say in docs/studies.md ("Versions of the instrument") what changed."""

WORDS = (
    "question_labels",
    "question_preference",
    "question_certainty",
    "share_meaning",
    "instructions",
    "layout",
)


def content_of(study: Study) -> dict[str, Any]:
    """What a study's experts read now, but for the texts and the words of the pages. At most two queries."""
    language, direction = of_study(study)
    labels = study.dataset.labels.order_by("position")
    return {
        **{name: str(getattr(study, name)) for name in WORDS},
        "language": language,
        "direction": str(direction),
        "labels": [label.shown for label in labels],
    }


def digest_of(content: dict[str, Any], app: int) -> str:
    """Equal for equal content, whatever the database."""
    text = json.dumps({"app": app, "content": content}, ensure_ascii=False, sort_keys=True)
    return sha256(text.encode()).hexdigest()


def keep_version(study: Study) -> InstrumentVersion:
    """The version that experts of the study read now, stored if it is a new one. In the caller's transaction."""
    content = content_of(study)
    newest = study.instrument_versions.order_by("-number").first()
    # Two who make the same version at once make one: the digest is unique within the study.
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
