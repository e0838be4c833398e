"""What the doctor found, and how it is told."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum


class Grade(StrEnum):
    WELL = "well"
    LOOK = "look"
    """It works, but somebody should look at it."""
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was looked at, and what is to be said about it."""

    what: str
    grade: Grade
    sentence: str
    remedy: str = ""


Look = Callable[[], Iterable[Diagnosis]]


def well(what: str, sentence: str) -> Diagnosis:
    return Diagnosis(what, Grade.WELL, sentence)


def look(what: str, sentence: str, remedy: str) -> Diagnosis:
    return Diagnosis(what, Grade.LOOK, sentence, remedy)


def wrong(what: str, sentence: str, remedy: str) -> Diagnosis:
    return Diagnosis(what, Grade.WRONG, sentence, remedy)


def seen(looks: dict[str, Look]) -> Iterator[Diagnosis]:
    """All findings; a look that itself fails is one."""
    for what, one in looks.items():
        try:
            yield from one()
        except Exception as error:  # whatever the library behind it raises is the finding
            yield wrong(what, f"It cannot be checked ({type(error).__name__}).", "See the lines above, and the log.")


def as_text(findings: list[Diagnosis]) -> str:
    """A line for each, what is wrong last, where a terminal shows it.

    >>> print(as_text([wrong("Disk", "It is full.", "Free some space."), well("Pages", "They are collected.")]))
    well   Pages: They are collected.
    WRONG  Disk: It is full.
           Free some space.
    <BLANKLINE>
    1 wrong, 0 to look at, 1 well.
    """
    lines = []
    for grade in Grade:
        for one in findings:
            if one.grade == grade:
                mark = grade.upper() if grade == Grade.WRONG else str(grade)
                lines.append(f"{mark:<5}  {one.what}: {one.sentence}")
                lines += [f"{'':7}{one.remedy}"] if one.remedy else []
    counts = {grade: sum(one.grade == grade for one in findings) for grade in Grade}
    told = f"{counts[Grade.WRONG]} wrong, {counts[Grade.LOOK]} to look at, {counts[Grade.WELL]} well."
    return "\n".join([*lines, "", told])


def as_json(findings: list[Diagnosis]) -> str:
    return json.dumps([asdict(one) for one in findings], indent=2)
