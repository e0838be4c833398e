"""What a check of the installation says: a condition, a sentence, a remedy; and how checks are declared.

Those of the page and of `/health/ready` are in health.py, those of `hlvstudy doctor` in hlvstudy/program/doctor. Only
the standard library is imported, because the doctor also judges settings with which Django does not start.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any


class Condition(StrEnum):
    WELL = "well"
    LOOK = "look"
    """It works, but somebody should look at it."""
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class HealthPart:
    """One part of the installation, and its condition."""

    name: str
    condition: Condition
    sentence: str
    remedy: str = ""


def well(sentence: str, remedy: str = "", *, name: str = "") -> HealthPart:
    """Without a name, it is that of the check; so for the other two conditions."""
    return HealthPart(name, Condition.WELL, sentence, remedy)


def look(sentence: str, remedy: str, *, name: str = "") -> HealthPart:
    return HealthPart(name, Condition.LOOK, sentence, remedy)


def broken(sentence: str, remedy: str, *, name: str = "") -> HealthPart:
    return HealthPart(name, Condition.BROKEN, sentence, remedy)


@dataclass(frozen=True, slots=True)
class Check:
    """One question about the installation."""

    name: str
    ask: Callable[..., HealthPart | Iterable[HealthPart]]
    key: str = ""
    """Its field at `/health/ready`."""
    responds: Callable[[], bool] = bool
    """Whether it is as it should be, asked every few seconds there."""
    at_rest: bool = False
    """Whether it can be asked while no server and no worker runs."""

    def answers(self, *arguments: Any, silent: tuple[str, str]) -> Iterator[HealthPart]:
        """What there is to say. Whatever a library raises is itself the answer.

        Args:
            arguments: of `ask`.
            silent: its sentence and its remedy, with {name} for the class of the error.
        """
        try:
            parts = self.ask(*arguments)
            for part in (parts,) if isinstance(parts, HealthPart) else parts:
                yield part if part.name else replace(part, name=self.name)
        except Exception as error:
            sentence, remedy = silent
            yield broken(sentence.format(name=type(error).__name__), remedy, name=self.name)
