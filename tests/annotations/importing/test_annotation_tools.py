"""Exports of annotation tools, as the tools wrote them (tests/fixtures/tools): who said what, and what is no answer."""

import json

import pytest
from django.utils import translation

from annotations.importing.datasets import import_dataset
from annotations.importing.formats import dataset_readers
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, HumanAnnotation
from tests.conftest import ROOT

TOOLS = ROOT / "tests" / "fixtures" / "tools"
# By hand, from what `said.json` says: t1 was answered by all three, t2 by ann and eve, t3 by ann and bob, t4 by eve.
URGENT = {
    "t1": {"yes": 2 / 3, "no": 1 / 3, "unsure": 0},
    "t2": {"yes": 0, "no": 1 / 2, "unsure": 1 / 2},
    "t3": {"yes": 1 / 2, "no": 1 / 2, "unsure": 0},
    "t4": {"yes": 1, "no": 0, "unsure": 0},
}
AREAS = {
    "t1": {"Housing": 2 / 3, "Consumer law": 2 / 3, "Neighbours": 0},
    "t2": {"Housing": 1 / 2, "Consumer law": 0, "Neighbours": 1 / 2},
    "t3": {"Housing": 0, "Consumer law": 1, "Neighbours": 0},
    "t4": {"Housing": 0, "Consumer law": 1, "Neighbours": 0},
}
SHARED_AREAS = {
    "t1": {"Housing": 1, "Consumer law": 1, "Neighbours": 0},
    "t2": {"Housing": 1, "Consumer law": 0, "Neighbours": 1},
    "t3": {"Housing": 0, "Consumer law": 1, "Neighbours": 0},
    "t4": {"Housing": 0, "Consumer law": 1, "Neighbours": 0},
}
CLARITY = {
    "t1": {"1": 0, "2": 0, "3": 1 / 3, "4": 1 / 3, "5": 1 / 3},
    "t2": {"1": 1 / 2, "2": 1 / 2, "3": 0, "4": 0, "5": 0},
    "t3": {"1": 0, "2": 0, "3": 1, "4": 0, "5": 0},
    "t4": {"1": 0, "2": 0, "3": 0, "4": 0, "5": 1},
}
ACCEPTED = {
    "t1": {"accept": 2 / 3, "reject": 1 / 3},
    "t2": {"accept": 0, "reject": 1},  # eve was unsure, and ignored it
    "t3": {"accept": 1 / 2, "reject": 1 / 2},
    "t4": {"accept": 1, "reject": 0},
}
LABEL_STUDIO = [["label_studio/export.json"], ["label_studio/export-min.json"], ["label_studio/export.csv"]]
DOCCANO = [[f"doccano/urgent-own/{who}.{kind}" for who in ("ann", "bob", "eve")] for kind in ("jsonl", "json", "csv")]
DOCCANO_SHARED = [[f"doccano/areas-shared/all.{kind}"] for kind in ("jsonl", "json", "csv")]
ARGILLA = [["argilla/datasets.jsonl"], ["argilla/datasets.parquet"]]
STATES = [f"potato/{who}/user_state.json" for who in ("ann", "bob", "eve")]
EXPORTS = [["potato/annotations.csv"], ["potato/annotations.jsonl"], STATES]
POTATO = [[*files, "potato/texts.jsonl"] for files in EXPORTS]
POTATO_1 = [[f"potato_1/annotated_instances.{kind}"] for kind in ("jsonl", "csv", "tsv")]
OWN_1 = [f"potato_1/{who}/annotated_instances.jsonl" for who in ("ann", "bob", "eve")]
CASE = {"identifier": "case"}
SCALE = {"task": "ordinal"}  # Potato does not say that a question is a scale

