"""docs/reference says what the code says."""

import re

import pytest

from annotations.exporting.columns import COLUMNS
from annotations.exporting.formats import formats
from annotations.exporting.study_responses import FILES
from annotations.exporting.votes import vote_formats
from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.memory.options import NamingOptions
from annotations.models.events import EventKind
from metaeval import metrics
from metaeval.analyses.base.registry import analyses
from metaeval.bundles import layout
from metaeval.training.registry import CROSS_ENTROPY, TrainingMethod, methods
from tests.lab import PAGES_FOLDER
from tests.lab.reference.__main__ import PAGES, PageState, main, outdated, page_state
from tests.lab.reference.computing import PICTURE, picture
from tests.lab.reference.serving import described, errors, settings_of_a_study, variables_read


@pytest.fixture(scope="module")
def pages():
    return {name: page() for name, page in PAGES.items()}


def test_nothing_that_the_reference_says_is_untrue():
    """What was added since only makes it incomplete: `make check` asks for that, so that a new metric is one file."""
    untrue = [name for name, (state, _) in outdated(PAGES_FOLDER).items() if state is PageState.UNTRUE]
    assert untrue == [], "run: make reference"


def test_an_addition_leaves_a_page_true_and_a_change_does_not():
    page = "# Metrics\n\n| `a` | first |\n\n## a\n"
    more = "# Metrics\n\n| `a` | first |\n| `b` | second |\n\n## a\n\n## b\n"
    assert page_state(page, page) is PageState.UP_TO_DATE
    assert page_state(page, more) is PageState.INCOMPLETE
    assert page_state(more, page) is PageState.UNTRUE
    assert page_state(page, more.replace("first", "other")) is PageState.UNTRUE


def test_an_outdated_page_is_found_and_renewed(tmp_path):
    main(["--folder", str(tmp_path)])
    main(["--folder", str(tmp_path), "--check"])
    (tmp_path / "metrics.md").write_text("old\n")
    (tmp_path / "events.md").unlink()
    message = r"metrics\.md is no longer true; events\.md lacks what was added since\. Run: make reference"
    with pytest.raises(SystemExit, match=message):
        main(["--folder", str(tmp_path), "--check"])
    assert (tmp_path / "metrics.md").read_text() == "old\n"


def test_every_metric_has_its_formula_range_and_source(pages):
    sections = dict(re.findall(r'<a id="(\w+)"></a>\n(.*?)(?=\n<a id=|\n## )', pages["metrics.md"], re.DOTALL))
    titles = {entry.name: entry.title for entry in metrics.available()}
    titles |= {entry.name: entry.title for entry in metrics.annotation_metrics()}
    for name, title in titles.items():
        assert "Formula" in sections[name]
        assert "Source: " in sections[name]
        assert title in sections[name]


def test_every_training_method_says_what_it_learns_from_its_loss_and_its_source(pages):
    sections = dict(re.findall(r'<a id="([\w-]+)"></a>\n(.*?)(?=\n<a id=|\Z)', pages["methods.md"], re.DOTALL))
    assert list(sections) == methods.names()
    for entry in methods:
        assert entry.learns in pages["methods.md"]
        loss = entry.objective.replace(CROSS_ENTROPY, "the cross-entropy")
        assert {loss, f"{entry.source}."} <= set(re.findall(r"\*\* (.+)", sections[entry.name]))
        assert (entry.prediction in sections[entry.name]) == (entry.prediction != TrainingMethod.prediction)


def test_every_analysis_has_its_parameters_figures_and_result(pages):
    sections = dict(re.findall(r'<a id="(\w+)"></a>\n(.*?)(?=\n<a id=|\Z)', pages["analyses.md"], re.DOTALL))
    for entry in analyses:
        section = sections[entry.name]
        for name, schema in entry.schema()["properties"].items():
            assert f"| `{name}` |" in section
            assert schema["description"].split(".")[0] in section
        assert all(f"| `{figure}` |" in section for figure in entry.figures)
        for name, field in entry.result.model_fields.items():
            assert f"| `{field.alias or name}` |" in pages["analyses.md"]


def test_a_parameter_shows_its_default_and_its_choices(pages):
    row = next(line for line in pages["analyses.md"].splitlines() if line.startswith("| `two_sided` |"))
    assert "**`double`**, `magnitude`" in row
    assert "| `permutations` | **100,000** (from 100 to 10,000,000) |" in pages["analyses.md"]


def test_every_format_has_its_options_and_every_file_and_column_what_it_holds(pages):
    page = pages["formats.md"]
    for reader in (*dataset_readers, *prediction_readers):
        assert f"## `{reader.name}`: {reader.title}" in page
        assert all(f"| `{option}` |" in page for option in (*reader.options.model_fields, *NamingOptions.model_fields))
    for entry in (*formats, *vote_formats):
        assert f"| `{entry.name}` |" in page
    for name in (*FILES, *layout.FILES, *(column.name for column in COLUMNS)):
        assert f"| `{name}` |" in page


def test_every_file_of_a_bundle_is_described():
    fixed = {
        value for name, value in vars(layout).items() if name.isupper() and isinstance(value, str) and "." in value
    }
    numbered = {layout.system_path(0), layout.predicted_path(0), layout.result_path(1, "agreement")}
    assert fixed | numbered == set(layout.FILES)
    assert all(says.endswith(".") for says in layout.FILES.values())


def test_every_error_says_in_its_own_words_when_it_comes(pages):
    for error in errors():
        assert f"| `{error.code}` | {error.status} |" in pages["api.md"]
        assert "__doc__" in vars(error), error
        assert vars(error)["__doc__"], error


def test_every_setting_of_the_environment_is_described():
    assert {name for name, _, _ in described()} == variables_read()


def test_every_setting_of_a_study_says_what_it_means(pages):
    meanings = {name: says for name, _, says in settings_of_a_study()}
    assert {"display_threshold", "share_meaning", "leaving"} <= set(meanings)
    assert all(meanings.values())
    assert all(f"| `{name}` |" in pages["settings.md"] for name in meanings)


def test_the_fields_of_a_request_are_listed(pages):
    row = next(line for line in pages["api.md"].splitlines() if line.startswith("| `POST studies/{slug}/documents/`"))
    assert "`kind` (report_html, report_pdf, report_latex, report_docx, bundle), [`with_texts`]" in row


def test_every_event_is_listed(pages):
    assert all(f"| `{kind.value}` | {kind.label} |" in pages["events.md"] for kind in EventKind)


def test_every_command_says_what_it_does(pages):
    sections = re.findall(r"^## `(\w+)`\n\n(.+)$", pages["commands.md"], re.MULTILINE)
    assert {"import_dataset", "plan_study", "analyse", "verify_bundle", "api_token"} <= {name for name, _ in sections}
    assert all(len(says.split()) > 3 for _, says in sections)
    assert "`--display-step" in pages["commands.md"]


def test_statistics_have_what_the_library_offers(pages):
    for name in ("correlation_tests", "krippendorff_alpha", "stratified_table", "wilson_interval", "holm"):
        assert f"### `{name}`" in pages["statistics.md"]


def test_the_picture_shows_that_soft_accuracy_is_never_above_po_jsd():
    drawn = picture()
    assert PICTURE.suffix == ".svg"
    points = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)
    assert len(points) == 400
    for x, y in points:  # the axes are 320 long, from (62, 334)
        assert (334 - float(y)) >= (float(x) - 62) - 0.2
