"""A dataset's rows as a corpus, in a fixed number of queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.importing.datasets import import_dataset
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, Instance
from metaeval.training.judgements import UNKNOWN
from metaeval.training_jobs.courses import corpus_of
from tests.metaeval.datasets import annotated_dataset

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("items", [3, 30])
def test_a_corpus_takes_three_queries_however_large_it_is(items):
    dataset = annotated_dataset(items=items, systems=0)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        corpus = corpus_of(dataset)
    assert len(queries) == 3
    assert (len(corpus), corpus.texts[0], corpus.given[0]) == (items, ("text 0",), "")
    assert corpus.judgements.people == tuple(f"p{person}" for person in range(5))
    assert corpus.judgements.shares.tolist() == dataset.gold.tolist()


def test_shares_of_several_labels_and_points_of_a_scale_are_those_of_the_dataset():
    for task, trained in (("multilabel", "multilabel"), ("ordinal", "multiclass")):
        dataset = annotated_dataset(task, task=task, systems=0)
        corpus = corpus_of(dataset)
        assert corpus.judgements.task == trained
        assert corpus.judgements.shares.tolist() == dataset.gold.tolist()


def test_nobody_knows_who_gave_an_annotation_without_a_code():
    corpus = corpus_of(annotated_dataset(known=False, systems=0))
    assert set(corpus.judgements.person.tolist()) == {UNKNOWN}
    assert corpus.judgements.people == ()


def test_withdrawn_and_erased_texts_cannot_be_used():
    dataset = annotated_dataset(items=4, systems=0)
    now = timezone.now()
    Instance.objects.filter(dataset=dataset, position=1).update(withdrawn_at=now)
    Instance.objects.filter(dataset=dataset, position=2).update(withdrawn_at=now, erased_at=now, segments=[])
    assert corpus_of(dataset).usable.tolist() == [True, False, False, True]


def test_ids_say_the_part_of_datasets_that_were_imported_before_parts_were_stored():
    dataset = annotated_dataset(items=3, systems=0)
    for place, name in enumerate(("train/1", "dev/1", "test/1")):
        Instance.objects.filter(dataset=dataset, position=place).update(external_id=name)
    assert corpus_of(dataset).given == ("train", "dev", "test")
    Instance.objects.filter(dataset=dataset, position=0).update(split="test")
    assert corpus_of(dataset).given == ("test", "", ""), "what files say goes before what ids look like"
    Instance.objects.filter(dataset=dataset, position=0).update(split="", external_id="a/1")
    assert corpus_of(dataset).given == ("", "", ""), "ids with a slash need not name parts"


@pytest.mark.shared_data
@pytest.mark.parametrize(("name", "sizes"), [("HS-Brexit", (784, 168, 168)), ("ArMIS", (657, 141, 145))])
def test_the_published_parts_are_read_from_the_files(shared_data, name, sizes):
    parts = ("train", "dev", "test")
    files = [SourceFile.at(shared_data / "lewidi2023" / f"{name}_{part}.json") for part in parts]
    import_dataset(files=files, slug="published")
    corpus = corpus_of(Dataset.objects.get(slug="published"))
    assert tuple(corpus.given.count(part) for part in parts) == sizes
    assert corpus.usable.all()
