"""`docs/people.md` says what there is."""

import re
import shlex
from pathlib import Path

from django.core.management import load_command_class
from django.urls import resolve

from annotations.answering import moderating
from annotations.api.answering import guessing
from annotations.errors import HLVError
from annotations.people import (
    accounts,
    addresses,
    arriving,
    consenting,
    inviting,
    issuing_once,
    leaving,
    profiling,
    reminding,
    roles,
    study_roles,
    tokens,
)

MODULES = (
    accounts,
    addresses,
    arriving,
    consenting,
    inviting,
    issuing_once,
    leaving,
    profiling,
    reminding,
    moderating,
    guessing,
    tokens,
    roles,
    study_roles,
)
DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "people.md").read_text(encoding="utf-8")


def test_every_command_line_can_be_typed_as_it_stands():
    lines = re.findall(r"^\.venv/bin/python manage\.py (.+)$", DOCUMENT, re.MULTILINE)
    assert len(lines) == 7
    for line in lines:
        name, *arguments = shlex.split(line)
        load_command_class("annotations", name).create_parser("manage.py", name).parse_args(arguments)


def test_every_address_exists():
    addresses = re.findall(r"(?:GET|POST|PUT|PATCH) (/api/\S+?)`", DOCUMENT)
    assert len(addresses) == 31
    for address in addresses:
        key = "1" if "reports" in address else "00000000-0000-0000-0000-000000000001"
        resolve(address.format(slug="study", id=key, number=1))


def test_every_error_is_documented_with_its_status():
    rows = re.findall(r"^\| (`[a-z0-9_`, ]+`) \| (4\d\d) \|", DOCUMENT, re.MULTILINE)
    documented = {(code, int(status)) for codes, status in rows for code in re.findall(r"`(\w+)`", codes)}
    errors = {
        error
        for module in MODULES
        for error in vars(module).values()
        if isinstance(error, type) and issubclass(error, HLVError) and error.__module__ == module.__name__
    }
    assert documented == {(error.code, error.status) for error in errors} - {("invalid", 400)}
