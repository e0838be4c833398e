"""Whatever a file of any reader holds: it is read whole or refused in words, and nothing else ever comes out."""

import copy
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotations.ground.progress import silent
from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.memory.limits import NAME_LENGTH
from annotations.importing.memory.names import all_storable
from annotations.importing.memory.problems import ImportRefused, Problems
from annotations.importing.memory.tables import LabelSet, Target
from annotations.importing.reading.files import SourceFile
from annotations.importing.writing.datasets import dataset_fingerprint, distributions_to_store
from annotations.models import Task
from tests.annotations.importing import test_judge_bench, test_lewidi2023, test_lewidi2025, test_topical_chat
from tests.annotations.importing.test_judge_bench import FLUENT, QUALITY, SAFE

hard = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

DOCUMENTS = {
    "lewidi2023": (
        {
            "1": test_lewidi2023.item(),
            "2": test_lewidi2023.item("0,0,1", "a,a,b", lang="ar"),
            "3": test_lewidi2023.item("0", "a", text='{"agent": "Hi."}'),
        },
        [{}, {"unjudged": "leave_out"}, {"task": "ordinal", "labels": "0;1;2"}, {"exclusive": "1"}],
    ),
    "lewidi2025": (
        {
            "7": test_lewidi2025.item({"Ann1": "e", "Ann2": "e,n"}, soft_label={"e": {"0": 0.0, "1": 1.0}}),
            "8": test_lewidi2025.item({"Ann2": "n"}, soft_label={"n": {"0": 0.0, "1": 1.0}}),
        },
        [{}, {"unjudged": "leave_out"}, {"task": "multiclass"}, {"exclusive": "n"}],
    ),
    "judge-bench": (
        {
            "annotations": [SAFE, FLUENT, QUALITY],
            "instances": [
                test_judge_bench.instance(1, safety=["Yes", "No"], fluency=[1, 5], quality=[0, 99.5]),
                test_judge_bench.instance("b", {"a": "x"}, safety=[], fluency=["2"], quality=[50]),
            ],
        },
        [
            {"criterion": "safety", "unjudged": "leave_out"},
            {"criterion": "fluency", "raters": "position"},
            {"criterion": "quality", "bins": 7, "outside": "leave_out"},
        ],
    ),
    "topical-chat": (
        [test_topical_chat.context(test_topical_chat.response(), test_topical_chat.response("B"))],
        [{"criterion": "Natural"}, {"criterion": "Understandable", "responses": "B"}, {}],
    ),
}
VOTES = [
    {"question_id": 81, "turn": 1, "model_a": "x", "model_b": "y", "judge": "ann", "winner": "tie"},
    {"question_id": 82, "turn": 2, "model_a": "y", "model_b": "x", "judge": "gpt4_pair", "winner": "model_a"},
]
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**18), 10**18),
    st.floats(),
    st.text(max_size=4),
    st.sampled_from(
        [
            "",
            "nan",
            "\x00",
            "\ud800",
            "0,",
            '{"a": 1}',
            '{"": "x", "\\u0000": "y"}',
            "-5",
            "1e999",
            "x" * 300,
            [],
            {},
            [[]],
            {"": None},
        ]
    ),
)


def read(name, files, options):
    """Read a dataset and look at all of it, as a dry run does; or be refused, with a remedy for everything."""
    reader, problems = dataset_readers.get(name), Problems()
    try:
        table = reader.read(files, reader.options(**options), problems, silent)
    except ImportRefused:
        assert problems.count >= 1
        assert all(problem.reason and problem.remedy for problem in problems.kept)
        return
    assert not problems
    distributions_to_store(table)
    dataset_fingerprint(table)
    names = [*table.labels.names, *(row.external_id for row in table.instances)]
    names += table.annotations.annotators if table.annotations else [judge.code for judge in table.votes.judges]
    assert all(names)
    assert all_storable(names, NAME_LENGTH)
    segments = [segment for row in table.instances for segment in row.segments]
    assert all_storable([text for segment in segments for text in segment])
    assert all_storable([row.language for row in table.instances], 20)
    assert {row.direction for row in table.instances} <= {"ltr", "rtl"}


