"""The report for Word: read again with nothing but zipfile and an XML parser."""

import io
import shutil
import zipfile
from dataclasses import replace
from functools import partial
from xml.etree import ElementTree

import pytest

from annotations.ground.bounds import RENDERED, TooMuchToRender
from metaeval.documents.report.blocks import SIMULATED, Paragraph, Section
from metaeval.documents.report.rendering import page_of
from metaeval.documents.report.word import NoWord, as_word
from tests.conftest import missing
from tests.metaeval.documents.sample import ARABIC, NASTY, nasty_report

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"


@pytest.fixture(scope="module")
def made():
    if not shutil.which("pandoc"):
        missing("pandoc (Debian: apt install pandoc)")
    return as_word(nasty_report(is_simulated=True))


@pytest.fixture(scope="module")
def document(made):
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.testzip() is None
        return ElementTree.fromstring(archive.read("word/document.xml"))  # noqa: S314 (we made it)


def text_of(element):
    return "".join(part.text or "" for part in element.iter(f"{W}t"))


def styled(document, style):
    """The texts of the paragraphs in a style."""
    return [
        text_of(paragraph)
        for paragraph in document.iter(f"{W}p")
        if any(found.get(f"{W}val") == style for found in paragraph.iter(f"{W}pStyle"))
    ]


def test_title_and_headings_are_word_s_own_and_say_what_the_report_says(document):
    assert styled(document, "Title") == [f"{ARABIC} {NASTY}"]
    assert styled(document, "Heading1") == [f"1 {NASTY}", "A Long & tables"]
    assert styled(document, "Heading2") == [f"1.1 {ARABIC}"]
    assert styled(document, "Heading3") == ["Deep"]


def test_tables_are_tables_with_captions_and_every_row(document):
    captions = styled(document, "TableCaption")
    assert [caption.split(".")[0] for caption in captions] == [
        "Table 1",
        "Table 2",
        "Table A1",
        "Table A2",
        "Table A2 (continued)",
    ]
    tables = list(document.iter(f"{W}tbl"))
    assert [len(table.findall(f"{W}tr")) for table in tables] == [2 + 5, 2, 2 + 90, 2, 2]
    first = [text_of(cell) for cell in tables[0].findall(f"{W}tr")[2].findall(f"{W}tc")]
    assert first[0] == NASTY
    assert first[-1] == "<0.001"


def test_figures_have_their_alternative_text_and_their_caption(document, made):
    (picture,) = document.iter(f"{DRAWING}docPr")
    assert picture.get("descr") == f"Alternative text {NASTY}"
    assert styled(document, "ImageCaption") == [f"Figure 1. Caption {NASTY} {ARABIC}"]
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        (image,) = (name for name in archive.namelist() if name.startswith("word/media/"))
        assert archive.read(image).startswith(b"\x89PNG")


def test_it_is_on_a4_and_simulated_data_say_so_before_anything_else(document):
    (size,) = document.iter(f"{W}pgSz")
    assert (size.get(f"{W}w"), size.get(f"{W}h")) == ("11906", "16838")
    paragraphs = [text_of(paragraph) for paragraph in document.iter(f"{W}p")]
    assert paragraphs[2] == SIMULATED


def test_real_data_have_no_mark(made):
    with zipfile.ZipFile(io.BytesIO(as_word(nasty_report()))) as archive:
        assert b"imulated" not in archive.read("word/document.xml")


def test_without_pandoc_it_says_what_is_missing_and_how_to_get_it(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(NoWord, match=r"pandoc is not installed \(Debian and Ubuntu: apt install pandoc\)"):
        as_word(nasty_report())


def test_what_pandoc_refuses_is_said_in_its_own_words(made, monkeypatch, tmp_path):
    refusing = tmp_path / "pandoc"
    refusing.write_text("#!/bin/sh\necho 'no memory left' >&2\nexit 3\n")
    refusing.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(refusing))
    with pytest.raises(NoWord, match="pandoc could not make a Word file: no memory left"):
        as_word(nasty_report())


def test_pandoc_that_does_not_end_is_stopped(monkeypatch, tmp_path):
    waiting = tmp_path / "pandoc"
    waiting.write_text("#!/bin/sh\nexec sleep 60\n")
    waiting.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(waiting))
    monkeypatch.setitem(RENDERED, "word", replace(RENDERED["word"], seconds=1))
    with pytest.raises(NoWord, match="within 1 seconds"):
        as_word(nasty_report())


@pytest.mark.parametrize(
    ("kind", "write"), [("word", as_word), ("html", page_of), ("pdf", partial(page_of, printed=True))]
)
def test_a_report_that_is_too_long_is_refused_before_its_pages_are_set(monkeypatch, kind, write):
    """Word is made by pandoc, pages on paper by WeasyPrint: in minutes, and in gigabytes."""
    monkeypatch.setattr(shutil, "which", lambda _: "/bin/false")
    most = RENDERED[kind].most_in
    long = replace(nasty_report(), sections=[Section("a", "A", [Paragraph("word " * (most // 5 + 1))])], appendix=[])
    with pytest.raises(TooMuchToRender, match="Delete results") as refusal:
        write(long)
    assert refusal.value.data["given"] > refusal.value.data["most"] == most
