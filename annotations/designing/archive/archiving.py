"""Archive a study, take it out of the archive, and delete one that nobody has answered.

Answers are never deleted with their study: what experts contributed, and what a paper says about it, must remain
verifiable. A study with answers can only be archived.
"""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.designing.averaging import discard_means
from annotations.ground.errors import Conflict
from annotations.history import events
from annotations.models import EventKind, LabelResponse, Report, Study, User


class StudyHasAnswers(Conflict):
    """Answers are kept, so the study cannot be deleted."""

    code = "study_has_answers"


@transaction.atomic
def archive(*, study: Study, actor: User | None = None) -> Study:
    """Archive a study: it assigns no places and takes no answers. Repeating it changes nothing."""
    study = _lock(study)
    if study.archived_at is None:
        study.archived_at = timezone.now()
        study.save(update_fields=["archived_at"])
        events.record(EventKind.ARCHIVED, actor=actor, study=study)
    return study


@transaction.atomic
def unarchive(*, study: Study, actor: User | None = None) -> Study:
    """Take a study out of the archive: it continues in its earlier state. Repeating it changes nothing."""
    study = _lock(study)
    if study.archived_at is not None:
        study.archived_at = None
        study.save(update_fields=["archived_at"])
        events.record(EventKind.UNARCHIVED, actor=actor, study=study)
    return study


@transaction.atomic
def delete_study(*, study: Study, actor: User | None = None) -> None:
    """Delete a study with its plan, its members and its analyses; the log records that it existed.

    Raises:
        StudyHasAnswers: somebody answered, or reported a problem; such a study can be archived.
    """
    study = _lock(study)
    answers = LabelResponse.objects.filter(assignment__study=study, revision=0).count()
    if answers or Report.objects.filter(assignment__study=study).exists():
        raise StudyHasAnswers(
            _(
                "This study has answers, and answers are never deleted, so that results can be "
                "checked. Archive the study instead to remove it from lists."
            ),
            answers=answers,
        )
    events.record(
        EventKind.DELETED,
        actor=actor,
        study=study,
        what="study",
        title=study.title,
        state=study.state,
        comparisons=study.comparisons.count(),
        members=study.memberships.count(),
    )
    study.assignments.filter(repeat_of__isnull=False).delete()
    study.assignments.all().delete()
    study.comparisons.all().delete()
    discard_means(study)
    study.delete()


def _lock(study: Study) -> Study:
    return Study.objects.select_for_update().select_related("dataset").get(pk=study.pk)
