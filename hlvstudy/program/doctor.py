"""`hlvstudy doctor`: every wrong setting in a sentence with its remedy, all at once rather than the first only."""

import json
import logging
import os
from collections.abc import Iterator

from hlvstudy.checks.conditions import Condition, HealthPart, broken
from hlvstudy.checks.environment import SETTINGS
from hlvstudy.program.steps import say

GRADES = {Condition.WELL: "well", Condition.LOOK: "look", Condition.BROKEN: "wrong"}


def examine(*, mail_to: str, as_json: bool) -> int:
    """Say what is well and what is not; the exit code is 1 if something is wrong."""
    logging.disable(logging.CRITICAL)  # it is said in a sentence
    parts = list(examined(mail_to))
    say(in_json(parts) if as_json else in_text(parts))
    return int(any(part.condition == Condition.BROKEN for part in parts))


def examined(mail_to: str = "") -> Iterator[HealthPart]:
    """All there is to say about this installation, from its environment to a mail sent on request."""
    yield from SETTINGS.for_doctor()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured

    try:
        django.setup()
    except (ImproperlyConfigured, OSError) as error:
        yield broken(f"The app cannot start: {error}", "Correct what is named above or here.", name="Settings")
        return
    from hlvstudy.checks.every import CHECKS

    for check in CHECKS:
        if check.doctor and check is not SETTINGS:
            yield from check.for_doctor(*([mail_to] if check.name == "Mail" else []))


def in_text(parts: list[HealthPart]) -> str:
    """A line for each, what is wrong last, where a terminal shows it.

    >>> from hlvstudy.checks.conditions import well
    >>> full = broken("It is full.", "Free some space.", name="Disk")
    >>> print(in_text([full, well("They are collected.", name="Pages")]))
    well   Pages: They are collected.
    WRONG  Disk: It is full.
           Free some space.
    <BLANKLINE>
    1 wrong, 0 to look at, 1 well.
    """
    lines, counts = [], []
    for condition, grade in GRADES.items():
        alike = [part for part in parts if part.condition == condition]
        counts.append(len(alike))
        for part in alike:
            mark = "WRONG" if condition == Condition.BROKEN else grade
            lines.append(f"{mark:<5}  {part.name}: {part.sentence}")
            lines += [f"{'':7}{part.remedy}"] if part.remedy else []
    well, look, wrong = counts
    return "\n".join([*lines, "", f"{wrong} wrong, {look} to look at, {well} well."])


def in_json(parts: list[HealthPart]) -> str:
    rows = [
        {"what": part.name, "grade": GRADES[part.condition], "sentence": part.sentence, "remedy": part.remedy}
        for part in parts
    ]
    return json.dumps(rows, indent=2)
