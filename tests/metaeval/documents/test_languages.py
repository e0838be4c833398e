"""What is stored and handed on is in English, to the byte, whatever language the person who asks for it reads."""

import base64
import re

import pytest
from django.utils import timezone, translation

from annotations.exporting.exports import export_responses
from annotations.exporting.formats import formats
from metaeval.documents.making import document_chunks
from metaeval.documents.models import DocumentKind
from tests.metaeval.finished import whole_study, with_results

pytestmark = pytest.mark.django_db
MADE = [DocumentKind.REPORT_HTML, DocumentKind.BUNDLE]


def without_clips(page):
    """The page with its pictures decoded: the program that draws counts its clip paths through the whole process."""

    def drawn(found):
        return re.sub(rb"clip\d+", b"clip", base64.b64decode(found[1]))

    return re.sub(rb"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", drawn, page)


def documents(study):
    return {kind: without_clips(b"".join(document_chunks(study, kind))) for kind in MADE}


def exports(study):
    return {
        (name, file.name): b"".join(file.chunks())
        for name in formats.names()
        for file in export_responses(study=study, format_name=name)
    }


@pytest.mark.parametrize(
    ("made", "languages"),
    [(documents, ["de"]), pytest.param(documents, ["ar"], marks=pytest.mark.long), (exports, ["de", "ar"])],
)
def test_reports_bundles_and_exports_are_the_same_in_every_language(monkeypatch, made, languages):
    study = with_results(whole_study(), "preference_correlation", "study_quality")
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    english = made(study)
    assert len(english) > 1
    for language in languages:
        with translation.override(language):
            other = made(study)
        assert [name for name in english if english[name] != other[name]] == []
