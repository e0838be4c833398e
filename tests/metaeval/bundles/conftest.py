"""One study with everything in it and all its results, bundled once for all tests of this folder."""

import io
import json
import zipfile
from hashlib import sha256

import pytest
from django.db import transaction

from annotations.background.kept_files import write
from metaeval.analyses.inputs.gathering import gather_study
from metaeval.documents.making import document_chunks
from metaeval.documents.models import DocumentKind
from tests.metaeval.finished import whole_study, with_results


@pytest.fixture(scope="session")
def made(django_db_setup, django_db_blocker, tmp_path_factory):
    """The bundle's path, and the inputs as the database gave them. The database is as before afterwards."""
    path = tmp_path_factory.mktemp("bundle") / "demo-bundle.zip"
    with django_db_blocker.unblock(), transaction.atomic():
        study = with_results(whole_study())
        inputs = gather_study(study)
        matrices = {name: inputs.Q[name] for name in inputs.systems}
        instances = inputs.data.instances
        write(path, document_chunks(study, DocumentKind.BUNDLE))
        again = path.with_name("again.zip")
        write(again, document_chunks(study, DocumentKind.BUNDLE))
        texts = path.with_name("texts.zip")
        write(texts, document_chunks(study, DocumentKind.BUNDLE, with_texts=True))
        transaction.set_rollback(True)
    return {"path": path, "again": again, "texts": texts, "inputs": inputs, "Q": matrices, "instances": instances}


@pytest.fixture(autouse=True)
def no_database(made, db, django_db_blocker):
    """A bundle needs no database: in this folder, any query makes a test fail."""
    with django_db_blocker.block():
        yield


@pytest.fixture
def bundle(made):
    return made["path"]


@pytest.fixture
def content(bundle):
    """The files of the bundle."""
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def changed(content, tmp_path):
    """A function that makes a copy with different files in it; `rehash` makes the checksums fit, as a forger would."""

    def change(files, *, rehash=False, without=(), extra=()):
        files = {name: data for name, data in content.items() if name not in without} | files
        if rehash:
            package = json.loads(files["datapackage.json"])
            for resource in package["resources"]:
                data = files[resource["path"]]
                resource["bytes"], resource["hash"] = len(data), f"sha256:{sha256(data).hexdigest()}"
            files["datapackage.json"] = json.dumps(package).encode()
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in [*files.items(), *extra]:
                archive.writestr(name, data)
        path = tmp_path / "changed.zip"
        path.write_bytes(out.getvalue())
        return path

    return change
