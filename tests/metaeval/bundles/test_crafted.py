"""Whatever somebody puts into a bundle: it is checked or refused with a sentence, never with a traceback."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metaeval.bundles.archive import BundleError
from metaeval.bundles.verifying import Finding, verify

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]
NASTY = st.sampled_from(
    [
        None,
        True,
        -1,
        0,
        10**30,
        1e308,
        "",
        "x",
        "9" * 5000,
        [],
        {},
        [[]],
        [None],
        {"a": 1},
        ["x"] * 50,
        "\x00",
        "é\ud7ff",
    ]
)


def places(value, at=()):
    """The path to every value of a document."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*at, key))


def put(value, at, new, *, gone):
    """The document with something else, or nothing, at one place."""
    if not at:
        return new
    copy = value.copy()
    if gone and len(at) == 1:
        del copy[at[0]]
    else:
        copy[at[0]] = put(value[at[0]], at[1:], new, gone=gone)
    return copy


def checked_or_refused(path: Path) -> None:
    """No analysis is computed again: those have their own bounds, and would take a minute each time."""
    with suppress(BundleError):
        assert all(isinstance(one, Finding) for one in verify(path, only=["none"]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_value_anywhere_is_found_or_refused(content, changed, data) -> None:
    name = data.draw(st.sampled_from(sorted(one for one in content if one.endswith(".json"))))
    document = json.loads(content[name])
    at = data.draw(st.sampled_from(list(places(document))[:400]))
    other = put(document, at, data.draw(NASTY), gone=data.draw(st.booleans()))
    body = json.dumps(other).encode()
    path = changed({name: body}, rehash=name != "datapackage.json")
    checked_or_refused(path)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_cell_of_a_table_is_found_or_refused(content, changed, data) -> None:
    name = data.draw(st.sampled_from(sorted(one for one in content if one.endswith(".csv"))))
    lines = content[name].decode().split("\n")
    line = data.draw(st.integers(0, min(len(lines) - 1, 30)))
    cells = lines[line].split(",")
    cells[data.draw(st.integers(0, len(cells) - 1))] = data.draw(
        st.sampled_from(["", "x", "-1", "1e999", "nan", "9" * 400, '"', "0x1", "[[[", "2026-13-45", "é"])
    )
    lines[line] = ",".join(cells)
    path = changed({name: "\n".join(lines).encode()}, rehash=True)
    checked_or_refused(path)


def test_nesting_without_end_is_refused(changed) -> None:
    for body in (b"[" * 100_000, b'{"a":' * 900 + b"1" + b"}" * 900):
        with pytest.raises(BundleError):
            verify(changed({"datapackage.json": body}))


def test_what_takes_too_long_ends_with_a_sentence_and_1(bundle) -> None:
    told = subprocess.run(
        [sys.executable, "manage.py", "verify_bundle", str(bundle), "--max-seconds", "0.01"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert told.stderr.strip().endswith("This took longer than 0.01 seconds (--max-seconds).")
    assert "Traceback" not in told.stderr
