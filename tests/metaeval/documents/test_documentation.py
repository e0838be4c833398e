"""`docs/reports.md` says what there is."""

import re
import shlex
from pathlib import Path

from django.core.management import load_command_class
from django.urls import resolve

from metaeval.bundles import layout
from metaeval.bundles.verifying import Equality

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "reports.md").read_text(encoding="utf-8")


def test_every_command_line_can_be_typed_as_it_stands():
    lines = re.findall(r"^\.venv/bin/python manage\.py (.+)$", DOCUMENT, re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        name, *arguments = shlex.split(line.replace("[--with-texts]", "--with-texts"))
        load_command_class("metaeval", name).create_parser("manage.py", name).parse_args(arguments)


def test_every_address_exists():
    addresses = re.findall(r"(?:GET|POST) (/api/\S+?)`", DOCUMENT)
    assert len(addresses) == 5
    for address in addresses:
        resolve(address.format(slug="study", id="00000000-0000-0000-0000-000000000001"))


def test_every_file_of_a_bundle_and_every_verdict_is_documented():
    fixed = {
        value for name, value in vars(layout).items() if name.isupper() and isinstance(value, str) and "." in value
    }
    assert len(fixed) == 13
    for file in (*fixed, layout.system_path(0), layout.predicted_path(0), layout.result_path(1, "agreement")):
        assert f"`{file}`" in DOCUMENT
    for verdict in Equality:
        assert f"| `{verdict}` |" in DOCUMENT
