"""A bundle is recomputed from itself alone: no test here may touch the database (`no_database` refuses it)."""

import json
import zipfile
from dataclasses import fields

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from metaeval import metrics
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs import Answers, SubjectKind
from metaeval.bundles.archive import Archive
from metaeval.bundles.rebuilding import rebuilt
from metaeval.bundles.verifying import Equality, verify
from metaeval.management.commands.verify_bundle import EQUAL
from metaeval.metrics import registry
from tests.metaeval.finished import REMARK

pytestmark = pytest.mark.django_db


def verdicts(path, **options):
    return {finding.what: finding for finding in verify(path, **options)}


def test_every_result_of_every_analysis_is_recomputed_to_the_last_digit(bundle):
    found = verify(bundle)
    others = [one for one in found if one.verdict != Equality.EQUAL]
    assert [(one.what, one.details) for one in others if one.verdict != Equality.NOT_CHECKED] == []
    ours = [entry.name for entry in analyses if SubjectKind.STUDY in entry.subjects]
    assert len(found) == 4 + len(ours)
    assert all(one.numbers > 10 for one in found[4:])


def test_a_metric_that_was_added_since_changes_no_verdict(bundle, monkeypatch):
    monkeypatch.setattr(registry.metrics, "_entries", dict(registry.metrics._entries))

    @metrics.metric(title="Mass", tasks=metrics.EVERY_TASK, source="this test", works_per_item=False)
    def mass(pair: metrics.Pair) -> float:
        return float(pair.Q.mean())

    (scores,) = verify(bundle, only=["system_scores"])[4:]
    assert (scores.verdict, scores.details) == (Equality.EQUAL, ())


def test_the_rebuilt_inputs_are_those_of_the_database(bundle, made):
    original = made["inputs"]
    with Archive(bundle) as archive:
        found = rebuilt(archive)
        for column in fields(Answers):
            one, other = getattr(original.answers, column.name), getattr(found.answers, column.name)
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other, err_msg=column.name)
        assert found.reports.reason == original.reports.reason
        np.testing.assert_array_equal(found.reports.skipped, original.reports.skipped)
        np.testing.assert_array_equal(found.P, original.P)
        for name, matrix in made["Q"].items():
            np.testing.assert_array_equal(found.Q[name], matrix)
        assert found.data.instances == made["instances"]
        assert found.stated == original.stated
        assert found.fingerprint == original.fingerprint
        assert found.answers.is_pilot.any()
        assert found.answers.is_skipped.any()
        assert np.isnan(found.answers.certainty).any()


def test_the_same_study_gives_the_same_bytes(made):
    assert made["path"].read_bytes() == made["again"].read_bytes()


def test_people_are_numbers_and_texts_and_remarks_stay_out(content, made):
    everything = b"".join(content.values())
    assert b"@example.org" not in everything
    assert REMARK.encode() not in everything
    assert b"text 5" not in everything
    with zipfile.ZipFile(made["texts"]) as archive:
        texts = [json.loads(line) for line in archive.read("data/texts.jsonl").splitlines()]
        assert REMARK.encode() not in b"".join(map(archive.read, archive.namelist()))
    assert texts[3]["instance"] == "i4"  # i3 was withdrawn
    assert "text 3" not in [row["segments"][0]["text"] for row in texts]


def test_a_changed_file_is_refused_by_its_checksum(changed, content):
    path = changed({"data/answers.csv": content["data/answers.csv"].replace(b"true", b"false", 1)})
    with pytest.raises(CommandError, match=r"data/answers\.csv .*checksum"):
        call_command("verify_bundle", str(path))


def test_changed_answers_with_new_checksums_are_found_by_the_numbers(changed, content):
    rows = content["data/answers.csv"].decode().splitlines(keepends=True)
    at = rows[0].strip().split(",").index("is_pilot")
    rows[40:80] = [
        ",".join("true" if n == at else cell for n, cell in enumerate(row.split(","))) for row in rows[40:80]
    ]
    found = verdicts(changed({"data/answers.csv": "".join(rows).encode()}, rehash=True), only=["agreement"])
    assert found["fingerprint of the data"].verdict == Equality.DIFFERS
    [result] = [one for what, one in found.items() if what.startswith("results/")]
    assert result.verdict == Equality.DIFFERS
    assert any("fingerprint" not in detail for detail in result.details)


def test_a_changed_number_of_a_result_is_named(changed, content, capsys):
    [name] = [name for name in content if name.endswith("preference_correlation.json")]
    result = json.loads(content[name])
    result["correlations"][0]["p_value"] *= 1.000001
    path = changed({name: json.dumps(result).encode()}, rehash=True)
    found = verdicts(path, only=["preference_correlation"])[name]
    assert found.verdict == Equality.DIFFERS
    assert [detail.split(":")[0] for detail in found.details] == ["correlations[0].p_value"]
    assert verdicts(path, only=["preference_correlation"], tolerance=1e-5)[name].verdict == Equality.EQUAL
    with pytest.raises(CommandError, match="1 of 5 "):
        call_command("verify_bundle", str(path), "--only", "preference_correlation")
    assert "correlations[0].p_value" in capsys.readouterr().out


def test_changed_predictions_are_named(changed, content):
    lines = content["data/systems/0000.csv"].decode().splitlines(keepends=True)
    lines[1] = ",".join(["0.5"] * 4) + "\r\n"
    found = verdicts(changed({"data/systems/0000.csv": "".join(lines).encode()}, rehash=True), only=["system_scores"])
    assert "the predictions of Alpha / M0" in found["fingerprint of the data"].details


def test_a_changed_plan_is_seen(changed, content):
    plan = json.loads(content["plan.json"])
    assert plan["sha256"]
    plan["planned"][0]["note"] = "as expected"
    path = changed({"plan.json": json.dumps(plan).encode()}, rehash=True)
    assert verdicts(path, only=["system_scores"])["SHA-256 of the analysis plan"].verdict == Equality.DIFFERS


@pytest.mark.parametrize("change", [{"version": 99}, {"analysis": "unheard_of"}])
def test_what_cannot_be_recomputed_here_is_not_called_equal(changed, content, change):
    [name] = [name for name in content if name.endswith("system_scores.json")]
    path = changed({name: json.dumps(json.loads(content[name]) | change).encode()}, rehash=True)
    assert verdicts(path, only=["system_scores", "unheard_of"])[name].verdict == Equality.UNKNOWN


def test_the_command_says_that_everything_is_equal(bundle, capsys):
    call_command("verify_bundle", str(bundle), "--only", "system_scores")
    assert EQUAL in capsys.readouterr().out


def test_it_is_a_valid_data_package(bundle, tmp_path):
    from frictionless import Package

    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path)  # our own archive
    report = Package(str(tmp_path / "datapackage.json")).validate()
    assert report.valid, report.to_summary()
    assert len(report.tasks) == len(json.loads((tmp_path / "datapackage.json").read_text())["resources"])
