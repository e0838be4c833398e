"""Put a study away, take it out again, and delete one that nobody has answered.

Answers are never deleted with their study: what experts gave, and what was said of it in a paper, must stay to be
looked up. A study that has any can only be put away.
"""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations import events
from annotations.designing.averaging import discard_means
from annotations.errors import Conflict
from annotations.models import EventKind, LabelResponse, Report, Study, User


class StudyHasAnswers(Conflict):
    """Answers are kept, so the study cannot be deleted."""

    code = "study_has_answers"


@transaction.atomic
def archive(*, study: Study, actor: User | None = None) -> Study:
    """Put a study away: it hands out nothing and takes no answers. Repeating it changes nothing."""
    study = _lock(study)
    if study.archived_at is None:
        study.archived_at = timezone.now()
        study.save(update_fields=["archived_at"])
        events.record(EventKind.ARCHIVED, actor=actor, study=study)
    return study


@transaction.atomic
def unarchive(*, study: Study, actor: User | None = None) -> Study:
    """Take a study out of the archive: it goes on in the state that it had. Repeating it changes nothing."""
    study = _lock(study)
    if study.archived_at is not None:
        study.archived_at = None
        study.save(update_fields=["archived_at"])
        events.record(EventKind.UNARCHIVED, actor=actor, study=study)
    return study


@transaction.atomic
def delete_study(*, study: Study, actor: User | None = None) -> None:
    """Delete a study with its plan, its members and its analyses; the log keeps that there was one.

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