CASES = [
    *(("label-studio", files, CASE | {"criterion": "urgent"}, "multiclass", URGENT) for files in LABEL_STUDIO),
    *(("label-studio", files, CASE | {"criterion": "areas"}, "multilabel", AREAS) for files in LABEL_STUDIO),
    *(("label-studio", files, CASE | {"criterion": "clarity"}, "ordinal", CLARITY) for files in LABEL_STUDIO),
    *(("doccano", files, CASE, "multiclass", URGENT) for files in DOCCANO),
    *(("doccano", files, CASE, "multilabel", SHARED_AREAS) for files in DOCCANO_SHARED),
    *(("argilla", files, {"criterion": "urgent"}, "multiclass", URGENT) for files in ARGILLA),
    *(("argilla", files, {"criterion": "areas"}, "multilabel", AREAS) for files in ARGILLA),
    *(("argilla", files, {"criterion": "clarity"}, "ordinal", CLARITY) for files in ARGILLA),
    ("argilla", ["argilla/records.json"], {"criterion": "clarity"}, "ordinal", CLARITY),
    ("prodigy", ["prodigy/choice-urgent.jsonl"], CASE, "multiclass", URGENT),
    ("prodigy", ["prodigy/choice-areas.jsonl"], CASE, "multilabel", AREAS),
    ("prodigy", ["prodigy/binary.jsonl"], CASE, "multiclass", ACCEPTED),
    *(("potato", files, {"criterion": "urgent"}, "multiclass", URGENT) for files in POTATO),
    *(("potato", files, {"criterion": "areas"}, "multilabel", AREAS) for files in POTATO),
    *(("potato", files, SCALE | {"criterion": "clarity"}, "ordinal", CLARITY) for files in POTATO),
    *(("potato", files, {"criterion": "urgent"}, "multiclass", URGENT) for files in [*POTATO_1, OWN_1]),
    *(("potato", files, {"criterion": "areas"}, "multilabel", AREAS) for files in [*POTATO_1, OWN_1]),
    *(("potato", files, {"criterion": "clarity"}, "ordinal", CLARITY) for files in [*POTATO_1, OWN_1]),
]


def tool_files(*names):
    return [SourceFile.at(TOOLS / name) for name in names]


@pytest.mark.django_db
@pytest.mark.parametrize(("tool", "files", "options", "task", "shares"), CASES)
def test_the_shares_of_every_label_are_those_that_people_gave(tool, files, options, task, shares):
    report = import_dataset(files=tool_files(*files), slug="asked", options=options)
    dataset = Dataset.objects.get(slug="asked")
    names = list(dataset.labels.values_list("name", flat=True))
    ids = dataset.instances.values_list("external_id", flat=True)
    found = {id_: dict(zip(names, row, strict=True)) for id_, row in zip(ids, dataset.gold.tolist(), strict=True)}
    assert (report.format, dataset.task) == (tool, task)
    assert found == {id_: pytest.approx(shares[id_]) for id_ in shares}
    texts = {row.external_id: row.segments for row in dataset.instances.all()}
    said = json.loads((TOOLS / "said.json").read_text(encoding="utf-8"))["texts"]
    assert texts == {id_: [{"name": "", "text": said[id_]}] for id_ in shares}, "commas, line breaks, any script"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("files", "options", "people"),
    [
        (["label_studio/export.json"], {"criterion": "urgent"}, ["1", "2", "3"]),
        (["label_studio/export.csv"], {"criterion": "urgent"}, ["3", "2", "1"]),
        (DOCCANO[0], {}, ["ann", "bob", "eve"]),
        (["prodigy/choice-urgent.jsonl"], {}, ["urgent-ann", "urgent-bob", "urgent-eve"]),
        (POTATO[0], {"criterion": "urgent"}, ["ann", "bob", "eve"]),
        (POTATO_1[0], {"criterion": "urgent"}, ["ann", "bob"]),  # who begins with t3
        (OWN_1, {"criterion": "urgent"}, ["", ""]),
    ],
)
def test_everybody_is_known_by_the_tools_own_code(files, options, people):
    import_dataset(files=tool_files(*files), slug="asked", options=options)
    first = HumanAnnotation.objects.filter(instance__position=0).order_by("position")
    assert [row.annotator for row in first] == people


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("files", "options", "notes"),
    [
        (
            ["label_studio/export.json"],
            {"criterion": "areas"},
            [
                "The question 'areas' was used; the file also contains 'urgent', 'clarity'.",
                "2 predictions of a model were left out.",
                "1 answer chose no label, and counts as none of the labels.",
                "3 answers that people skipped were left out.",
                "1 item that nobody judged was left out.",
            ],
        ),
        (
            ["label_studio/export-min.json"],
            {"criterion": "urgent"},
            ["This kind of export does not contain what people skipped; JSON does."],
        ),
        (
            DOCCANO[0],
            {},
            [
                "Each file belongs to one person and is named after them: 'ann', 'bob', 'eve'.",
                "7 answers without a label (skipped, or not yet given: doccano does not say which) were left out.",
            ],
        ),
        (
            ["argilla/datasets.jsonl"],
            {"criterion": "urgent"},
            ["2 suggestions of a model were left out.", "3 answers that people discarded were left out."],
        ),
        (
            ["argilla/records.json"],
            {"criterion": "clarity"},
            [
                "This kind of export does not say which responses were discarded or are drafts: all of them count. "
                "An export with to_datasets() does say it."
            ],
        ),
        (["prodigy/choice-urgent.jsonl"], {}, ["3 answers that people skipped were left out."]),
        (POTATO[0], {"criterion": "urgent"}, ["2 answers of machines were left out."]),
        (
            POTATO[1],
            {"criterion": "clarity"},
            [
                "The task was interpreted as multiclass, because nobody chose more than one label.",
                "The labels are numbers (1 to 5), and were treated as classes without an order. If they are points "
                "on a scale, set the option 'task' = 'ordinal'.",
            ],
        ),
    ],
)
def test_what_is_no_judgement_is_counted_and_said(files, options, notes):
    report = import_dataset(files=tool_files(*files), slug="asked", options=options, dry_run=True)
    assert set(notes) <= set(report.notes)
    with translation.override("ar"):
        arabic = import_dataset(files=tool_files(*files), slug="asked", options=options, dry_run=True)
    assert len(arabic.notes) == len(report.notes)
    assert set(arabic.notes).isdisjoint(report.notes)


