"""The use case of exporting a study's responses, which is recorded as an event."""

from __future__ import annotations

from django.utils.translation import gettext as _

from annotations.exporting.formats import ExportFile, formats
from annotations.exporting.rows import ResponseSource
from annotations.ground.errors import NotAllowed
from annotations.history import events
from annotations.models import EventKind, Study, User


def export_responses(*, study: Study, format_name: str, actor: User | None = None) -> list[ExportFile]:
    """The files of an export, as streams that have not started.

    An export shows which side is which, so it is for the study's researchers and admins; until the study is closed, it
    is also recorded as a look at unblinded data. Without an actor it is the operator at the machine's shell, and logged
    as such.

    Raises:
        NotAllowed: the actor is an expert in the study, or not a member.
        UnknownName: there is no such format.
    """
    if actor is not None and not Study.objects.unblinded_for(actor).filter(pk=study.pk).exists():
        raise NotAllowed(_("Only researchers and admins of a study can export its responses."), study=study.slug)
    chosen = formats.get(format_name)
    source = ResponseSource(study)
    events.record(
        EventKind.EXPORTED,
        actor=actor,
        study=study,
        format=chosen.name,
        responses=source.count(),
    )
    events.unblinded_view(actor=actor, study=study, what=f"export as {chosen.name}")
    return chosen.files(source)


def archive_name(study: Study, format_name: str, *, identified: bool = False) -> str:
    """The file name of an export's archive, which says if it contains simulated data or people's names.

    >>> archive_name(Study(slug="tag", is_simulated=True), "csv")
    'tag-csv-SIMULATED.zip'
    """
    marks = [mark for mark, holds in (("WITH-NAMES", identified), ("SIMULATED", study.is_simulated)) if holds]
    return "-".join([study.slug, format_name.replace("_", "-"), *marks]) + ".zip"
