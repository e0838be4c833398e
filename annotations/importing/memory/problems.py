"""Collects everything that is wrong with the files, so that all of it can be fixed at once."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

from django.utils import translation
from django.utils.translation import gettext as _

from annotations.ground.errors import HLVError
from annotations.shown.plurals import filled, with_commas, written

SHOWN = 1000
VALUE_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to fix: where it is, what was found there, why it is wrong, and what to do."""

    file: str
    line: int | None
    field: str
    value: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        line = _("line {line}").format(line=self.line) if self.line is not None else ""
        value = " " + _("(found: {value})").format(value=self.value) if self.value else ""
        return f"{with_commas([self.file, line, self.field])}: {self.reason}{value}. {self.remedy}"


class ImportRefused(HLVError):
    """The files cannot be imported as they are. Nothing was written."""


class Problems:
    """Collects problems: counts all of them exactly and keeps the first thousand.

    >>> problems = Problems()
    >>> problems.add("answers.csv", "the label is unknown", line=7, field="label", value="cat", remedy="Fix it.")
    >>> print(problems.kept[0])
    answers.csv, line 7, label: the label is unknown (found: cat). Fix it.
    """

    def __init__(self, *, shown: int = SHOWN) -> None:
        self.shown = shown
        self.count = 0
        self.kept: list[Problem] = []

    def __bool__(self) -> bool:
        return self.count > 0

    @property
    def room(self) -> int:
        """How many more will be kept; readers that find thousands look up lines only for these."""
        return max(0, self.shown - len(self.kept))

    def add(
        self, file: str, reason: str, *, line: int | None = None, field: str = "", value: Any = "", remedy: str
    ) -> None:
        self.count += 1
        if self.room:
            # Readers repeat the same sentences, so these are often constants, which are translated here.
            sentence, advice = translation.gettext(reason), translation.gettext(remedy)
            self.kept.append(Problem(file, line, field, shortened(value), sentence, advice))

    def add_lacking(
        self, file: str, who: str, absent: Sequence[str], instances: int, *, field: str, remedy: str
    ) -> None:
        """Note that a system or a person has nothing for some of the instances."""
        reason = _("{who} has no value for {absent} of {instances} instances").format(
            who=who, absent=written(len(absent)), instances=written(instances)
        )
        self.add(file, reason, field=field, value=listed(absent), remedy=remedy)

    def count_more(self, number: int) -> None:
        """Count problems that are no longer shown."""
        self.count += number

    def take(self, others: "Problems") -> None:
        """Add all problems from another collection."""
        self.kept += others.kept[: self.room]
        self.count += others.count

    def forget(self) -> None:
        """Forget all problems, because the files were understood in another way."""
        self.count = 0
        self.kept.clear()

    def stop(
        self, file: str, reason: str, *, line: int | None = None, field: str = "", value: Any = "", remedy: str
    ) -> NoReturn:
        """Note a problem after which there is no point in reading on."""
        self.add(file, reason, line=line, field=field, value=value, remedy=remedy)
        raise self.refusal()

    def stop_if_any(self) -> None:
        """Refuse the import if any problem was noted."""
        if self:
            raise self.refusal()

    def refusal(self) -> ImportRefused:
        more = " " + filled(_("There are {count, number} problems in total."), count=self.count)
        return ImportRefused(
            f"{self.kept[0]}{more if self.count > 1 else ''}", problems=self.as_data(), problem_count=self.count
        )

    def as_data(self) -> list[dict[str, Any]]:
        return [asdict(problem) for problem in self.kept]


@dataclass(frozen=True, slots=True)
class Place:
    """One line of one file, passed on by readers that go line by line."""

    problems: Problems
    file: str
    line: int

    def problem(self, reason: str, *, field: str, value: Any = "", remedy: str) -> None:
        self.problems.add(self.file, reason, line=self.line, field=field, value=value, remedy=remedy)


def shortened(value: Any, length: int = VALUE_LENGTH) -> str:
    """A value fit to be shown: never long (it may be somebody's text), and quoted if its spaces would not show.

    >>> shortened("tax"), shortened("tax ")
    ('tax', "'tax '")
    """
    whole = str(value)
    text = whole[: length + 1]  # of a value as long as a file, no more is looked at
    spaced = whole[:1].isspace() or whole[-1:].isspace()
    text = repr(text) if spaced or not text.isprintable() else text
    return text if len(text) <= length else text[: length - 1] + "…"


def listed(names: Iterable[str] | Sequence[str], *, total: int | None = None, most: int = 5) -> str:
    """A few names and how many more there are.

    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    listed_names = list(names)
    count = len(listed_names) if total is None else total
    first = with_commas(repr(name) for name in listed_names[:most])
    if count <= most:
        return first
    return filled(_("{names} and {number} more"), names=first, number=written(count - most))
