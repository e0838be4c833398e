"""A study restored from the original format has the fractions that its files say, answer by answer."""

import pytest

from annotations.background.kept_files import write
from metaeval.analyses.inputs.fractions import preference_fractions
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.bundles.archive import Archive
from metaeval.bundles.rebuilding import rebuilt
from metaeval.documents.making import document_chunks
from metaeval.documents.models import DocumentKind
from tests.worlds.original import SYSTEMS, make_original_files, restored_original

pytestmark = pytest.mark.django_db


def fractions(inputs):
    found = preference_fractions(inputs.responses(), inputs.systems, both="1", weights="none", average="responses")
    return {one.system: one.fraction for one in found}


def test_all_twelve_fractions_are_those_of_the_files(tmp_path):
    original = make_original_files(tmp_path, repeats=4)
    study = restored_original(original)
    inputs = gather_study(study)
    assert len(inputs.responses()) == 396
    assert len(original.fractions) == SYSTEMS == 12
    assert fractions(inputs) == original.fractions


def test_a_bundle_of_a_restored_study_has_the_same_fractions(tmp_path):
    original = make_original_files(tmp_path / "files")
    study = restored_original(original)
    path = tmp_path / "bundle.zip"
    write(path, document_chunks(study, DocumentKind.BUNDLE))
    with Archive(path) as archive:
        found = rebuilt(archive)
        assert found.fingerprint == gather_study(study).fingerprint
        assert fractions(found) == original.fractions
