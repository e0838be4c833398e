"""What every analysis promises, checked on each of them and on every kind of subject that it supports."""

import json

import jsonschema
import numpy as np
import pytest
from django.utils import translation
from pydantic import ValidationError

from annotations.models import Assignment
from metaeval import figures
from metaeval.analyses.base import printing
from metaeval.analyses.base.parameter_wording import LABELS, OPTIONS
from metaeval.analyses.base.parameters import values_of
from metaeval.analyses.base.registry import AnalysisError, analyses
from metaeval.analyses.base.result import AnyResult, result_schema
from metaeval.analyses.base.table import Table
from metaeval.analyses.base.wording import GROUP_KEY, MOST, PARAMETER_GROUPS
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute
from tests.conftest import ROOT
from tests.metaeval.datasets import annotated_dataset, voted_dataset
from tests.metaeval.sizes import EVERY_SIZE
from tests.metaeval.studies import answered_study
from tests.worlds.original import make_original_files, restored_original

pytestmark = pytest.mark.django_db

OF_SEVERAL = {"human_calibration": {"scaling": "grid", "fitted_on": "one"}}
"""What the example of an analysis cannot say: which of the datasets plays which part."""
CASES = [(entry.name, kind) for entry in analyses for kind in entry.subjects]
FIRST = dict(reversed(CASES))
"""The first kind of subject of each analysis."""


def subject(kind):
    match kind:
        case SubjectKind.STUDY:
            return Subject.of_study(answered_study().study)
        case SubjectKind.DATASET:
            return Subject.of_dataset(annotated_dataset())
        case SubjectKind.VOTES:
            return Subject.of_dataset(voted_dataset(), kind=kind)
        case SubjectKind.DATASETS:
            return Subject.of_datasets([annotated_dataset("one"), annotated_dataset("two", seed=4)])
        case _:
            return Subject.nothing()


def computed(name, about, *, seed=1, progress=lambda *_: None):
    entry = analyses.get(name)
    more = OF_SEVERAL.get(name, {}) if about.kind == SubjectKind.DATASETS else {}
    return compute(subject=about, analysis=name, parameters={**entry.example, **more}, seed=seed, progress=progress)


_known = {}


def found(name, kind, about=None):
    """A result for this kind of subject and the steps of its progress, computed once for all tests that only read."""
    if (name, kind) not in _known:
        steps = []
        result = computed(
            name, about or subject(kind), progress=lambda done, total, message="": steps.append((done, total))
        )
        _known[name, kind] = result, steps
    return _known[name, kind]


def known(name, kind):
    """That result as it is read again, for tests that may change it."""
    result, _ = found(name, kind)
    return json.loads(json.dumps(result))


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_it_states_what_every_result_states_and_repeats_to_the_last_digit(name, kind):
    about = subject(kind)
    result, steps = found(name, kind, about)
    jsonschema.validate(result, result_schema())
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["subject"]["kind"] == kind
    assert result["analysis"] == name
    with translation.override("ar"):  # nor does it follow the language of whoever asks
        again = computed(name, about)
        assert json.dumps(again) == json.dumps(result)
        answer = analyses.get(name).answer(again)
    assert answer == analyses.get(name).answer(result)
    shares = [done / total for done, total in steps if total]
    assert shares == sorted(shares), "progress goes back"
    assert shares[-1] == 1, "the last stage does not end at the whole"


@pytest.mark.parametrize("name", [name for name, kind in CASES if kind == SubjectKind.STUDY])
def test_a_study_whose_experts_judged_texts_beside_two_systems_has_a_result(name, tmp_path):
    """The original study is one: its files make such a study here."""
    study = restored_original(make_original_files(tmp_path, experts=3, texts=12, systems=4, again=3, shared=True))
    assert Assignment.objects.filter(study=study, seen_before=True).count() == 9
    result = computed(name, Subject.of_study(study))
    jsonschema.validate(result, result_schema())
    assert analyses.get(name).answer(result)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_every_table_can_be_taken_out_in_every_format(name, kind):
    result = known(name, kind)
    assert result["tables"]
    for table in map(Table.model_validate, result["tables"]):
        for kind_of_file in printing.FORMATS.values():
            assert kind_of_file.write(table).strip()


@EVERY_SIZE
@pytest.mark.parametrize(("name", "kind"), [case for case in CASES if case not in FIRST.items()])
def test_every_figure_fits_its_size(name, kind, size):
    """Those of the first kind of subject are drawn with more systems, and measured, in figures/test_paper.py."""
    entry = analyses.get(name)
    result = known(name, kind)
    for figure in few(entry.figure_names(result)):
        svg = figures.image(entry.draw(figure, result, size=size.name), "svg").decode()
        width = float(svg.split('width="', 1)[1].split('pt"', 1)[0])
        assert width <= size.width, f"{figure} is {width} wide for {size.name}, which has {size.width}"


def few(names):
    """The plain figures, and the first variant of each: drawing all of them takes minutes and shows nothing more."""
    taken = {}
    for name in names:
        taken.setdefault((name.partition("-")[0], "-" in name), name)
    return taken.values()