def places(value, path=()):
    """Every place in a document."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def replaced(document, path, value):
    document = copy.deepcopy(document)
    if not path:
        return value
    part = document
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return document


@hard
@given(st.data(), st.sampled_from(sorted(DOCUMENTS)))
def test_any_value_at_any_place_of_a_document_is_read_or_refused(data, name):
    document, options = DOCUMENTS[name]
    for _ in range(data.draw(st.integers(1, 3))):
        document = replaced(document, data.draw(st.sampled_from(list(places(document)))), data.draw(ODD))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x_train.json"
        path.write_text(json.dumps(document))
        read(name, [SourceFile.at(path)], data.draw(st.sampled_from(options)))


@hard
@given(st.data(), st.sampled_from([*sorted(DOCUMENTS), "pairwise"]), st.binary(max_size=6), st.integers(0, 40))
def test_any_damage_to_a_file_is_read_or_refused(data, name, junk, cut):
    rows = "".join(json.dumps(row) + "\n" for row in VOTES)
    content = (rows if name == "pairwise" else json.dumps(DOCUMENTS[name][0], indent=1)).encode()
    at = data.draw(st.integers(0, len(content)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("x.jsonl" if name == "pairwise" else "x_train.json")
        path.write_bytes(content[:at] + junk + content[at + cut :])
        read(name, [SourceFile.at(path)], {} if name == "pairwise" else data.draw(st.sampled_from(DOCUMENTS[name][1])))


@hard
@given(st.data(), st.sampled_from(["x.jsonl", "x.csv"]))
def test_any_value_in_any_vote_is_read_or_refused(data, name):
    rows = [dict(row) for row in VOTES]
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.sampled_from(rows))
        extra = ["certainty", "judge_kind", "instance", "conversation_a", "odd"]
        row[data.draw(st.sampled_from([*row, *extra]))] = data.draw(ODD)
    if name.endswith(".csv"):
        names = list(dict.fromkeys(key for row in rows for key in row))
        cells = [
            [str(row.get(key, "")).encode("utf-8", "surrogatepass").decode("utf-8", "replace") for key in names]
            for row in rows
        ]
        text = "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in [names, *cells])
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8", newline="")
        read("pairwise", [SourceFile.at(path)], {})


@hard
@given(st.data(), st.sampled_from([Task.ORDINAL, Task.MULTILABEL]), st.sampled_from(["id", "position"]), st.booleans())
def test_any_submission_is_read_or_refused(data, task, align, rescale):
    numbers = st.one_of(st.integers(-2, 3), st.floats(0, 1), st.sampled_from(["nan", "1e999", "x", "", "True", "[1]"]))
    lists = st.lists(numbers, min_size=0, max_size=4)
    nested = st.one_of(lists, st.lists(lists, max_size=4), st.sampled_from(["[", "()", "[[[[1]]]]", "[1][0]", "0"]))
    lines = [f"{id_}\t{str(data.draw(nested)).replace(chr(39), '')}" for id_ in data.draw(st.permutations(["a", "b"]))]
    target = Target(
        slug="d", labels=LabelSet(("1", "2", "3"), task), external_ids=("a", "b"), annotations_of=lambda: [2, 3]
    )
    reader, problems = prediction_readers.get("lewidi2025"), Problems()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / data.draw(st.sampled_from(["x.tsv", "x_soft.tsv", "x_pe.tsv"]))
        path.write_text("\n".join(lines))
        try:
            options = reader.options(align=align, rescale=rescale)
            table = reader.read([SourceFile.at(path)], options, target, problems, silent)
        except ImportRefused:
            assert problems.count >= 1
            return
    assert not problems
    assert all(system.Q.shape == (2, 3) for system in table.systems)
    assert all(answers.matrix.shape == (5, 3) for answers in table.answers)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_the_undamaged_documents_are_read(tmp_path, name):
    path = tmp_path / "x_train.json"
    document, options = DOCUMENTS[name]
    path.write_text(json.dumps(document))
    reader = dataset_readers.get(name)
    assert reader.detect([SourceFile.at(path)]) == 0.9
    table = reader.read([SourceFile.at(path)], reader.options(**options[0]), Problems(), silent)
    assert len(table.instances) >= 1