@pytest.mark.django_db
def test_a_machine_can_be_named(write):
    rows = [json.loads(line) for line in (TOOLS / "prodigy" / "choice-urgent.jsonl").read_text().splitlines()]
    file = write("choice.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    report = import_dataset(files=[file], slug="asked", options={"machines": "urgent-eve"}, dry_run=True)
    assert report.annotators == 2
    assert any(note.startswith("3 answers of machines") for note in report.notes)


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        *(("label-studio", name) for files in LABEL_STUDIO for name in files),
        *(("doccano", name) for files in [*DOCCANO, *DOCCANO_SHARED] for name in files),
        *(("argilla", name) for files in [*ARGILLA, ["argilla/records.json"]] for name in files),
        *(("prodigy", f"prodigy/{name}.jsonl") for name in ("choice-urgent", "choice-areas", "binary")),
        *(("potato", name) for name in ("potato/annotations.csv", "potato/annotations.jsonl", *STATES)),
        *(("potato", name) for files in [*POTATO_1, OWN_1] for name in files),
    ],
)
def test_every_tool_knows_its_own_files_and_no_others(tool, name):
    sure = {reader.name: reader.detect(tool_files(name)) for reader in dataset_readers}
    assert sure.pop(tool) == 0.9
    assert {reader for reader, score in sure.items() if score} <= {"table"}
    assert sure["table"] <= 0.5


@pytest.mark.parametrize(
    "text",
    [
        "id,text,label\n1,One.,yes\n",
        '{"id": 1, "text": "One.", "label": "yes"}\n',
        '[{"id": 1, "data": "One.", "annotations": {"ann": "yes"}}]',
        '{"text": "One.", "answer": "42"}\n',
        '[{"fields": "none", "responses": []}]',
    ],
)
def test_no_tool_takes_what_only_looks_a_little_like_it(write, text):
    file = write("some.csv" if text.startswith("id") else "some.json", text)
    tools = ("label-studio", "doccano", "argilla", "prodigy", "potato")
    assert [dataset_readers.get(name).detect([file]) for name in tools] == [0.0] * 5


