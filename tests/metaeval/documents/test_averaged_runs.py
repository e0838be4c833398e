"""A study of averaged runs through analyses, bundle, export and restoring: the means stay what they were."""

import json
import zipfile

import numpy as np
import pytest
from django.core.management import call_command

from annotations import designing
from annotations.background.kept_files import write
from annotations.importing.responses.restoring import DoesNotFit, restore_study
from annotations.importing.responses.study_responses import read_study_responses
from annotations.models import System
from metaeval.analyses.base.options import options_of
from metaeval.analyses.inputs.gathering import Subject, gather, gather_dataset, gather_study
from metaeval.bundles.archive import Archive
from metaeval.bundles.rebuilding import rebuilt
from metaeval.documents.making import document_chunks
from metaeval.documents.models import DocumentKind
from metaeval.jobs.runs import compute
from tests.worlds.datasets import make_dataset
from tests.worlds.exported import put, written
from tests.worlds.studies import make_study, plan_and_open

pytestmark = pytest.mark.django_db

MEANS = ("Model 0 / A", "Model 0 / B", "Model 1 / A", "Model 1 / B")


def with_runs(slug="runs"):
    """Twelve systems: three runs each of two models x two methods."""
    dataset = make_dataset(instances=12, systems=12, slug=slug)
    for place, system in enumerate(dataset.systems.order_by("pk")):
        names = {"model": f"Model {place // 6}", "method": "AB"[place // 3 % 2], "run": str(place % 3)}
        System.objects.filter(pk=system.pk).update(**names, fingerprint=f"{place:064d}")
    type(dataset).objects.filter(pk=dataset.pk).update(fingerprint="d" * 64)
    dataset.refresh_from_db()
    return dataset


@pytest.fixture
def study():
    found = plan_and_open(make_study(dataset=with_runs(), instances_per_system=6, experts_per_comparison=2))
    call_command("simulate_responses", found.slug, experts=12)
    found.refresh_from_db()
    return found


def test_an_analysis_of_the_study_knows_the_means_by_model_and_method_and_of_the_dataset_only_its_runs(study):
    inputs = gather_study(study)
    assert inputs.systems == MEANS
    assert inputs.origins[1] == {"model": "Model 0", "method": "B", "run": ""}
    assert [run["run"] for run in inputs.data.means["Model 0 / B"]] == ["0", "1", "2"]
    runs = [gather_dataset(study.dataset).Q[f"Model 0 / B / {run}"] for run in range(3)]
    np.testing.assert_allclose(inputs.Q["Model 0 / B"], np.mean(runs, axis=0), rtol=1e-14)
    about = Subject.of_dataset(study.dataset)
    scores = compute(subject=about, analysis="system_scores", parameters={}, seed=1, progress=lambda *_: None)
    assert scores["counts"]["systems"] == 12
    assert [value for value, _ in options_of(Subject.of_study(study))("systems")] == list(MEANS)


def test_the_fingerprint_of_a_study_of_single_runs_is_as_it_was_before_there_were_others(study):
    single = make_study(dataset=study.dataset, slug="single", runs="single")
    designing.apply_plan(study=single)
    inputs = gather_study(single)
    assert inputs.runs == "single"
    assert len(inputs.systems) == 12
    assert gather(Subject.of_study(study)).fingerprint != inputs.fingerprint


def test_a_bundle_states_the_runs_and_rebuilds_the_same_inputs(study, tmp_path):
    write(tmp_path / "x.zip", document_chunks(study, DocumentKind.BUNDLE))
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        stated = json.loads(archive.read("study.json"))
    assert stated["study"]["runs"] == "averaged"
    assert stated["study"]["exchangeable_by_default"]["exchangeable"] == "models and methods"
    assert [run["run"] for run in stated["systems"][0]["mean_of"]] == ["0", "1", "2"]
    given = gather_study(study)
    with Archive(tmp_path / "x.zip") as archive:
        found = rebuilt(archive)
        assert (found.fingerprint, found.runs, found.data.means) == (given.fingerprint, "averaged", given.data.means)
        np.testing.assert_array_equal(found.Q[MEANS[0]], given.Q[MEANS[0]])


def test_an_export_restores_the_means_from_the_same_runs(study, tmp_path):
    content = written(study)
    put(tmp_path / "out", content)
    told = json.loads(content["study.json"])
    assert told["study"]["runs"] == "averaged"
    unit = told["study"]["exchangeable_by_default"]
    assert unit["exchangeable"] == "models and methods"
    assert unit["explained"] in designing.overview(study=study).statement
    assert [run["run"] for run in told["systems"][0]["mean_of"]] == ["0", "1", "2"]
    again = restore_study(responses=read_study_responses(tmp_path / "out"), dataset=study.dataset, slug="again").study
    one, other = gather_study(study), gather_study(again)
    assert (other.systems, other.runs) == (MEANS, "averaged")
    np.testing.assert_array_equal(other.answers.second, one.answers.second)
    once_more = written(again)
    for name in ("responses.jsonl", "metadata.csv", "comparisons.jsonl"):
        assert once_more[name] == content[name]
    assert json.loads(once_more["study.json"])["systems"] == told["systems"]


def test_an_export_with_other_or_missing_runs_is_refused(study, tmp_path):
    put(tmp_path / "out", written(study))
    run = System.objects.get(model="Model 1", method="A", run="2")
    System.objects.filter(pk=run.pk).update(fingerprint="e" * 64)
    with pytest.raises(DoesNotFit, match="predictions of 'Model 1 / A / 2'"):
        restore_study(responses=read_study_responses(tmp_path / "out"), dataset=study.dataset, slug="again")
    System.objects.filter(pk=run.pk).update(run="9")
    with pytest.raises(DoesNotFit, match="systems 'Model 1 / A / 2'"):
        restore_study(responses=read_study_responses(tmp_path / "out"), dataset=study.dataset, slug="again")


def test_an_import_says_what_a_study_makes_of_the_runs(tmp_path, capsys):
    dataset = make_dataset(instances=2, labels=3, systems=0, task="multiclass", slug="few")
    header = "instance,model,method,run," + ",".join(label.name for label in dataset.labels.order_by("position"))
    for run in "123":
        rows = [
            f"external-{item},{model},{method},{run},0.5,0.25,0.25"
            for item in range(2)
            for model in ("Big", "Small")
            for method in ("Rel", "Soft")
        ]
        (tmp_path / f"{run}.csv").write_text("\n".join([header, *rows]) + "\n")
    call_command("import_predictions", "few", str(tmp_path / "1.csv"))
    assert "compares their means" not in capsys.readouterr().out
    call_command("import_predictions", "few", str(tmp_path / "2.csv"), str(tmp_path / "3.csv"), "--dry-run")
    said = capsys.readouterr().out
    assert "Note: 3 runs each of 2 models x 2 methods. A study compares their means (4 systems)." in said
