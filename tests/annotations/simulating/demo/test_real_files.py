"""A demo on real files: what is in a folder is found, what is not read is named, and nothing is begun in vain."""

import json
from pathlib import Path

import numpy as np
import pytest

from annotations.models import Dataset, PreferenceResponse, Role, Study, StudyState
from annotations.simulating.demo.loading import load_real_demo
from annotations.simulating.demo.real_files import MOST_FILES, NothingToShow, look_through

TEXTS = 6
PREDICTIONS = "instance,pet,wild\n" + "".join(f"t{n},{n / 10},{1 - n / 10}\n" for n in range(TEXTS))


def animals(folder: Path, name: str = "animals.csv") -> Path:
    """A table of what three people said about each of a few texts."""
    rows = ["instance,text,annotator,label"]
    for n in range(TEXTS):
        rows += [f"t{n},It has {n} legs.,p{who},{'pet' if (n + who) % 2 else 'wild'}" for who in range(3)]
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(rows) + "\n")
    return file


def test_a_dataset_and_its_predictions_are_told_apart(tmp_path: Path) -> None:
    animals(tmp_path)
    (tmp_path / "cautious.csv").write_text(PREDICTIONS)
    (tmp_path / "NOTES.md").write_text("Where this comes from: from nowhere.")
    (tmp_path / ".hidden.csv").write_text("not looked at")
    found = look_through(tmp_path)
    (dataset,) = found.datasets
    assert (dataset.slug, dataset.texts, dataset.labels, dataset.is_showable) == ("animals", TEXTS, 2, True)
    assert [file.name for _, files in dataset.predictions for file in files] == ["cautious.csv"]
    assert len(dataset.systems) == 1
    assert [why.split(":")[0] for why in found.unread] == ["NOTES.md"]
    assert "animals.csv: 6 texts, 2 labels" in str(dataset)


def test_what_is_no_data_is_named_with_the_reason(tmp_path: Path) -> None:
    animals(tmp_path)
    (tmp_path / "cautious.csv").write_text(PREDICTIONS)
    (tmp_path / "model.pkl").write_bytes(b"\x80\x04K\x01.")
    (tmp_path / "empty.csv").touch()
    (tmp_path / "data.zip").write_bytes(b"PK\x03\x04 nothing more")
    (tmp_path / "others.csv").write_text("instance,pet,wild\nelsewhere,0.5,0.5\n")
    unread = look_through(tmp_path).unread
    assert [why.split(":")[0].split(",")[0] for why in unread] == ["data.zip", "empty.csv", "model.pkl", "others.csv"]
    assert "this is a Python pickle, and pickles are never read" in " ".join(unread)


def test_a_matrix_is_read_with_what_lies_beside_it(tmp_path: Path) -> None:
    np.save(tmp_path / "people.npy", np.full((TEXTS, 2), 0.5))
    rows = [json.dumps({"instance": f"t{n}", "text": f"It has {n} legs."}) for n in range(TEXTS)]
    (tmp_path / "texts.jsonl").write_text("\n".join(rows))
    (tmp_path / "labels.txt").write_text("pet\nwild\n")
    (tmp_path / "predicted").mkdir()
    (tmp_path / "predicted" / "cautious.csv").write_text(PREDICTIONS)
    (dataset,) = look_through(tmp_path).datasets
    assert {file.name for file in dataset.files} == {"people.npy", "texts.jsonl", "labels.txt"}
    assert dataset.texts == TEXTS
    assert len(dataset.systems) == 1


def test_two_datasets_of_one_name_get_two(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        animals(tmp_path / folder)
        (tmp_path / folder / "cautious.csv").write_text(PREDICTIONS)
    assert [one.slug for one in look_through(tmp_path).datasets] == ["animals", "animals-2"]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "Nothing in .* can be read as a dataset"),
        ({"notes.txt": "Only words."}, "Nothing in .* can be read as a dataset"),
        ({"cautious.csv": PREDICTIONS}, "can be shown to experts|can be read as a dataset"),
    ],
)
def test_a_folder_without_anything_to_show_is_a_plain_sentence(
    tmp_path: Path, files: dict[str, str], says: str
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(NothingToShow, match=says):
        look_through(tmp_path)


def test_without_predictions_it_says_what_to_put_there(tmp_path: Path) -> None:
    animals(tmp_path)
    with pytest.raises(NothingToShow, match=r"animals\.csv: 6 texts"):
        look_through(tmp_path)


def test_no_folder_and_too_large_a_folder(tmp_path: Path) -> None:
    with pytest.raises(NothingToShow, match="There is no folder"):
        look_through(tmp_path / "nowhere")
    for number in range(MOST_FILES + 1):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(NothingToShow, match="more than 300 files"):
        look_through(tmp_path)


@pytest.mark.django_db
def test_a_study_of_them_is_made_once_and_its_answers_are_marked(tmp_path: Path) -> None:
    animals(tmp_path)
    (tmp_path / "cautious.csv").write_text(PREDICTIONS)
    demo = load_real_demo(look_through(tmp_path))
    study = demo.study
    assert (study.slug, study.state, study.is_simulated) == ("animals", StudyState.OPEN, True)
    assert study.dataset.is_simulated is False
    mine = study.assignments.filter(expert__user=demo.people[Role.EXPERT])
    assert mine.count() == TEXTS
    assert not mine.filter(completed_at__isnull=False).exists()
    answers = PreferenceResponse.objects.filter(assignment__study=study)
    assert answers.count() == demo.answers_added > 0
    assert not answers.filter(assignment__expert__is_simulated=False).exists()
    again = load_real_demo(look_through(tmp_path))
    assert (again.study, again.answers_added) == (study, 0)
    assert (Dataset.objects.count(), Study.objects.count()) == (1, 1)


@pytest.mark.shared_data
@pytest.mark.django_db
def test_published_files_are_found_in_all_their_folders(shared_data: Path) -> None:
    """ChaosNLI with the predictions of three runs; the others have no predictions, or no texts."""
    found = look_through(shared_data)
    assert found.chosen.title == "chaosNLI_snli"
    assert len(found.chosen.systems) == 3
    by_title = {one.title: one for one in found.datasets}
    assert (by_title["ArMIS"].texts, len(by_title["ArMIS"].files)) == (943, 3)
    assert not by_title["human"].is_showable
    assert any("tc_usr_data.json" in why and "6 criteria" in why for why in found.unread)
    demo = load_real_demo(look_through(shared_data / "chaosnli"))
    assert demo.study.comparisons.count() == 28
    assert demo.study.is_simulated
    assert demo.answers_added == 28 * 4 - 28
