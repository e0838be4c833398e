"""The two files of the original format, without this project's own: every answer is restored, or refused in words."""

import contextlib
import csv
import json

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotations.exporting.rows import ResponseSource
from annotations.ground.errors import HLVError
from annotations.importing.memory.problems import ImportRefused
from annotations.importing.responses.restoring import restore_study
from annotations.importing.responses.study_responses import read_study_responses
from annotations.models import Study
from tests.worlds.exported import lines, put, written
from tests.worlds.full import make_full_dataset, make_full_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_full_study()


def bare(study, folder):
    """The two files of the original format, and which text each input was."""
    files = {name: content for name, content in written(study).items() if name in {"responses.jsonl", "metadata.csv"}}
    rows = ["id,instance"]
    for comparison in lines(written(study)["comparisons.jsonl"]):
        rows += [f"{number},{comparison['instance']}" for number in comparison["inputIds"].values()]
    return put(folder, files | {"instances.csv": "\n".join(rows).encode()})


@pytest.mark.parametrize("compares", ["human_vs_system", "system_vs_system"])
def test_bare_files_restore_every_answer(tmp_path, compares):
    study = make_full_study(compares=compares)
    folder = bare(study, tmp_path)
    restored = restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="bare").study

    def answers(of):
        return sorted(
            (row.instance, row.expert, row.option_a.name, row.option_b.name, row.labels, row.choice, row.labels_ms)
            for row in ResponseSource(of).rows()
            if not row.is_pilot
        )

    assert [a[:6] for a in answers(restored)] == [a[:6] for a in answers(study)]


def test_bare_files_without_the_instances_say_what_is_missing(study, tmp_path):
    files = written(study)
    folder = put(tmp_path, {name: files[name] for name in ("responses.jsonl", "metadata.csv")})
    with pytest.raises(ImportRefused, match=r"instances\.csv.*\binputId\b"):
        read_study_responses(folder)


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("metadata.csv", ("trueHLV", "true"), "neither a method with trueHLV A or B"),
        ("metadata.csv", ("method", "name"), "neither a method with trueHLV A or B"),
        ("metadata.csv", ("\n0,", "\n" + "9" * 5000 + ","), "not an inputId"),
        ("instances.csv", ("\n0,", "\n1,"), "the input appears twice"),
        ("instances.csv", ("\n0,", "\n\u0663,"), "not an inputId"),
        ("instances.csv", ("instance", "text"), "columns are missing"),
        ("responses.jsonl", ('"timestamp": "2', '"timestamp": "0'), "the time is before 1970"),
    ],
)
def test_bare_files_that_contradict_themselves_are_refused_in_words(study, tmp_path, name, change, reason):
    path = bare(study, tmp_path) / name
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change, 1))
    with pytest.raises(ImportRefused) as refused:
        read_study_responses(tmp_path)
    assert reason in [problem["reason"][: len(reason)] for problem in refused.value.data["problems"]]


def test_a_label_is_named_once_in_bare_files(study, tmp_path):
    path = bare(study, tmp_path) / "responses.jsonl"
    rows = lines(path.read_bytes())
    rows[1]["areasOfLawAnnotation"]["selectedAreas"] *= 2
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ImportRefused, match=r"responses\.jsonl, line 2, .*selectedAreas: "):
        read_study_responses(tmp_path)


def test_one_system_is_never_compared_with_itself_in_bare_files(tmp_path):
    path = bare(make_full_study(compares="system_vs_system"), tmp_path) / "metadata.csv"
    rows = list(csv.reader(path.read_text().splitlines()))
    rows[1][2] = rows[1][1]
    path.write_text("\n".join(",".join(row) for row in rows))
    with pytest.raises(ImportRefused, match="both options are one system"):
        read_study_responses(tmp_path)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    name=st.sampled_from(["responses.jsonl", "metadata.csv", "instances.csv"]),
    place=st.floats(0, 1),
    junk=st.binary(max_size=6),
    cut=st.integers(0, 12),
)
def test_damaged_bare_files_are_refused_in_words_or_restored_but_never_half(tmp_path_factory, name, place, junk, cut):
    with transaction.atomic():
        study = make_full_study(make_full_dataset(instances=6))
        folder = bare(study, tmp_path_factory.mktemp("damaged"))
        content = (folder / name).read_bytes()
        at = int(place * len(content))
        (folder / name).write_bytes(content[:at] + junk + content[at + cut :])
        restored = None
        with contextlib.suppress(HLVError):  # refused, in words; anything else is a mistake of ours
            restored = restore_study(responses=read_study_responses(folder), dataset=study.dataset, slug="damaged")
        assert Study.objects.filter(slug="damaged").exists() == (restored is not None)
        transaction.set_rollback(True)