@pytest.mark.django_db
def test_the_last_answer_of_one_person_counts(write):
    def answer(label, seconds):
        options = [{"id": name} for name in ("no", "yes")]
        about = {"_input_hash": 7, "_session_id": "ann", "_timestamp": seconds, "answer": "accept"}
        return json.dumps({"text": "One.", "options": options, "accept": [label], **about}) + "\n"

    file = write("choice.jsonl", answer("no", 200) + answer("yes", 100))
    report = import_dataset(files=[file], slug="asked")
    assert Dataset.objects.get(slug="asked").gold.tolist() == [[1, 0]], "the later one stands first in the file"
    assert any(note.startswith("1 answer ") for note in report.notes)


@pytest.mark.django_db
def test_an_address_is_not_stored(write):
    tasks = json.loads((TOOLS / "label_studio" / "export.json").read_text())
    for task in tasks:
        for annotation in task["annotations"]:
            annotation["completed_by"] = {"email": f"person{annotation['completed_by']}@example.org"}
    file = write("export.json", json.dumps(tasks))
    report = import_dataset(files=[file], slug="asked", options={"criterion": "urgent"})
    assert set(HumanAnnotation.objects.values_list("annotator", flat=True)) == {"person 1", "person 2", "person 3"}
    assert any("e-mail addresses, which are not stored" in note for note in report.notes)


def task(**changes):
    result = {"from_name": "q", "type": "choices", "value": {"choices": ["yes"]}}
    made = {"id": 7, "completed_by": 1, "was_cancelled": False, "result": [result]}
    return {"id": 1, "data": {"text": "One."}, "annotations": [made]} | changes


