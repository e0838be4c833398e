"""What looks odd in a label set: a scale taken for classes, missing points, near-equal names."""

import unicodedata
from collections.abc import Sequence

from django.utils.translation import gettext as _

from annotations.importing.memory.problems import listed
from annotations.importing.memory.tables import LabelSet
from annotations.models import Task
from annotations.shown.plurals import filled, with_commas

FEWEST_POINTS = 3
WIDEST = 100


def label_hints(labels: LabelSet) -> list[str]:
    """Sentences about labels that may have been misunderstood; none if nothing looks odd.

    >>> label_hints(LabelSet(("yes", "Yes", "no"), Task.MULTICLASS))[0][:63]
    "'yes', 'Yes' differ only in upper and lower case or in spaces, "
    """
    hints = [_near_equal(names) for names in near_equal_names(labels.names)]
    points = _whole_numbers(labels.names)
    if len(points) < FEWEST_POINTS or labels.task == Task.MULTILABEL:
        return hints
    whole = list(range(min(points), max(points) + 1)) if max(points) - min(points) <= WIDEST else sorted(points)
    gaps = [point for point in whole if point not in points]
    scale = f"'labels' = '{';'.join(map(str, whole))}'"
    if labels.task == Task.MULTICLASS:
        message = _(
            "The labels are numbers ({low} to {high}), and were treated as classes without an order. If they are "
            "points on a scale, set the option 'task' = 'ordinal'."
        )
        if gaps:
            message = _(
                "The labels are numbers ({low} to {high}), and were treated as classes without an order. If they "
                "are points on a scale, set the option 'task' = 'ordinal', and list all points of the scale, "
                "including those that nobody chose: {scale}."
            )
        hints.append(filled(message, low=min(points), high=max(points), scale=scale))
    elif gaps:
        hints.append(
            filled(
                _(
                    "The scale lacks {gaps}, which lie between its points: neighbours count as one step apart. If "
                    "they are points that nobody chose, list all of them: {scale}."
                ),
                gaps=listed(map(str, gaps)),
                scale=scale,
            )
        )
    return hints


def near_equal_names(names: Sequence[str]) -> list[list[str]]:
    """Groups of names that differ only in case, spaces, or how their characters are encoded.

    >>> near_equal_names(["yes", "no", "Yes", "not  sure", "Not sure"])
    [['yes', 'Yes'], ['not  sure', 'Not sure']]
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(" ".join(unicodedata.normalize("NFKC", name).casefold().split()), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _near_equal(names: Sequence[str]) -> str:
    pairs = "; ".join(f"{name}={names[0]}" for name in names[1:])
    return filled(
        _(
            "{names} differ only in upper and lower case or in spaces, and were treated as {count} labels. If they are "
            "the same label, import again with the option 'label_names' = {pairs}."
        ),
        names=with_commas(map(repr, names)),
        count=len(names),
        pairs=f"'{pairs}'",
    )


def _whole_numbers(names: Sequence[str]) -> set[int]:
    """The labels as whole numbers; empty if one of them is not a whole number."""
    try:
        return {int(name) for name in names}
    except ValueError:
        return set()
