"""What a check of the installation answers: a condition, a sentence, a remedy; and how checks are declared.

Only the standard library is imported, because the doctor also judges settings with which Django does not start.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar

Answer = TypeVar("Answer")
REMEMBERED_SECONDS = 2.0


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


class Gauge(NamedTuple):
    """A gauge for Prometheus: its value for each combination of its labels."""

    name: str
    meaning: str
    values: Mapping[tuple[str, ...], float]
    labels: tuple[str, ...] = ()


def gauge(name: str, meaning: str, value: float) -> Gauge:
    """A gauge without labels."""
    return Gauge(name, meaning, {(): float(value)})


Parts = HealthPart | Iterable[HealthPart]


@dataclass(frozen=True, slots=True)
class Check:
    """One question about the installation. Each reader takes the checks that have an answer for it."""

    name: str
    """As the doctor has it."""
    doctor: Callable[..., Parts] | None = None
    page: tuple[int, str, Callable[[], Parts]] | None = None
    """Its place there and at `/health/ready`, its title, which is translated there, and what is said of it in the
    reader's language.
    """
    probe: tuple[str, Callable[[], bool]] | None = None
    """Its field at `/health/ready`, and whether it is as it should be, asked every few seconds there."""
    figures: Callable[[], Iterable[Gauge]] = tuple
    """What Prometheus gets."""
    is_at_rest: bool = False
    """Whether the page's question can be asked while no server and no worker runs."""

    def for_doctor(self, *arguments: Any) -> Iterator[HealthPart]:
        silent = "It cannot be checked ({name}).", "See the lines above, and the log."
        return answers(self.name, self.doctor or tuple, arguments, silent=silent)


def answers(
    name: str, ask: Callable[..., Parts], arguments: Iterable[Any] = (), *, silent: tuple[str, str]
) -> Iterator[HealthPart]:
    """What there is to say. Whatever a library raises is itself the answer.

    Args:
        silent: its sentence and its remedy, with {name} for the class of the error.
    """
    try:
        parts = ask(*arguments)
        for part in (parts,) if isinstance(parts, HealthPart) else parts:
            yield part if part.name else replace(part, name=name)
    except Exception as error:
        sentence, remedy = silent
        yield broken(sentence.format(name=type(error).__name__), remedy, name=name)


class Remembered(Generic[Answer]):
    """The answer to a question, asked anew when it is too old; one asks at a time."""

    def __init__(self, ask: Callable[[], Answer], *, seconds: float = REMEMBERED_SECONDS) -> None:
        self._ask = ask
        self._seconds = seconds
        self._lock = threading.Lock()
        self._answer: tuple[float, Answer] | None = None

    def __call__(self) -> Answer:
        with self._lock:
            if self._answer is None or time.monotonic() - self._answer[0] > self._seconds:
                self._answer = (time.monotonic(), self._ask())
            return self._answer[1]

    def forget(self) -> None:
        """Ask anew next time."""
        with self._lock:
            self._answer = None
