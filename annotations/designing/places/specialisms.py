"""Which texts are in whose field, by what experts said about themselves and what people said about the texts.

A text belongs to the labels that most of its people chose. Experts are not told, because knowing that a text is in
their field would reveal what others chose.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict
from annotations.models import Instance, Label, Membership, Study

FIELD = "specialism"


class NoSpecialism(Conflict):
    """No expert's specialism is, or was matched with, a label of the dataset."""

    code = "no_specialism"


@dataclass(frozen=True, slots=True)
class Specialism:
    """What experts said they mainly work on."""

    name: str
    experts: int
    """How many active experts said so."""
    labels: tuple[str, ...]
    """The labels, as experts read them, that belong to it by default."""


def specialisms_of(study: Study) -> list[Specialism]:
    """What a study's experts said, in alphabetical order."""
    columns, names = _columns(study), [label.shown for label in study.dataset.labels.all()]
    profiles = study.memberships.experts().filter(is_active=True).values_list("profile", flat=True)
    said = Counter(one for profile in profiles for one in _said(profile))
    return [
        Specialism(one, count, (names[columns[one.casefold()]],) if one.casefold() in columns else ())
        for one, count in sorted(said.items(), key=lambda item: item[0].casefold())
    ]


def texts_in_field(
    *, study: Study, members: Iterable[Membership], labels: Mapping[str, Sequence[str]] | None = None
) -> dict[int, frozenset[int]]:
    """For each expert, the instances in their field.

    Args:
        labels: the labels that belong to a specialism, by name or as experts read them; a specialism not listed
            here has the label of the same name.

    Raises:
        NoSpecialism: nobody's specialism has a label.
    """
    columns = _columns(study)
    given = {name.casefold(): list(those) for name, those in (labels or {}).items()}
    gold = study.dataset.gold
    chosen_most = (gold == gold.max(axis=1, keepdims=True)) & (gold > 0) if gold.size else np.zeros(gold.shape, bool)
    pks = np.array(
        list(Instance.objects.filter(dataset=study.dataset_id).order_by("position").values_list("pk", flat=True))
    )
    found: dict[int, frozenset[int]] = {}
    for member in members:
        own = [one.casefold() for one in _said(member.profile)]
        wanted = [label.casefold() for one in own for label in given.get(one, [one])]
        places = sorted({columns[label] for label in wanted if label in columns})
        found[member.pk] = frozenset(pks[chosen_most[:, places].any(axis=1)].tolist() if places else ())
    if not any(found.values()):
        raise NoSpecialism(
            _(
                "None of the experts' specialisms matches a label of this dataset. Ask experts for "
                "their specialism under Design and offer the label names as options, or specify "
                "which labels belong to which specialism."
            )
        )
    return found


def _columns(study: Study) -> dict[str, int]:
    """The labels' positions, by their names and display names."""
    named = Label.objects.filter(dataset=study.dataset_id).order_by("position")
    return {name.casefold(): label.position for label in named for name in (label.display_name, label.name) if name}


def _said(profile: Mapping[str, object]) -> list[str]:
    said = profile.get(FIELD)
    return [said] if isinstance(said, str) and said else []
