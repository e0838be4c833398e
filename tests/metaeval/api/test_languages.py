"""What analyses, readers and exporters declare in English comes in the reader's language; names and values stay."""

import polib
import pytest
from django.conf import settings
from django.test import Client

from annotations.api.imports import ImportFormatSerializer
from annotations.exporting.formats import formats
from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.memory.options import LABELS, OPTIONS
from annotations.models import Role
from metaeval.analyses.base.parameters import TITLES, values_of
from metaeval.analyses.base.registry import analyses
from metaeval.api.analyses import described
from metaeval.jobs.planning import CHOICES
from tests.conftest import ROOT
from tests.metaeval.studies import answered_study
from tests.worlds.studies import make_member

OTHERS = [code for code, _ in settings.LANGUAGES[1:]]
READERS = [*dataset_readers, *prediction_readers]


def of_schema(schema):
    """The words of a form: what is above and below a field, and its choices."""
    for parameter in schema["properties"].values():
        yield parameter.get("x-label") or parameter["title"]
        yield parameter["description"]
        yield from values_of(parameter).get(TITLES, ())


def of_analysis(entry):
    shown = described(entry)
    yield from (shown[name] for name in ("title", "description", "question", "shows"))
    yield from of_schema(shown["parameters"])


def of_reader(reader):
    shown = ImportFormatSerializer(reader).data
    yield from (shown["title"], shown["description"])
    yield from of_schema(shown["options"])


def of_exporter(known):
    return [known.title, known.description, known.read_by]


DECLARED = {
    **{f"analysis {entry.name}": lambda entry=entry: of_analysis(entry) for entry in analyses},
    **{f"{one.kind} reader {one.name}": lambda one=one: of_reader(one) for one in READERS},
    **{f"exporter {one.name}": lambda one=one: of_exporter(one) for one in formats},
    **{f"plan {one.name}": lambda one=one: [one.title, one.sentence] for one in CHOICES},
}


@pytest.fixture(scope="module", params=OTHERS)
def said(request):
    """What the server's part of a catalogue says."""
    catalogue = polib.pofile(str(ROOT / "locale" / request.param / "LC_MESSAGES" / "django.po"))
    return {
        entry.msgid: entry.msgstr
        for entry in catalogue
        if not entry.obsolete and any(file.endswith(".py") for file, _ in entry.occurrences)
    }


@pytest.mark.parametrize("name", DECLARED)
def test_every_declared_word_is_in_the_catalogues(name, said):
    """A new analysis, parameter, reader or exporter is not in them yet: `make messages`. It may stay untranslated."""
    words = list(DECLARED[name]())
    assert all(isinstance(word, str) and word for word in words)
    assert [word for word in words if word not in said] == []


@pytest.mark.parametrize("name", [name for name in DECLARED if "reader" in name or "analysis" in name])
def test_no_choice_is_a_code(name):
    """The page would show it: say it in `parameter_wording` or `option_labels`."""
    kind, _, known = name.rpartition(" ")
    if kind == "analysis":
        schema = described(analyses.get(known))["parameters"]
    else:
        schema = ImportFormatSerializer(next(one for one in READERS if f"{one.kind} reader {one.name}" == name)).data
        schema = schema["options"]
    found = {name: values_of(parameter) for name, parameter in schema["properties"].items()}
    assert [name for name, value in found.items() if "enum" in value and TITLES not in value] == []


def test_the_plain_words_of_options_are_of_options_and_values_that_exist():
    declared = [one.options.model_json_schema()["properties"] for one in READERS]
    known = {name: set() for options in declared for name in options}
    for options in declared:
        for name, option in options.items():
            known[name] |= set(option.get("enum", ()))
    assert set(LABELS) <= set(known)
    assert [name for name, words in OPTIONS.items() if set(words) - known[name]] == []


def asking(user, language):
    client = Client(headers={"accept-language": language})
    client.force_login(user)

    def get(address):
        answer = client.get(f"/api/v1/{address}")
        assert answer.status_code == 200
        assert "Accept-Language" in answer.headers["Vary"]
        return answer.json()

    return get


@pytest.fixture
def study(db):
    study = answered_study(systems=2).study
    study.dataset.labels.filter(position=0).update(name="Statistics")
    study.dataset.labels.filter(position=1).update(name="Labels")
    return study


@pytest.mark.parametrize(
    ("language", "question", "reason", "label"),
    [
        (
            "de",
            "Welche Metrik stimmt am besten mit den Fachleuten überein?",
            "Die Studie vergleicht 2 der 3 Systeme, die eine Korrelation braucht.",
            "Arten der Korrelation",
        ),
        (
            "ar",
            "أيّ مقياس أكثر اتفاقًا مع الخبراء؟",
            "تقارن الدراسة 2 من الأنظمة التي يحتاج إليها الارتباط وعددها 3.",
            "أنواع الارتباط",
        ),
    ],
)
def test_questions_reasons_and_forms_come_in_the_readers_language(study, language, question, reason, label):
    get = asking(make_member(study, Role.RESEARCHER, "r@example.org").user, language)
    known = {one["name"]: one for one in get(f"studies/{study.slug}/analyses/")["results"]}
    main = known["preference_correlation"]
    assert (main["question"], main["reason"]) == (question, reason)
    coefficients = main["parameters"]["properties"]["coefficients"]
    assert coefficients["x-label"] == label
    assert coefficients["items"]["enum"] == ["pearson", "spearman", "kendall"]
    words = get(f"studies/{study.slug}/analysis-plan/words/")
    assert words["choices"][0]["title"] != CHOICES[0].title


@pytest.mark.parametrize("language", OTHERS)
def test_a_subjects_own_names_are_not_translated(study, language):
    get = asking(make_member(study, Role.RESEARCHER, "r@example.org").user, language)
    known = {one["name"]: one for one in get(f"studies/{study.slug}/analyses/")["results"]}
    declared = known["uncertainty"]["parameters"]["properties"]["label"]
    value = values_of(declared)
    assert value[TITLES] == value["enum"]
    assert {"Statistics", "Labels"} <= set(value["enum"])
