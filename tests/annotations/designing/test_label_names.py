"""Changes of what a dataset and its labels are called: each is of one dataset, and is in the log with what it was."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError

from annotations.designing.label_names import change_label, find_labels_by, rename_dataset, show_label_as
from annotations.models import Dataset, Event, Label, User
from tests.worlds.datasets import make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset() -> Dataset:
    make_dataset(slug="neighbour")
    return make_dataset()


def test_every_change_of_a_label_is_in_the_log_of_its_dataset_by_the_labels_own_name(
    dataset: Dataset, make_user: Callable[..., User]
) -> None:
    actor = make_user()
    show_label_as(dataset=dataset, position=0, display_name="Tort", actor=actor)
    (changed,) = find_labels_by(dataset=dataset, words={0: ["injury"], 1: []}, actor=actor)
    assert (changed.dataset, changed.position, changed.search_words) == (dataset, 0, ["injury"])
    events = Event.objects.order_by("pk")
    assert [(event.actor, event.dataset, event.subject) for event in events] == [(actor, dataset, dataset.slug)] * 2
    assert [event.data for event in events] == [
        {"what": "label", "label": "Label z", "display_name": "Tort"},
        {"what": "search_words", "label": "Label z", "search_words": ["injury"]},
    ]


def test_a_label_that_is_not_there_is_missed_even_if_nothing_is_to_be_changed(
    dataset: Dataset, make_user: Callable[..., User]
) -> None:
    actor = make_user()
    change_label(dataset=dataset, position=3, actor=actor)
    with pytest.raises(Label.DoesNotExist):
        change_label(dataset=dataset, position=4, actor=actor)
    assert not Event.objects.exists()


def test_a_title_that_cannot_be_stored_leaves_no_event(
    dataset: Dataset, make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(Dataset, "save", fail)
    with pytest.raises(DatabaseError):
        rename_dataset(dataset=dataset, title="Better", actor=make_user())
    assert not Event.objects.exists()
