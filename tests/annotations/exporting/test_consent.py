"""What experts agree to is what is saved of them: the list in the consent, the database's fields, exports' columns."""

import csv
import io
import json
import uuid
from collections.abc import Iterator
from itertools import product
from typing import Any

import pyarrow.parquet as pq
import pytest

from annotations.erasing.registry import Sort, holdings
from annotations.exporting.columns import FILTERS, Variable
from annotations.exporting.formats import ExportFile, formats
from annotations.exporting.rows import Filters, ResponseSource
from annotations.ground.saved import Saved
from annotations.models import Assignment, PreferenceResponse, Study
from annotations.shown.consent import ITEMS, Basis, consent_text
from annotations.shown.profiles import PRESETS
from metaeval.bundles.layout import ANSWER_FIELDS, REPORT_FIELDS, TURN_FIELDS
from tests.worlds.full import make_full_dataset, make_full_study

pytestmark = pytest.mark.django_db
QUESTIONS = [one.stored for one in PRESETS]
OF_NOBODY = {"dictionary.md", "responses.schema.json", "instrument_versions.json"}
"""Files about the study, which say nothing about an expert."""
NO_VALUE = (None, "", "false", False)
SETTINGS = [
    {"asks_guess": guess, "repeats_per_expert": repeats, "profile_questions": questions}
    for guess, repeats, questions in product((False, True), (0, 2), ([], QUESTIONS))
]


def make_answered_study(**settings: Any) -> Study:
    """Answers of every kind that the study asks for: of each, what its consent must name is there."""
    study = make_full_study(make_full_dataset(), **settings)
    if settings["profile_questions"]:
        study.memberships.update(profile={"specialism": "Criminal law", "years_of_experience": 7})
    if settings["repeats_per_expert"]:
        first, *_, last = Assignment.objects.completed().filter(expert__number=1).order_by("position")
        Assignment.objects.filter(pk=last.pk).update(repeat_of=first)
    study.memberships.update(is_simulated=False)
    answered = PreferenceResponse.objects.filter(assignment__study=study).latest("revision")
    PreferenceResponse.objects.create(
        assignment=answered.assignment,
        revision=answered.revision + 1,
        key=uuid.uuid4(),
        a_chosen=True,
        b_chosen=False,
        page_language="en",
        created_at=answered.created_at,
    )
    return study


def files_of(study: Study) -> Iterator[ExportFile]:
    """Every file of every format, with all that can be asked for."""
    everything = Filters(revisions="all", identified=True)
    for one in formats:
        yield from one.files(ResponseSource(study, everything if one.filters == FILTERS else None))


def values_in(file: ExportFile) -> Iterator[tuple[str, Any]]:
    """Each column or key of a file with each of its values."""
    content = b"".join(file.chunks())
    if file.name.endswith(".csv"):
        for row in csv.DictReader(io.StringIO(content.decode())):
            yield from row.items()
    elif file.name.endswith(".parquet"):
        for row in pq.read_table(io.BytesIO(content)).to_pylist():
            yield from row.items()
    else:
        whole = file.name.endswith(".json")
        for row in [json.loads(content)] if whole else map(json.loads, content.decode().splitlines()):
            yield from keys_in(row)


def keys_in(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """The keys of JSON with dots between them, and their values; of lists, those of all entries."""
    if value in ([], {}):
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from keys_in(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        for inner in value:
            yield from keys_in(inner, key)
    else:
        yield key, value


def item_of(file: ExportFile, key: str) -> Saved | None:
    """What a column says about an expert, by its own entry or that of a key above it."""
    entries = [name for name in file.saved if key == name or key.startswith(f"{name}.")]
    assert len(entries) == 1, (
        f"{file.name}: {key} must belong to exactly one item of the consent, or say nothing about an expert (None). "
        "Add it to `saved` of the file (annotations/exporting/formats.py)."
    )
    return file.saved[entries[0]]


def items_of(study: Study) -> list[Saved]:
    return [item for item in Saved if ITEMS[item].applies(Basis.by(study, "en"))]


@pytest.mark.parametrize("settings", SETTINGS)
def test_whatever_an_export_says_about_an_expert_is_in_the_consent_and_the_other_way_round(settings):
    study = make_answered_study(**settings)
    items, exported = items_of(study), set()
    for file in files_of(study):
        if file.name in OF_NOBODY:
            continue
        for key, value in values_in(file):
            item = item_of(file, key)
            if item is None or value in NO_VALUE:
                continue
            assert item in items, f"{file.name}: {key} is {value!r}, and nobody agreed to that ({item})"
            exported.add(item)
    assert exported == set(items), "the consent names what is exported, and no more"


@pytest.mark.parametrize("language", ["en", "de", "ar"])
@pytest.mark.parametrize("own_text", ["", "We **thank** you."])
def test_the_text_lists_each_item_once_and_each_question_about_the_expert(language, own_text):
    dataset = make_full_dataset()
    for settings in SETTINGS:
        study = Study(consent=own_text, language=language, dataset=dataset, **settings)
        text = consent_text(study)
        asked = settings["profile_questions"]
        assert text.startswith(own_text)
        assert text.count("\n- ") == len(items_of(study))
        assert [text.count(f"\n  - {question['label']}") for question in asked] == [1] * len(asked)
        assert text.count("\n  - ") == len(asked)


def test_a_column_of_the_table_cannot_be_added_without_its_item():
    with pytest.raises(TypeError, match="saved"):
        Variable("shoe_size", "number", "The expert's shoe size.", lambda row: 42)  # type: ignore[call-arg]


def test_every_field_about_an_expert_belongs_to_one_item():
    """What the erasure knows to be about a person or an answer, in the rows of an expert's part in a study."""
    models = ("Membership", "Assignment", "LabelResponse", "PreferenceResponse", "Guess", "Report")
    stored = {
        f"{model}.{name}"
        for model in models
        for name, sort in holdings.get(f"annotations.{model}").sorts.items()
        if sort in {Sort.PERSONAL, Sort.ANSWER}
    }
    listed = [name for item in ITEMS.values() for name in item.fields]
    assert len(listed) == len(set(listed))
    assert stored <= set(listed)
    known = {f"{one.model.removeprefix('annotations.')}.{name}" for one in holdings for name in one.sorts}
    assert set(listed) <= known


def test_a_bundle_says_no_more_about_experts_than_its_tables_declare():
    declared = {field.saved for field in (*ANSWER_FIELDS, *TURN_FIELDS, *REPORT_FIELDS)}
    assert declared == {None, *Saved} - {Saved.PROFILE, Saved.PART, Saved.IDENTITY}
