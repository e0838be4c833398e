"""Import again what is not in use yet: a wrong choice of task, labels or format can be fixed under the same name.

A dataset is in use as soon as there is a study or an analysis of it: these refer to its content, which never changes
from then on.
"""

from collections.abc import Iterator

from django.db.models import ForeignObjectRel, Model
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.errors import Conflict, NotAllowed
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
from annotations.shown.plurals import filled, with_and

CONTENT = (Label, Instance, System, Annotator, PredictedAnnotations, Judge, PairwiseVote, Event)
"""Models that are part of a dataset or outlive it. Everything else that refers to one uses it."""

USES = {
    "analysis": gettext_noop("{count, plural, one {# analysis} other {# analyses}}"),
    "study": gettext_noop("{count, plural, one {# study} other {# studies}}"),
}
"""What uses a dataset, by its verbose name; what another app adds is named in English."""


class InUse(Conflict):
    """A study or an analysis uses what is to be replaced."""


def refuse_if_used(dataset: Dataset, actor: User | None) -> None:
    """Raise unless the dataset or its predictions may be replaced.

    Raises:
        NotAllowed: somebody else imported it.
        InUse: studies or analyses use it.
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
            ).format(dataset=repr(dataset.slug), uses=with_and(uses)),
            slug=dataset.slug,
        )


def uses_of(dataset: Dataset) -> Iterator[str]:
    """What uses the dataset, in words, from all apps: `2 studies ('a', 'b')`."""
    for relation in Dataset._meta.get_fields(include_hidden=True):
        if not isinstance(relation, ForeignObjectRel) or relation.related_model in CONTENT:
            continue
        model: type[Model] = relation.related_model
        meta = model._meta
        if meta.auto_created:  # the table of a many-to-many relation, which is found separately
            continue
        rows = model._default_manager.filter(**{relation.field.name: dataset})
        count = rows.count()
        if count:
            has_slug = any(field.name == "slug" for field in meta.fields)
            names = f" ({listed(rows.values_list('slug', flat=True)[:5], total=count)})" if has_slug else ""
            other = f"{count:,} {meta.verbose_name if count == 1 else meta.verbose_name_plural}"
            message = USES.get(str(meta.verbose_name))
            yield (filled(translation.gettext(message), count=count) if message else other) + names


def remove_unused(dataset: Dataset, actor: User | None) -> list[str]:
    """Delete an unused dataset with its predictions; return its systems' names. To be called under its lock.

    Raises what `refuse_if_used` raises.
    """
    refuse_if_used(dataset, actor)
    systems = [system.name for system in dataset.systems.order_by("model", "method", "run")]
    dataset.delete()
    return systems
