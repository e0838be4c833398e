"""Make a document: into any place that takes bytes, or as the work of a background job."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage, default_storage

from annotations.background.executors import executes
from annotations.exporting.sinks import zipped
from annotations.models import Study
from annotations.progress import Progress, silent
from metaeval.documents.models import DocumentKind, StudyDocument, path_of

ENDINGS = {DocumentKind.REPORT_HTML: "html", DocumentKind.REPORT_PDF: "pdf", DocumentKind.BUNDLE: "zip"}


def file_name(study: Study, kind: DocumentKind) -> str:
    """What to call the file; simulated data say so in the name.

    >>> file_name(Study(slug="tag", is_simulated=True), DocumentKind.BUNDLE)
    'tag-bundle-SIMULATED.zip'
    """
    what = "bundle" if kind == DocumentKind.BUNDLE else "report"
    return f"{study.slug}-{what}{'-SIMULATED' if study.is_simulated else ''}.{ENDINGS[kind]}"


def document_chunks(
    study: Study, kind: DocumentKind, *, with_texts: bool = False, progress: Progress = silent
) -> Iterator[bytes]:
    """The bytes of a document as they come."""
    if kind == DocumentKind.BUNDLE:
        from metaeval.documents.bundle import bundle_files

        return zipped(bundle_files(study, with_texts=with_texts, progress=progress))
    from metaeval.documents.report.rendering import as_html, as_pdf

    return iter([as_html(study, progress) if kind == DocumentKind.REPORT_HTML else as_pdf(study, progress)])


@dataclass(frozen=True)
class Written:
    """What became of the chunks."""

    size: int
    sha256: str


def write(path: Path, chunks: Iterable[bytes]) -> Written:
    """Write beside and rename: who opens the file finds it whole or not at all."""
    unfinished = path.with_name(path.name + ".unfinished")
    digest, size = hashlib.sha256(), 0
    try:
        with unfinished.open("wb") as out:
            for chunk in chunks:
                digest.update(chunk)
                size += out.write(chunk)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return Written(size, digest.hexdigest())


@executes(StudyDocument, tidy_up=StudyDocument.tidy_up)
def execute_document(document: StudyDocument, progress: Progress) -> dict[str, Any]:
    """The work of the job; returns the fields to store with its success."""
    study = Study.objects.select_related("dataset").get(pk=document.study_id)
    kind = DocumentKind(document.kind)
    name = path_of(document.pk, uuid.uuid4())
    storage = default_storage
    path = Path(storage.path(name))
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    chunks = document_chunks(study, kind, with_texts=document.with_texts, progress=progress)
    written = write(path, _heard(chunks, progress))
    if isinstance(storage, FileSystemStorage):
        path.chmod(0o600)
    return {"content": name, "name": file_name(study, kind), "size": written.size, "sha256": written.sha256}


def _heard(chunks: Iterable[bytes], progress: Progress) -> Iterator[bytes]:
    """The chunks, with an ear for a cancellation between them."""
    for chunk in chunks:
        progress(2, 3, "Writing")
        yield chunk
