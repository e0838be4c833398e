"""What experts read instead of a label's imported name, which words find it, and what a dataset is called.

Labels are part of a study's instrument: once it takes answers, even in a pilot, their names stay as they are.
The words by which experts find a label may change at any time: they are never shown as labels, and changes are
logged. Imports, analyses and exports use only a label's imported name.
"""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict, HLVError
from annotations.history import events
from annotations.models import Dataset, EventKind, Label, StudyState, User
from annotations.storing.search_terms import search_words


class LabelsInUse(Conflict):
    """A study of the dataset has begun, and its experts read these labels."""


class LooksAlike(HLVError):
    """Two labels would read the same."""


def begun_with(dataset: Dataset) -> list[str]:
    """The studies of the dataset that have begun, by slug; while there are none, its labels may be renamed."""
    return sorted(dataset.studies.exclude(state=StudyState.DRAFT).values_list("slug", flat=True))


@transaction.atomic
def rename_dataset(*, dataset: Dataset, title: str, actor: User) -> Dataset:
    """Change the dataset's title. Experts never see it, so it may change at any time."""
    dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
    if title != dataset.title:
        events.record(
            EventKind.DATASET_CHANGED, actor=actor, dataset=dataset, what="title", before=dataset.title, after=title
        )
        dataset.title = title
        dataset.save(update_fields=["title"])
    return dataset


@transaction.atomic
def show_label_as(*, dataset: Dataset, position: int, display_name: str, actor: User) -> Label:
    """Let experts read `display_name` instead of the label's imported name; empty: the imported name again.

    Raises:
        LabelsInUse: a study of the dataset has begun.
        LooksAlike: another label reads the same.
        Label.DoesNotExist: there is no label at this position.
    """
    # The dataset is locked first, so that two names given at once are compared with each other.
    dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
    labels = {label.position: label for label in dataset.labels.all()}
    if position not in labels:
        raise Label.DoesNotExist
    if begun := begun_with(dataset):
        raise LabelsInUse(
            _(
                "The labels can no longer be renamed, because experts have already read them in a "
                "study. To use other words in a new study, import the dataset under another name."
            ),
            studies=begun,
        )
    label = labels[position]
    name = "" if display_name == label.name else display_name
    reads = (name or label.name).casefold()
    if any(reads == other.shown.casefold() for other in labels.values() if other is not label):
        raise LooksAlike(
            _("Another label has the same name, so experts could not tell them apart."),
            fields={"display_name": [_("Another label has the same name.")]},
        )
    if name != label.display_name:
        events.record(
            EventKind.DATASET_CHANGED, actor=actor, dataset=dataset, what="label", label=label.name, display_name=name
        )
        label.display_name = name
        label.save(update_fields=["display_name"])
    return label


@transaction.atomic
def find_labels_by(*, dataset: Dataset, words: Mapping[int, Sequence[str]], actor: User | None = None) -> list[Label]:
    """Give labels, by position, other words by which experts can find them; these replace the existing ones.

    Returns the labels whose words changed; each change is recorded as an event.

    Raises:
        BadSearchWords: a word is invalid, or there are too many.
        Label.DoesNotExist: there is no label at one of the positions.
    """
    dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
    labels = {label.position: label for label in dataset.labels.all()}
    if not set(words) <= set(labels):
        raise Label.DoesNotExist
    search_words_of = {position: search_words(entered) for position, entered in words.items()}
    changed = [
        labels[position] for position, entered in search_words_of.items() if labels[position].search_words != entered
    ]
    for label in changed:
        label.search_words = search_words_of[label.position]
        events.record(
            EventKind.DATASET_CHANGED,
            actor=actor,
            dataset=dataset,
            what="search_words",
            label=label.name,
            search_words=label.search_words,
        )
    Label.objects.bulk_update(changed, ["search_words"])
    return changed


@transaction.atomic
def change_label(
    *,
    dataset: Dataset,
    position: int,
    actor: User,
    display_name: str | None = None,
    search_words: Sequence[str] | None = None,
) -> None:
    """Change what experts read for a label and which words find it, both or neither; None leaves it unchanged.

    Raises what `show_label_as` and `find_labels_by` raise.
    """
    if display_name is not None:
        show_label_as(dataset=dataset, position=position, display_name=display_name, actor=actor)
    if search_words is not None:
        find_labels_by(dataset=dataset, words={position: search_words}, actor=actor)
    if not dataset.labels.filter(position=position).exists():
        raise Label.DoesNotExist
