"""What the tests of importing share: files, and imports that must be refused."""

import pytest
from django.utils import translation

from annotations.importing.datasets import RefusedWithReport, import_dataset, import_predictions
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, Event, System


def untranslated(english, german):
    """The reasons and remedies that are the same in both languages."""
    return [
        one[what]
        for one, other in zip(english, german, strict=True)
        for what in ("reason", "remedy")
        if one[what] == other[what]
    ]


@pytest.fixture
def write(tmp_path):
    """Write a file of text or bytes."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return SourceFile.at(path)

    return write


@pytest.fixture
def bring(db):
    """Import a dataset from files under the slug `small`, and return it."""

    def bring(*files, **options):
        import_dataset(files=files, slug="small", options=options)
        return Dataset.objects.get(slug="small")

    return bring


@pytest.fixture
def refused(db):
    """Import a dataset that must be refused without a trace; return the problems."""

    def refused(*files, **options):
        with pytest.raises(RefusedWithReport) as caught:
            import_dataset(files=files, slug="bad", options=options)
        rehearsed = import_dataset(files=files, slug="bad", options=options, dry_run=True)
        assert rehearsed.problems == caught.value.report.problems, "a dry run says what the import says"
        assert not Dataset.objects.filter(slug="bad").exists()
        assert not Event.objects.filter(subject="bad").exists()
        assert all(problem["remedy"] and problem["file"] for problem in rehearsed.problems)
        with translation.override("de"):
            german = import_dataset(files=files, slug="bad", options=options, dry_run=True)
        assert untranslated(rehearsed.problems, german.problems) == []
        return rehearsed.problems

    return refused


@pytest.fixture
def refused_predictions(db):
    """Import predictions that must be refused without a trace; return the problems."""

    def refused(dataset, *files, **options):
        before = System.objects.count()
        with pytest.raises(RefusedWithReport) as caught:
            import_predictions(files=files, dataset=dataset, options=options)
        rehearsed = import_predictions(files=files, dataset=dataset, options=options, dry_run=True)
        assert rehearsed.problems == caught.value.report.problems, "a dry run says what the import says"
        with translation.override("de"):
            german = import_predictions(files=files, dataset=dataset, options=options, dry_run=True)
        assert untranslated(rehearsed.problems, german.problems) == []
        assert System.objects.count() == before
        return rehearsed.problems

    return refused
