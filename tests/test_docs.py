"""The documentation is true."""

import itertools
import re
import shlex
from collections import Counter
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from hlvstudy.program.main import main
from tests.browser import tour
from tests.clean_shell import blocks
from tests.words import pages, words

ROOT = Path(__file__).resolve().parent.parent
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
FRONT = [ROOT / "README.md", CONTRIBUTING, ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]
PAGES = [*FRONT, *sorted((ROOT / "docs").glob("*.md"))]
REFERENCE = sorted((ROOT / "docs" / "reference").glob("*.md"))
MOST_WORDS = 12_000
PLACES = {"DATA": "data", "OUT": "out", "HLV_DATA": "data", "ANALYSIS": "system_scores", "FORMAT": "table"}
COMMAND = re.compile(r"^(?:\.venv/bin/python manage\.py|\$manage) +(.+)$", re.MULTILINE)


def test_every_make_command_that_the_documentation_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE):
            assert target in targets, f"{page.name} names make {target}"


def commands_of(document: Path) -> list[str]:
    """The commands in a page's blocks, each in one line, with something in the place of every placeholder."""
    text = "\n".join(blocks(document, kind="bash.*")).replace("\\\n", " ")
    values = {**PLACES, **dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, re.MULTILINE))}
    found = []
    for line in COMMAND.findall(text):
        filled = re.sub(r"\$(\w+)|\b(ANALYSIS|FORMAT)\b", lambda name: values[name[1] or name[2]], line)
        found.append(re.sub(r"[][]|\.\.\.", "", filled))
    return found


# Those of CONTRIBUTING.md name what its own files add; tests/test_contributing.py types them.
@pytest.mark.parametrize("document", [page for page in PAGES if page != CONTRIBUTING], ids=lambda path: path.name)
def test_every_command_that_the_documentation_shows_can_be_typed_as_it_stands(document: Path) -> None:
    for line in commands_of(document):
        name, *arguments = shlex.split(line, comments=True)
        app = get_commands()[name]
        command = load_command_class(app, name) if isinstance(app, str) else app
        command.create_parser("manage.py", name).parse_args(arguments)
    lines = "\n".join(blocks(document, kind="bash.*")).splitlines()
    others = [line for line in lines if line.startswith(("python", "manage.py")) and " -m venv " not in line]
    assert others == [], "the machine's own python has none of the packages"


def test_every_command_of_the_program_that_the_documentation_names_exists() -> None:
    """Also in the blocks that no test types, and in the text."""
    for page in PAGES:
        for command in re.findall(r"(?<!-[a-z] )(?<!--owner )hlvstudy ((?:-|[a-z])\S*)", "\n".join(code_of(page))):
            assert known_to_the_program(command.rstrip("`;,")), f"{page.name}: hlvstudy {command}"


def code_of(page: Path) -> list[str]:
    """The lines of a page's blocks for a shell, and what stands between backquotes."""
    return [*blocks(page, kind="bash.*"), *re.findall(r"`([^`\n]+)`", page.read_text())]


def known_to_the_program(word: str) -> bool:
    with redirect_stdout(StringIO()) as said, suppress(SystemExit):
        main(["--help"])
    return word in re.findall(r"[\w-]+", said.getvalue())


def test_there_are_commands_to_type() -> None:
    assert sum(len(commands_of(document)) for document in PAGES) > 60


def test_every_link_to_a_file_leads_somewhere() -> None:
    for page in (*PAGES, *REFERENCE):
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


def anchors_of(page: Path) -> set[str]:
    text = page.read_text()
    headings = {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in re.findall("^#+ (.+)$", text, re.M)}
    return headings | set(re.findall(r'<a id="(.+?)">', text))


def test_every_link_to_a_heading_leads_to_one() -> None:
    for page in (*PAGES, *REFERENCE):
        for file, heading in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text()):
            target = (page.parent / file) if file else page
            assert heading in anchors_of(target), f"{page.name} links to {file}#{heading}"


def test_people_read_twelve_thousand_words_at_most() -> None:
    """What machines can say is in docs/reference; `python -m tests.words` counts page by page."""
    assert sum(words(text) for text in pages().values()) <= MOST_WORDS


def test_no_sentence_is_said_on_two_pages() -> None:
    said = Counter(sentence for text in pages().values() for sentence in sentences_of(text))
    assert [sentence for sentence, times in said.items() if times > 1] == []


def sentences_of(text: str) -> set[str]:
    """The sentences of a page that are long enough to be nobody else's by chance."""
    return {
        sentence
        for paragraph in re.split(r"\n\s*\n|^```.*?^```|^[|#!].*$", text, flags=re.DOTALL | re.MULTILINE)
        for sentence in re.split(r"(?<=[.!?]) ", " ".join(paragraph.split()))
        if len(sentence.split()) > 7
    }


def test_no_sentence_becomes_an_item_of_a_list_by_where_its_line_breaks() -> None:
    begins_item = re.compile(r"(?:\d+[.)]|[-*+]) ")
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        for before, line in itertools.pairwise(text.splitlines()):
            in_paragraph = before and not before.startswith(" ") and not begins_item.match(before)
            assert not (in_paragraph and begins_item.match(line)), f"{page.name}: {before} / {line}"


def test_every_path_in_the_commands_for_contributors_exists_or_is_written_there() -> None:
    text = CONTRIBUTING.read_text()
    written = set(re.findall(r"^`([\w/.]+)`:$", text, re.MULTILINE))
    places = {"/".join(path.split("/")[:depth]) for path in written for depth in range(1, path.count("/") + 2)}
    empty = {f"{place}/__init__.py" for place in places}
    named = re.findall(r"(?<![\w/.])((?:tests|annotations|metaeval|frontend|locale|docs|hlvstudy)/[\w/.-]*\w)", text)
    assert [path for path in named if not (ROOT / path).exists() and path not in written | places | empty] == []


def test_every_state_of_an_experts_page_has_its_small_pictures() -> None:
    images = {path.name: path.stat().st_size for path in (ROOT / "docs" / "images").glob("expert-*.webp")}
    assert set(images) == {f"expert-{state}-{width}.webp" for state in tour.ALL for width in (1280, 390)}
    assert max(images.values()) < 60_000
