"""Request, cancel and download a document. Each leaves a trace, because a document shows which side is which."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from annotations.background import jobs
from annotations.background.waiting import refuse_too_many
from annotations.ground.errors import Conflict, HLVError, NotAllowed
from annotations.history import events
from annotations.models import EventKind, JobState, Study, User
from metaeval.documents.models import DocumentKind, StudyDocument


class NotMade(Conflict):
    """The document has no file: not yet, no longer, or never."""

    code = "not_made"


class NoTextsHere(HLVError):
    """Only a bundle can hold texts."""

    code = "invalid"


@transaction.atomic
def ask(*, study: Study, kind: DocumentKind, with_texts: bool = False, actor: User) -> StudyDocument:
    """Store the request and call a worker.

    Raises:
        NotAllowed: the actor is an expert of the study, or a stranger.
        NoTextsHere: texts are requested in a report.
        TooManyJobs: as many as allowed wait or run already.
    """
    if not Study.objects.unblinded_for(actor).filter(pk=study.pk).exists():
        raise NotAllowed("Only researchers and admins of a study can get its documents.", study=study.slug)
    if with_texts and kind != DocumentKind.BUNDLE:
        raise NoTextsHere("A report contains no texts. Create a bundle instead.", with_texts=["only for a bundle"])
    refuse_too_many(StudyDocument, actor)
    document: StudyDocument = StudyDocument.objects.create(study=study, kind=kind, with_texts=with_texts, owner=actor)
    was_taken_out(study=study, kind=kind, with_texts=with_texts, actor=actor, document=str(document.pk))
    jobs.enqueue(document)
    return document


def take(*, document: StudyDocument, actor: User) -> StudyDocument:
    """The document, ready for download. Raises `NotMade` if there is no file."""
    if document.state != JobState.SUCCEEDED or not document.content:
        gone = document.state == JobState.SUCCEEDED
        raise NotMade(
            "The file was deleted after a few days. Please create it again." if gone else "The file is not ready yet."
        )
    was_taken_out(
        study=document.study,
        kind=DocumentKind(document.kind),
        with_texts=document.with_texts,
        actor=actor,
        document=str(document.pk),
        sha256=document.sha256,
    )
    return document


def was_taken_out(*, study: Study, kind: DocumentKind, with_texts: bool, actor: User | None, **more: Any) -> None:
    """Record it in the log; before the study has closed, also as a look at unblinded data. No actor: the operator."""
    events.record(EventKind.EXPORTED, actor=actor, study=study, format=str(kind), texts=with_texts, **more)
    events.unblinded_view(actor=actor, study=study, what=str(kind.label))
