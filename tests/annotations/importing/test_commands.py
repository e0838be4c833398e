"""The two commands: what they print, what they refuse, and how they end."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotations.models import Dataset, Event, System

pytestmark = pytest.mark.django_db
LONG = "instance,label,probability\na,tax,0.25\na,family,0.75\nb,tax,1\nb,family,0\n"


def run(*args, **options):
    out, err = StringIO(), StringIO()
    try:
        call_command(*map(str, args), stdout=out, stderr=err, **options)
    except CommandError as error:
        return str(error), out.getvalue(), err.getvalue()
    return "", out.getvalue(), err.getvalue()


@pytest.fixture
def table(write):
    return write("long.csv", LONG).path


def test_a_dataset_is_imported_once(table):
    error, out, _ = run("import_dataset", "small", table, "--title", "Small", "--task", "multilabel")
    assert (error, Dataset.objects.get().title, Dataset.objects.get().task) == ("", "Small", "multilabel")
    assert "2 labels (tax, family); 2 instances" in out
    assert "Imported dataset 'small'." in out
    error, out, _ = run("import_dataset", "small", table, "--task", "multilabel")
    assert (error, "Nothing was changed" in out) == ("", True)


def test_who_imports_is_in_the_log_and_sees_the_dataset(table, make_user):
    user = make_user("importer@example.org")
    error, _, _ = run("import_dataset", "small", table, "--by", "nobody@example.org")
    assert "'nobody@example.org'" in error
    run("import_dataset", "small", table, "--by", "Importer@example.org")
    assert Event.objects.get().actor == user
    assert Dataset.objects.visible_to(user).exists()


def test_a_dry_run_says_what_would_come_and_writes_nothing(table):
    _, out, _ = run("import_dataset", "small", table, "--dry-run")
    assert "would be imported; nothing was written" in out
    assert not Dataset.objects.exists()


def test_bad_rows_are_listed_and_the_command_fails(write):
    bad = write("bad.csv", LONG.replace("0.25", "7")).path
    for extra in ([], ["--dry-run"]):
        error, _, err = run("import_dataset", "small", bad, *extra)
        assert error == "1 problems; nothing was imported."
        assert (
            "bad.csv, line 2, probability: the value is not in [0, 1] (found: 7.0). Enter a number from 0 to 1." in err
        )
    assert not Dataset.objects.exists()


def test_the_report_is_there_as_json(write):
    bad = write("bad.csv", LONG.replace("0.25", "7")).path
    _, out, _ = run("import_dataset", "small", bad, "--dry-run", "--json")
    report = json.loads(out)
    assert (report["problem_count"], report["problems"][0]["line"], report["changed"]) == (1, 2, False)


def test_predictions_take_their_names_from_options(table, write):
    run("import_dataset", "small", table)
    wide = write("p.csv", "instance,tax,family\na,1,0\nb,0.5,0.5\n").path
    error, out, _ = run("import_predictions", "small", wide, "--model", "M", "--method", "T", "--run", "3")
    assert (error, "Imported predictions of 1 systems" in out) == ("", True)
    assert System.objects.get().name == "M / T / 3"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["import_dataset", "no slug!", "x.csv"], "is not a valid slug"),
        (["import_dataset", "small", "absent.csv"], "1 problem"),
        (["import_dataset", "small", "TABLE", "--format", "table", "--task", "odd"], "Option 'task'"),
        (["import_dataset", "small", "TABLE", "--format", "chaosnli"], "problem"),
        (["import_predictions", "absent", "TABLE"], "There is no dataset 'absent'. Datasets: none yet."),
    ],
)
def test_mistakes_get_a_plain_sentence(table, args, message):
    error, _, _ = run(*[table if arg == "TABLE" else arg for arg in args])
    assert message in error


def test_an_option_of_another_format_is_refused_with_those_there_are(table):
    run("import_dataset", "small", table)
    error, _, _ = run("import_predictions", "small", table, "--temperature", "2")
    assert [
        name
        for name in ("'temperature'", "model", "method", "run", "missing", "absent", "delimiter")
        if name not in error
    ] == []
