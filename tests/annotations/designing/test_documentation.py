"""`docs/planning.md` says what there is."""

import re
import shlex
from pathlib import Path

from django.core.management import get_commands, load_command_class
from django.urls import Resolver404, resolve

from annotations.answering import labelling, looking_back, recording
from annotations.errors import HLVError, NotFound, Withdrawn

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "planning.md").read_text(encoding="utf-8")


def test_every_command_line_can_be_typed_as_it_stands():
    lines = re.findall(r"^\.venv/bin/python manage\.py (.+)$", DOCUMENT, re.MULTILINE)
    assert len(lines) == 5
    for line in lines:
        name, *arguments = shlex.split(line)
        load_command_class(get_commands()[name], name).create_parser("manage.py", name).parse_args(arguments)


def test_every_command_of_the_table_exists():
    table = DOCUMENT[DOCUMENT.index("| command |") : DOCUMENT.index("## The plan")]
    for name in re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE):
        load_command_class("annotations", name)


def test_every_address_of_an_expert_exists():
    for address in re.findall(r"`POST (/api/\S+)`", DOCUMENT):
        try:
            resolve(address.format(slug="study", token="00000000-0000-0000-0000-000000000001"))
        except Resolver404:
            raise AssertionError(address) from None


def test_every_error_of_answering_is_documented_with_its_status():
    rows = re.findall(r"^\| (`[a-z0-9_`, ]+`) \| (4\d\d) \|", DOCUMENT, re.MULTILINE)
    documented = {(code, int(status)) for codes, status in rows for code in re.findall(r"`(\w+)`", codes)}
    errors = {
        error
        for module in (recording, labelling, looking_back)
        for error in vars(module).values()
        if isinstance(error, type) and issubclass(error, HLVError) and error.__module__ == module.__name__
    } | {NotFound, Withdrawn}
    # Refused by the serializer before it gets there.
    known = {(error.code, error.status) for error in errors} - {("invalid_certainty", 400)}
    assert documented == known
