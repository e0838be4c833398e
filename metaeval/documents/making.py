"""Documents of a study are requested, made by a background job or as a stream, and downloaded."""

from __future__ import annotations

import hashlib
import io
import uuid
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, assert_never

from django.db import transaction

from annotations.background import jobs
from annotations.background.executors import executes
from annotations.background.kept_files import Written, keep
from annotations.background.waiting import refuse_too_many
from annotations.exporting.formats import ExportFile, zipped
from annotations.ground.errors import Conflict, HLVError, NotAllowed
from annotations.ground.progress import Progress, silent
from annotations.history import events
from annotations.models import EventKind, JobState, Study, User
from metaeval.documents.models import DocumentKind, StudyDocument, path_of


class NotMade(Conflict):
    """The document has no file: not yet, no longer, or never."""


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


CALLED = {
    DocumentKind.REPORT_HTML: ("report", "html"),
    DocumentKind.REPORT_PDF: ("report", "pdf"),
    DocumentKind.REPORT_LATEX: ("report-latex", "zip"),
    DocumentKind.REPORT_DOCX: ("report", "docx"),
    DocumentKind.BUNDLE: ("bundle", "zip"),
}
"""What follows the study's name in a file name, and the extension."""


def file_name(study: Study, kind: DocumentKind) -> str:
    """What to call the file; simulated data say so in the name.

    >>> file_name(Study(slug="tag", is_simulated=True), DocumentKind.BUNDLE)
    'tag-bundle-SIMULATED.zip'
    """
    what, ending = CALLED[kind]
    return f"{study.slug}-{what}{'-SIMULATED' if study.is_simulated else ''}.{ending}"


def document_chunks(
    study: Study, kind: DocumentKind, *, with_texts: bool = False, progress: Progress = silent
) -> Iterator[bytes]:
    """The bytes of a document, in chunks."""
    # Each kind imports what it needs, which takes a second, so only on request.
    match kind:
        case DocumentKind.BUNDLE:
            from metaeval.documents.bundle import bundle_files

            return zipped(bundle_files(study, with_texts=with_texts, progress=progress))
        case DocumentKind.REPORT_HTML:
            from metaeval.documents.report.rendering import as_html

            return iter([as_html(study, progress)])
        case DocumentKind.REPORT_PDF:
            from metaeval.documents.report.rendering import as_pdf

            return iter([as_pdf(study, progress)])
        case DocumentKind.REPORT_LATEX:
            from metaeval.documents.report.gathering import report_of
            from metaeval.documents.report.latex import latex_files

            folder, files = Path(file_name(study, kind)).stem, latex_files(report_of(study, progress))
            return zipped([ExportFile(f"{folder}/{name}", partial(_whole, content)) for name, content in files.items()])
        case DocumentKind.REPORT_DOCX:
            from metaeval.documents.report.gathering import report_of
            from metaeval.documents.report.word import as_word

            return iter([as_word(report_of(study, progress))])
        case _ as never:
            assert_never(never)


def _whole(content: bytes) -> Iterator[bytes]:
    yield content


def write_folder(path: Path, chunks: Iterable[bytes]) -> Written:
    """Unpack an archive with one folder as the folder `path`; size and SHA-256 are the archive's."""
    content = b"".join(chunks)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            file = path / Path(*Path(name).parts[1:])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(archive.read(name))
    return Written(len(content), hashlib.sha256(content).hexdigest())


@executes(StudyDocument, tidy_up=StudyDocument.tidy_up)
def execute_document(document: StudyDocument, progress: Progress) -> dict[str, Any]:
    """The work of the job; returns the fields to store with its success."""
    study = Study.objects.select_related("dataset").get(pk=document.study_id)
    kind = DocumentKind(document.kind)
    name = path_of(document.pk, uuid.uuid4())
    chunks = document_chunks(study, kind, with_texts=document.with_texts, progress=progress)
    written = keep(name, _heard(chunks, progress))
    return {"content": name, "name": file_name(study, kind), "size": written.size, "sha256": written.sha256}


def _heard(chunks: Iterable[bytes], progress: Progress) -> Iterator[bytes]:
    """The chunks, checking for a cancellation between them."""
    for chunk in chunks:
        progress(2, 3, "Writing")
        yield chunk
