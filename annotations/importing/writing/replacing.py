"""Import again what nothing uses yet: a wrong choice of task, labels or format can be fixed under the same name.

A dataset is used as soon as a study is made on it, or an analysis was started: these refer to what is there, and from
then on it never changes.
"""

from collections.abc import Iterator

from django.db.models import ForeignObjectRel, Model
from django.utils.translation import gettext as _

from annotations.errors import Conflict, NotAllowed
from annotations.importing.memory.problems import listed
from annotations.models import (
    Annotator,
    Dataset,
    Event,
    Instance,
    Judge,
    Label,
    PairwiseVote,
    PredictedAnnotations,
    System,
    User,
)

CONTENT = (Label, Instance, System, Annotator, PredictedAnnotations, Judge, PairwiseVote, Event)
"""What is part of a dataset, or outlives it. Whatever else refers to one uses it."""


class InUse(Conflict):
    """A study or an analysis refers to what should be replaced."""

    code = "in_use"


def refuse_if_used(dataset: Dataset, actor: User | None) -> None:
    """Raise unless the dataset may be replaced, or its predictions.

    Raises:
        NotAllowed: somebody else imported it.
        InUse: studies or analyses refer to it.
    """
    if actor is not None and not actor.is_superuser and dataset.created_by_id != actor.pk:
        raise NotAllowed(
            _("Only the person who imported the dataset {dataset} can replace it or its predictions.").format(
                dataset=repr(dataset.slug)
            )
        )
    uses = list(uses_of(dataset))
    if uses:
        raise InUse(
            _(
                "The dataset {dataset} cannot be replaced, because it is used by {uses}. Import your "
                "data under another name."
            ).format(dataset=repr(dataset.slug), uses=" and ".join(uses)),
            slug=dataset.slug,
        )


def uses_of(dataset: Dataset) -> Iterator[str]:
    """What refers to the dataset, in words, from all apps: `2 studies ('a', 'b')`."""
    for relation in Dataset._meta.get_fields(include_hidden=True):
        if not isinstance(relation, ForeignObjectRel) or relation.related_model in CONTENT:
            continue
        model: type[Model] = relation.related_model
        meta = model._meta
        if meta.auto_created:  # the table of a many-to-many relation, which is met by itself
            continue
        rows = model._default_manager.filter(**{relation.field.name: dataset})
        count = rows.count()
        if count:
            has_slug = any(field.name == "slug" for field in meta.fields)
            names = f" ({listed(rows.values_list('slug', flat=True)[:5], total=count)})" if has_slug else ""
            yield f"{count:,} {meta.verbose_name if count == 1 else meta.verbose_name_plural}{names}"


def remove_unused(dataset: Dataset, actor: User | None) -> list[str]:
    """Take a dataset away that nothing uses, with its predictions; return their systems' names. Call it under its lock.

    Raises as `refuse_if_used` does.
    """
    refuse_if_used(dataset, actor)
    systems = [system.name for system in dataset.systems.order_by("model", "method", "run")]
    dataset.delete()
    return systems
