"""Create a study for a person, who becomes its admin."""

from typing import Any

from django.db import transaction
from django.dispatch import Signal

from annotations.designing.lifecycle import add_member
from annotations.designing.starting import create_study, settings_of_preset, slug_for
from annotations.models import Dataset, Role, Study, User

study_begins = Signal()
"""Sent with `study` and `actor` in the transaction that creates a study, for additions to every new one."""


@transaction.atomic
def begin_study(
    *, dataset: Dataset, actor: User, title: str, slug: str = "", preset: str = "safe", **settings: Any
) -> Study:
    """Create a draft with its maker as admin. Settings given here override the preset's.

    Raises:
        InvalidSettings, StudyExists.
    """
    chosen = settings_of_preset(preset, dataset=dataset, language=settings.get("language", "")) | settings
    study = create_study(dataset=dataset, slug=slug or slug_for(title), actor=actor, title=title, **chosen)
    add_member(study=study, user=actor, role=Role.ADMIN, actor=actor)
    study_begins.send(sender=Study, study=study, actor=actor)
    return study