@pytest.mark.parametrize("entry", list(analyses), ids=lambda entry: entry.name)
def test_it_declares_types_bounds_defaults_and_help(entry):
    schema = entry.schema()
    assert entry.title
    assert entry.description
    assert entry.subjects
    assert "$defs" not in schema
    for name, parameter in schema["properties"].items():
        assert {"title", "description", "default"} <= set(parameter), name
        value = next((part for part in parameter.get("anyOf", [parameter]) if part.get("type") != "null"), {})
        assert value["type"] in {"integer", "number", "string", "boolean", "array"}, name
        if value["type"] in {"integer", "number"}:
            assert {"minimum", "exclusiveMinimum"} & set(value), f"{name} has no lower bound"
            assert {"maximum", "exclusiveMaximum"} & set(value), f"{name} has no upper bound"


@pytest.mark.parametrize("entry", list(analyses), ids=lambda entry: entry.name)
def test_what_it_cannot_be_about_is_refused_with_a_sentence(entry):
    for kind in set(SubjectKind) - set(entry.subjects):
        with pytest.raises(AnalysisError, match=rf"\b{entry.name} .*: "):
            compute(subject=Subject(kind), analysis=entry.name, parameters={}, seed=1, progress=lambda *_: None)


class TestTheCommonPart:
    def good(self):
        return {
            "schema": 2,
            "analysis": "x",
            "version": 1,
            "title": "X",
            "subject": {"kind": "nothing", "slug": None, "title": "Simulation"},
            "is_simulated": True,
            "parameters": {},
            "seed": 0,
            "fingerprint": "0" * 64,
            "versions": {},
            "counts": {},
            "exclusions": [{"what": "instances", "count": 1, "reason": "nobody judged them"}],
            "tables": [
                {"name": "t", "title": "T", "columns": [{"key": "a", "title": "A"}], "rows": [{"a": None}]},
            ],
            "own": 7,
        }

    def test_a_result_in_shape_passes(self):
        AnyResult.model_validate(self.good())
        jsonschema.validate(self.good(), result_schema())

    @pytest.mark.parametrize(
        ("path", "value", "message"),
        [
            (("schema",), 1, "schema"),
            (("fingerprint",), "abc", "fingerprint"),
            (("exclusions", 0, "reason"), "", "reason"),
            (("tables", 0, "rows", 0), {"b": 1}, "row 0 of the table t has the cells"),
            (("tables", 0, "columns"), [{"key": "a", "title": "A"}] * 2, "two columns with the same key"),
            (("tables", 0, "rows", 0, "a"), [1], "tables"),
            (("counts", "systems"), 1.5, "counts"),
        ],
    )
    def test_a_result_out_of_shape_does_not(self, path, value, message):
        result = self.good()
        *way, last = path
        part = result
        for step in way:
            part = part[step]
        part[last] = value
        with pytest.raises(ValidationError, match=message):
            AnyResult.model_validate(result)

    def test_two_tables_with_one_name_do_not_pass(self):
        result = self.good()
        result["tables"] *= 2
        with pytest.raises(ValidationError, match="two tables have the same name"):
            AnyResult.model_validate(result)


def test_numpy_numbers_do_not_reach_a_result():
    result, _ = found("preference_correlation", SubjectKind.STUDY)

    def walk(value):
        assert not isinstance(value, np.generic | np.ndarray)
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(part)

    walk(result)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_it_answers_in_a_plain_sentence(name, kind):
    result = known(name, kind)
    answer = analyses.get(name).answer(result)
    assert 20 < len(answer) <= MOST
    assert answer.endswith(".")
    assert answer[0].isupper() or answer[0].isdigit() or answer[0] in "“Pm"
    assert "_" not in answer, "a name of the program"
    assert not {"None", "nan", "instances"} & set(answer.replace(",", " ").split())
    assert ("simulat" in answer) == result["is_simulated"]
    assert any(character.isdigit() for character in answer), "no figure"


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_an_answer_about_simulated_data_says_so_and_is_never_too_long(name, kind):
    result = known(name, kind)
    text = json.dumps(result).replace("Alpha", "A" * 300).replace("M0", "M" * 300)
    answer = analyses.get(name).answer({**json.loads(text), "is_simulated": True})
    assert len(answer) <= MOST
    assert "simulat" in answer


@pytest.mark.parametrize("entry", list(analyses), ids=lambda entry: entry.name)
def test_it_is_a_question_with_its_parameters_in_groups(entry):
    words = entry.words
    assert words.question.endswith("?")
    assert words.group != "Other"
    assert words.shows.endswith(".")
    declared = set(entry.schema()["properties"])
    named = [*words.compared, *words.statistics]
    assert set(named) <= declared
    assert len(set(named)) == len(named)
    assert {parameter[GROUP_KEY] for parameter in entry.schema()["properties"].values()} <= set(PARAMETER_GROUPS)
    assert set(words.needs) <= set(entry.subjects)


def test_the_page_knows_every_group_of_settings_by_its_name():
    page = (ROOT / "frontend/src/features/analyses/asking/StartForm.tsx").read_text(encoding="utf-8")
    assert [group for group in PARAMETER_GROUPS if f'"{group}"' not in page] == []


def test_the_plain_words_are_of_parameters_and_values_that_exist():
    known = {name: [] for name in [*LABELS, *OPTIONS]}
    for entry in analyses:
        for name, parameter in entry.schema()["properties"].items():
            for key in {name, f"{entry.name}.{name}"} & set(known):
                known[key] += values_of(parameter).get("enum", [None])
    assert [name for name, values in known.items() if not values] == []
    assert [name for name, words in OPTIONS.items() if set(words) - set(known[name])] == []


def test_one_question_is_preset():
    assert [entry.name for entry in analyses if entry.words.is_preset] == ["preference_correlation"]
    assert len({entry.words.order for entry in analyses}) == len(list(analyses))
