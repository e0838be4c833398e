"""Archives made to do harm. Each is refused with a sentence, and nothing is written or run."""

import json
import pickle
import stat
import struct
import zipfile

import pytest

from metaeval.bundles.archive import Archive, BundleError
from metaeval.bundles.rebuilding import rebuilt
from metaeval.bundles.verifying import verify

pytestmark = pytest.mark.django_db
BAD_NAMES = ["../outside.csv", "/etc/passwd", "data/../../x", "data\\..\\x", "C:\\x", "data//x", ".hidden", "a/./b"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_path_that_leads_anywhere_else_is_refused(changed, name):
    with pytest.raises(BundleError, match="a name that does not belong in a bundle"):
        Archive(changed({}, extra=[(name, b"x")]))


def test_a_name_that_the_library_would_cut_is_refused(changed):
    path = changed({}, extra=[("data/answers.csv_../x", b"x")])
    path.write_bytes(path.read_bytes().replace(b"data/answers.csv_../x", b"data/answers.csv\x00../x"))
    with pytest.raises(BundleError, match="a name that does not belong in a bundle"):
        Archive(path)


def test_a_link_is_refused(changed):
    link = zipfile.ZipInfo("data/link.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(BundleError, match="a link"):
        Archive(changed({}, extra=[(link, b"/etc/passwd")]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_twice_is_refused(changed):
    with pytest.raises(BundleError, match="twice"):
        Archive(changed({}, extra=[("data/answers.csv", b"x")]))


def test_a_bomb_is_refused_before_it_is_unpacked(changed):
    path = changed({}, extra=[("data/bomb.csv", b"0" * 30_000_000)])
    assert path.stat().st_size < 1_000_000
    with pytest.raises(BundleError, match="at most 10,000,000 are read"):
        Archive(path, max_bytes=10_000_000)


def test_a_bomb_that_lies_about_its_size_is_refused(changed):
    """The directory says 10 bytes, but there are 30 million: at most 10 are ever read."""
    path = changed({"data/reports.csv": b"0" * 30_000_000}, rehash=True)
    raw = path.read_bytes()
    patched = raw.replace(struct.pack("<I", 30_000_000), struct.pack("<I", 10))
    assert patched != raw
    path.write_bytes(patched)
    with pytest.raises(BundleError, match=r"damaged|long|checksum"):
        Archive(path, max_bytes=10_000_000)


def test_very_many_files_are_refused(changed):
    with pytest.raises(BundleError, match="at most 20,000"):
        Archive(changed({}, extra=[(f"data/{n}", b"") for n in range(20_001)]))


def test_an_encrypted_file_is_refused(bundle, tmp_path):
    raw = bytearray(bundle.read_bytes())
    raw[raw.rindex(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "x.zip").write_bytes(raw)
    with pytest.raises(BundleError, match="encrypted"):
        Archive(tmp_path / "x.zip")


@pytest.mark.parametrize("raw", [b"", b"PK\x03\x04", b"no archive", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_bundle_is_refused(tmp_path, raw):
    path = tmp_path / "x.zip"
    path.write_bytes(raw)
    with pytest.raises(BundleError):
        Archive(path)
    with pytest.raises(BundleError):
        Archive(tmp_path / "absent.zip")


def test_a_truncated_archive_and_a_damaged_file_are_refused(bundle, tmp_path):
    raw = bundle.read_bytes()
    at = raw.index(b"data/answers.csv") + 200
    for name, damaged in (
        ("half", raw[: len(raw) // 2]),
        ("flip", raw[:at] + bytes([raw[at] ^ 0xFF]) + raw[at + 1 :]),
    ):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(BundleError):
            Archive(tmp_path / name)


def test_files_that_the_package_does_not_name_and_missing_ones_are_refused(changed):
    with pytest.raises(BundleError, match="do not name the same files"):
        Archive(changed({}, extra=[("more.csv", b"x")]))
    with pytest.raises(BundleError, match="do not name the same files"):
        Archive(changed({}, without=["data/reports.csv"]))
    with pytest.raises(BundleError, match="so it is not a bundle"):
        Archive(changed({}, without=["datapackage.json"]))


class Evil:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was run",))


@pytest.mark.parametrize("name", ["data/judgements.csv", "study.json", "data/answers.csv", "plan.json"])
def test_a_pickle_is_not_run(changed, name):
    with pytest.raises(BundleError):
        verify(changed({name: pickle.dumps(Evil())}, rehash=True), only=["system_scores"])


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("study.json", b'"version": 1', b'"version": 2'),
        ("study.json", b'"display_threshold": 0.1', b'"display_threshold": NaN'),
        ("study.json", b'"labels": [', b'"labels": 5, "other": ['),
        ("study.json", b'"data/systems/0000.csv"', b'"../../etc/passwd"'),
        ("data/judgements.csv", b"\r\n0", b"\r\nnan"),
        ("data/judgements.csv", b"\r\n0", b"\r\n0,0"),
        ("data/annotations.csv", b"instance,", b"instances,"),
    ],
)
def test_nonsense_inside_is_refused_in_a_sentence(changed, content, name, old, new):
    assert old in content[name]
    path = changed({name: content[name].replace(old, new, 1)}, rehash=True)
    with pytest.raises(BundleError) as refused, Archive(path) as archive:
        assert rebuilt(archive).data.annotations
    assert refused.value.message.endswith(".")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("instance", "999"),
        ("second", "-1"),
        ("first", "9"),
        ("labels", "0;4"),
        ("repeat_of", "-2"),
        ("is_pilot", "maybe"),
        ("expert", "x"),
    ],
)
def test_an_answer_that_leads_nowhere_is_refused(changed, content, column, value):
    header, row, *rest = content["data/answers.csv"].decode().splitlines()
    cells = row.split(",")
    cells[header.split(",").index(column)] = value
    table = "\r\n".join([header, ",".join(cells), *rest, ""]).encode()
    with pytest.raises(BundleError), Archive(changed({"data/answers.csv": table}, rehash=True)) as archive:
        rebuilt(archive)


def test_json_too_deep_to_read_is_refused(changed):
    with pytest.raises(BundleError):
        verify(changed({"plan.json": b"[" * 200_000}, rehash=True), only=["system_scores"])


def test_a_package_that_is_no_object_is_refused(changed):
    for package in ([], {"resources": 5}, {"resources": [{"path": 7}]}, {"resources": [[]]}):
        with pytest.raises(BundleError):
            Archive(changed({"datapackage.json": json.dumps(package).encode()}))
