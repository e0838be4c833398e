"""Adding a format is adding one reader: everything else finds it."""

import numpy as np
import pytest

from annotations.ground.registry import UnknownName
from annotations.importing.datasets import import_dataset
from annotations.importing.formats import DatasetReader, dataset_readers, detect
from annotations.importing.memory.options import Options
from annotations.importing.memory.tables import DatasetTable, InstanceRow, LabelSet
from annotations.models import Dataset, Task


class OneWordReader(DatasetReader[Options]):
    """One word a line: an instance with one vote for itself."""

    name = "one-word"
    title = "One word"
    description = "One word a line."
    options = Options

    def detect(self, files):
        return float(files[0].suffix == ".words")

    def read(self, files, options, problems, progress):
        words = files[0].path.read_text().split()
        labels = LabelSet(tuple(words), Task.MULTICLASS)
        gold = [[float(word == other) for other in words] for word in words]
        return DatasetTable(labels=labels, instances=[InstanceRow(word) for word in words], gold=np.array(gold))


@pytest.fixture
def one_word():
    dataset_readers.names()  # everything of the project is loaded before
    dataset_readers.register("one-word")(OneWordReader())
    yield
    del dataset_readers._entries["one-word"]


def test_a_new_format_is_detected_and_written_like_any_other(db, write, one_word):
    report = import_dataset(files=[write("a.words", "yes\nno\n")], slug="words")
    assert (report.format, report.labels) == ("one-word", ["yes", "no"])
    assert Dataset.objects.get().gold.tolist() == [[1, 0], [0, 1]]


def test_an_unknown_format_is_refused_with_the_names_that_exist(db, write):
    with pytest.raises(UnknownName, match=r": argilla, .*\bchaosnli, .*\btable"):
        import_dataset(files=[write("a.csv", "x\n1\n")], slug="x", format_name="odd")


def test_the_surest_reader_wins_and_nobody_is_sure_of_everything(write):
    table = write("a.jsonl", '{"instance": "a", "label": "x", "probability": 1}\n')
    chaosnli = write("b.jsonl", '{"uid": "a", "label_counter": {"e": 1}}\n')
    array = write("c.npy", b"\x93NUMPY")
    found = [detect(dataset_readers, files) for files in ([table], [chaosnli], [table, array], [write("d", b"\0\1")])]
    assert [reader.name if reader else None for reader in found] == ["table", "chaosnli", "matrix", None]
