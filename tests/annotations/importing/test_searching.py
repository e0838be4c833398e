"""Other words by which experts find labels come with a label list, and can be given later; what is none is refused."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from annotations.answering.assigning import next_assignment
from annotations.api.answering.shapes import task_of
from annotations.designing.label_names import find_labels_by
from annotations.importing.datasets import import_dataset
from annotations.importing.responses.restoring import restore_study
from annotations.importing.responses.study_responses import read_study_responses
from annotations.models import Dataset, Event, EventKind, Label
from annotations.simulating.demo.texts import LABELS, load_search_words
from annotations.storing.search_terms import LONGEST_WORD, MOST_WORDS, BadSearchWords, search_words
from tests.annotations.api.datasets.test_instances import importer
from tests.worlds.datasets import make_dataset
from tests.worlds.exported import put, written
from tests.worlds.full import make_full_dataset, make_full_study
from tests.worlds.studies import make_expert, make_study, plan_and_open

SHARES = "instance,label,probability\na,tax,0.25\na,family,0.75\nb,tax,1\nb,family,0\n"


@given(st.lists(st.text(max_size=LONGEST_WORD + 4) | st.text("ab C", max_size=4), max_size=MOST_WORDS + 4))
def test_what_is_kept_can_be_typed_fits_and_stands_once(words):
    try:
        kept = search_words(words)
    except BadSearchWords:
        return  # nothing is kept
    assert len(kept) <= MOST_WORDS
    assert all(0 < len(word) <= LONGEST_WORD and word.isprintable() and word == word.strip() for word in kept)
    assert len({word.casefold() for word in kept}) == len(kept)
    assert search_words(kept) == kept


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("labels.txt", "tax\tincome; VAT ;\nfamily\n"),
        ("labels.json", json.dumps([{"name": "tax", "search_words": ["income", "VAT"]}, "family"])),
    ],
)
def test_a_label_list_brings_them_and_they_change_no_fingerprint(write, bring, name, content):
    dataset = bring(write("shares.csv", SHARES), write(name, content))
    assert [(one.name, one.search_words) for one in dataset.labels.all()] == [
        ("tax", ["income", "VAT"]),
        ("family", []),
    ]
    again = import_dataset(files=[write("shares.csv", SHARES), write("labels.txt", "tax\nfamily\n")], slug="small")
    assert not again.changed


@pytest.mark.django_db
def test_labels_that_become_one_are_found_by_the_words_of_both(write, bring):
    votes = write("votes.csv", "instance,annotator,label\na,x,tax\na,y,vat\nb,x,family\n")
    labels = write("labels.txt", "tax\tincome\nvat\tsales; income\nfamily\n")
    dataset = bring(votes, labels, label_names="tax=Taxes; vat=Taxes")
    assert dataset.labels.get(name="Taxes").search_words == ["income", "sales"]


@pytest.mark.django_db
def test_a_word_that_is_too_long_is_named_with_its_line(write, refused):
    (problem,) = refused(write("shares.csv", SHARES), write("labels.txt", f"tax\nfamily\tson; {'x' * 61}\n"))
    assert (problem["file"], problem["line"], problem["value"]) == ("labels.txt", 2, "family")


@pytest.mark.django_db
def test_experts_get_them_and_they_may_change_while_a_study_runs():
    dataset = make_dataset(instances=8)
    study = make_study(dataset=dataset)
    expert = make_expert(study, "expert@example.org").user
    plan_and_open(study)
    client = importer(dataset=dataset)[0]
    address = "/api/v1/datasets/some-dataset/labels/0/"
    answered = client.patch(address, {"search_words": ["Tenant", "tenant", " rent "]}, format="json")
    assert (answered.status_code, answered.json()["search_words"]) == (200, ["Tenant", "rent"])
    labels = task_of(next_assignment(user=expert, slug="study"))["study"]["labels"]
    assert {one["position"]: one["search_words"] for one in labels} == {0: ["Tenant", "rent"], 1: [], 2: [], 3: []}
    event = Event.objects.get(kind=EventKind.DATASET_CHANGED)
    assert event.data == {"what": "search_words", "label": "Label z", "search_words": ["Tenant", "rent"]}
    refused = client.patch(address, {"display_name": "New", "search_words": []}, format="json")
    assert (refused.status_code, dataset.labels.get(position=0).search_words) == (409, ["Tenant", "rent"])
    assert client.patch(address, {"search_words": ["x" * 61]}, format="json").status_code == 400
    assert client.patch(f"{address[:-2]}99/", {"search_words": []}, format="json").status_code == 404


@pytest.mark.django_db
def test_the_command_gives_them_and_names_what_it_does_not_know(write, bring):
    dataset = bring(write("shares.csv", SHARES))
    out = StringIO()
    call_command("find_labels_by", "small", str(write("words.txt", "tax\tincome; VAT\n").path), stdout=out)
    assert "1 labels have" in out.getvalue()
    assert dataset.labels.get(name="tax").search_words == ["income", "VAT"]
    with pytest.raises(CommandError, match="no label 'Tax'"):
        call_command("find_labels_by", "small", str(write("words.txt", "Tax\tincome\n").path))
    with pytest.raises(CommandError, match=r"words\.json"):
        call_command("find_labels_by", "small", str(write("words.json", "[1]").path))


@pytest.mark.django_db
def test_all_33_areas_of_law_come_with_words_of_their_own():
    assert set(load_search_words()) == set(LABELS)
    assert all(5 <= len(words) <= MOST_WORDS for words in load_search_words().values())
    assert all(search_words(words) == list(words) for words in load_search_words().values())
    for word, area in {
        "tenant": "Housing and residential tenancies",
        "landlord": "Housing and residential tenancies",
        "divorce": "Family law",
    }.items():
        assert [name for name, words in load_search_words().items() if word in words] == [area]


@pytest.mark.django_db
def test_a_study_that_is_restored_elsewhere_brings_them_along(tmp_path):
    study = make_full_study(make_full_dataset("here"))
    label = study.dataset.labels.first()
    find_labels_by(dataset=study.dataset, words={label.position: ["tenant"]})
    files = written(study)
    elsewhere = make_full_dataset("elsewhere")
    restored = restore_study(
        responses=read_study_responses(put(tmp_path / "export", files)), dataset=elsewhere, slug="elsewhere-study"
    )
    assert Label.objects.get(dataset=elsewhere, position=label.position).search_words == ["tenant"]
    told = json.loads(written(restored.study)["study.json"])["dataset"]["search_words"]
    assert told == json.loads(files["study.json"])["dataset"]["search_words"] == {label.name: ["tenant"]}
    assert Dataset.objects.get(slug="elsewhere").fingerprint == study.dataset.fingerprint