TWICE = {"from_name": "q", "type": "choices", "value": {"choices": ["no"]}}
RECORD = {"id": "a", "fields": {"text": "One."}, "responses": {"q": [{"value": "yes", "user_id": "u"}]}}
ANSWER = {"text": "One.", "_input_hash": 7, "options": [{"id": "yes"}], "accept": ["yes"], "answer": "accept"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("e.json", [task(), task(id=2, data=None)], (None, "item '2', data", "the task contains no data")),
        (
            "e.json",
            [task(), task(id=2, annotations={})],
            (None, "item '2', annotations", "the annotations are not a list"),
        ),
        (
            "e.json",
            [task(annotations=[task()["annotations"][0] | {"result": [*task()["annotations"][0]["result"], TWICE]}])],
            (None, "item '1', q", "the question has several answers of one person"),
        ),
        ("e.json", [task(), "no task"], (None, "item '2'", "this is not an object")),
        (
            "e.json",
            [task(), task(data={"text": "Two."})],
            (None, "item '1'", "the item appears twice, with two texts"),
        ),
        (
            "d.jsonl",
            '{"id": 1, "text": "One.", "label": ["yes"], "Comments": []}\n'
            '{"id": 2, "text": "Two.", "label": [[0, 3, "PER"]], "Comments": []}\n',
            (2, "item '2', label", "these are not labels of the whole text"),
        ),
        (
            "d.csv",
            'id,text,label,Comments\n1,"One,\ntwo.",yes,\n1,Other.,no,\n',
            (4, "item '1'", "the item appears twice, with two texts"),
        ),
        (
            "r.json",
            [RECORD, RECORD | {"id": "b", "responses": {"q": ["yes"]}}],
            (None, "item 'b', q", "this is not a response"),
        ),
        (
            "r.jsonl",
            '{"id": "a", "text": "One.", "q.responses": ["yes"], "q.responses.users": []}\n',
            (1, "item 'a', q.responses", "the lists of responses and users differ in length"),
        ),
        (
            "r.json",
            [RECORD | {"responses": {"q": [{"value": [{"value": "a", "rank": 1}], "user_id": "u"}]}}],
            (None, "item 'a', labels", "this is not a label"),
        ),
        (
            "p.jsonl",
            json.dumps(ANSWER) + "\n" + json.dumps(ANSWER | {"accept": ["no"]}) + "\n",
            (2, "item '7', accept", "the choice is not among the options"),
        ),
        (
            "p.jsonl",
            json.dumps(ANSWER) + "\n" + json.dumps(ANSWER | {"answer": "maybe"}) + "\n",
            (2, "item '7', answer", "this is not an answer"),
        ),
        (
            "o.jsonl",
            '{"instance_id": "a", "user_id": "ann", "labels": {"q": {"yes": "yes"}}}\n'
            '{"instance_id": "", "user_id": "ann", "labels": {"q": {"yes": "yes"}}}\n',
            (2, "item '2', labels", "there is no item, or there are no labels"),
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(refused, write, name, content, place):
    file = write(name, content if isinstance(content, str) else json.dumps(content))
    (problem,) = refused(file)
    assert (problem["file"], problem["line"], problem["field"], problem["reason"]) == (name, *place)


@pytest.mark.django_db
def test_records_of_argillas_rest_api_say_who_discarded_what(write):
    def response(who, status, values):
        return {"user_id": who, "status": status, "values": values}

    record = {
        "id": "a",
        "fields": {"text": "One."},
        "responses": [
            response("u", "submitted", {"q": {"value": "yes"}}),
            response("v", "submitted", {"q": {"value": "no"}}),
            response("w", "discarded", None),
            response("x", "draft", {"q": {"value": "no"}}),
        ],
    }
    file = write("records.json", json.dumps([record]))
    report = import_dataset(files=[file], slug="asked")
    assert Dataset.objects.get(slug="asked").gold.tolist() == [[1 / 2, 1 / 2]]
    assert [note.split()[:2] for note in report.notes[-2:]] == [["1", "answer"], ["1", "answer"]]


@pytest.mark.django_db
def test_a_csv_of_argilla_has_lost_its_lists(refused, write):
    rows = """a,One.,"['yes' 'no']","['u' 'v']"\n"""
    (problem,) = refused(write("records.csv", "id,text,q.responses,q.responses.users\n" + rows * 3))
    assert problem["reason"].startswith("a CSV from to_datasets() turns lists into text")
    assert "to_json" in problem["remedy"]


@pytest.mark.django_db
def test_of_several_questions_one_is_named(refused):
    (problem,) = refused(*tool_files("label_studio/export.csv"), identifier="case")
    assert problem["value"] == "'areas', 'clarity', 'urgent'"
    (problem,) = refused(*tool_files("label_studio/export.json"), criterion="colour")
    assert (problem["field"], problem["value"]) == ("criterion", "'urgent', 'clarity', 'areas'")


@pytest.mark.django_db
def test_where_no_field_is_called_text_the_text_is_named(bring, refused, write):
    file = write("e.json", json.dumps([task(data={"premise": "One.", "claim": "Two.", "source": "web"})]))
    (problem,) = refused(file)
    assert (problem["file"], problem["value"]) == ("e.json", "'premise', 'claim', 'source'")
    assert "'texts'" in problem["remedy"]
    dataset = bring(file, texts="premise; claim")
    assert dataset.instances.get().segments == [
        {"name": "premise", "text": "One."},
        {"name": "claim", "text": "Two."},
    ]


@pytest.mark.django_db
def test_two_files_of_one_name_are_not_two_people(refused):
    (problem,) = refused(*tool_files("doccano/urgent-own/ann.jsonl", "doccano/urgent-own/ann.csv"))
    assert (problem["file"], problem["value"]) == ("ann.csv", "ann")


@pytest.mark.django_db
def test_an_answer_about_an_unknown_item_is_refused(refused, write):
    texts = write("texts.jsonl", '{"id": "t1", "text": "One."}\n')
    problems = refused(*tool_files("potato/annotations.jsonl"), texts, criterion="urgent")
    assert [problem["line"] for problem in problems] == [1, 3, 5, 6, 8, 10]
    assert {problem["field"] for problem in problems} >= {"item 't2', instance_id", "item 't3', instance_id"}


@pytest.mark.django_db
def test_several_labels_are_refused_where_the_task_takes_one(refused):
    problems = refused(*tool_files("label_studio/export.json"), criterion="areas", task="multiclass")
    assert [problem["value"] for problem in problems] == [
        f"Housing, {other}" for other in ("Consumer law", "Neighbours")
    ]


def test_the_form_begins_with_what_nearly_everybody_needs():
    fields = list(dataset_readers.get("label-studio").options.model_json_schema()["properties"])
    assert fields[:5] == ["criterion", "identifier", "texts", "task", "labels"]
    assert sorted(fields) == sorted(dataset_readers.get("label-studio").options.model_fields)
