"""The people in a pasted list or a CSV table: their addresses, and what else is said about them."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from annotations.ground.errors import HLVError
from annotations.models import Invitation, Role
from annotations.storing.mail_addresses import is_address, normalised

MAX_ADDRESSES = 200
COLUMNS = {
    "email": ("email", "e-mail", "mail", "address", "e-mail address", "email address"),
    "name": ("name", "full name"),
    "role": ("role",),
}
LONGEST_NAME = Invitation._meta.get_field("name").max_length or 0


class BadAddresses(HLVError):
    """Some lines of a list cannot be used; `data["lines"]` names each. Nobody was invited."""


@dataclass(frozen=True, slots=True)
class Line:
    """One address of a list, or what is wrong with it."""

    number: int
    given: str
    email: str
    reason: str = ""
    name: str = field(default="", repr=False)
    role: Role | None = field(default=None, repr=False)
    """The role in the study, if the list gives it; otherwise one role applies to all."""

    @property
    def address(self) -> str:
        """The normalised spelling, by which people are found."""
        return normalised(self.email)


def read_addresses(pasted: str) -> list[Line]:
    """The addresses of a pasted list: one per line, or separated by commas or semicolons, with or without names.

    >>> [line.email for line in read_addresses("Erin <Erin@Example.org>; b@example.org\\n\\nb@example.org")]
    ['Erin@Example.org', 'b@example.org']
    >>> read_addresses("a@example.org\\nnobody")[1]
    Line(number=2, given='nobody', email='nobody', reason='is not an e-mail address')
    """
    lines: dict[str, Line] = {}
    for number, text in enumerate(pasted.splitlines(), start=1):
        for part in re.split(r"[,;]", text):
            entry = part.strip()
            named = re.fullmatch(r"([^<>]*)<([^<>]+)>", entry)
            email = (named[2] if named else entry).strip()
            name = named[1].strip(" \"'")[:LONGEST_NAME] if named else ""
            if email and normalised(email) not in lines:
                lines[normalised(email)] = Line(number, entry, email, _flaw(email), name=name)
    return list(lines.values())


def read_table(text: str) -> list[Line]:
    """The people of a table in CSV: address, name, role, in this order or as named in a first line.

    Cells may be separated by commas, semicolons or tabs; other columns named in the first line are ignored.

    >>> [(one.email, one.name) for one in read_table("name;e-mail\\nErin;Erin@example.org")]
    [('Erin@example.org', 'Erin')]

    Raises:
        BadAddresses: this is not a table, or it has no column of addresses.
    """
    text = text.removeprefix("\ufeff")
    if "\ufffd" in text:
        raise BadAddresses(_("This table is not saved as UTF-8. Save it as “CSV UTF-8” and choose it again."), lines=[])
    first = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    try:
        rows = [(reader.line_num, cells) for read in reader if any(cells := [cell.strip() for cell in read])]
    except csv.Error as error:
        line = {"line": reader.line_num, "value": "", "reason": _("is not valid CSV: a quotation mark is misplaced")}
        raise BadAddresses(_("The table could not be read."), lines=[line]) from error
    if not rows:
        raise BadAddresses(_("The table is empty."), lines=[])
    if any("@" in cell for cell in rows[0][1]):
        return _without_twins([_line(number, cells, dict(zip(COLUMNS, cells, strict=False))) for number, cells in rows])
    columns = _columns(*rows[0])
    people = [
        _line(number, cells, {name: cells[at] if at < len(cells) else "" for name, at in columns.items()})
        for number, cells in rows[1:]
    ]
    return _without_twins(people)


def refuse_flawed(lines: Sequence[Line], flaw: Callable[[Line], str | None], *, sentence: str) -> None:
    """Raises BadAddresses if there is no line or too many, or a line has a flaw of its own or this one; all are named.

    Args:
        sentence: with `{bad}` and `{addresses}`.
    """
    if not lines or len(lines) > MAX_ADDRESSES:
        raise BadAddresses(
            _("Enter between 1 and {max_addresses} addresses at a time.").format(max_addresses=MAX_ADDRESSES), lines=[]
        )
    bad = [
        {"line": line.number, "value": line.given, "reason": reason}
        for line in lines
        if (reason := line.reason or flaw(line))
    ]
    if bad:
        raise BadAddresses(sentence.format(bad=len(bad), addresses=len(lines)), lines=bad)


def _columns(number: int, cells: list[str]) -> dict[str, int]:
    """The positions of the columns named in the first line."""
    titles = [cell.lower() for cell in cells]
    places = {
        name: titles.index(title) for name, headings in COLUMNS.items() for title in headings[::-1] if title in titles
    }
    if "email" not in places:
        reason = _("is the first line, but it contains neither an address nor a column “email”")
        raise BadAddresses(
            _("The table has no column with addresses. Put the column names in the first line: email, name, role."),
            lines=[{"line": number, "value": ", ".join(cells), "reason": reason}],
        )
    return places


def _line(number: int, cells: list[str], said: dict[str, str]) -> Line:
    email, name, role = (said.get(column, "") for column in COLUMNS)
    reason = _flaw(email)
    if role and role.lower() not in Role.values:
        reason = reason or _("has the unknown role “{role}”; choose from {values}").format(
            role=role, values=", ".join(Role.values)
        )
    if len(name) > LONGEST_NAME:
        reason = reason or _("has a name longer than {longest_name} characters").format(longest_name=LONGEST_NAME)
    given = email or ", ".join(cells)
    known_role = Role(role.lower()) if role.lower() in Role.values else None
    return Line(number, given, email, reason, name=name, role=known_role)


def _without_twins(lines: list[Line]) -> list[Line]:
    """Mark lines that say different things about one person, to ask which is meant."""
    before: dict[str, int] = {}
    checked = []
    for line in lines:
        first = before.setdefault(line.address, line.number)
        twin = _("is already listed in line {first}").format(first=first)
        checked.append(line if first == line.number else replace(line, reason=line.reason or twin))
    return checked


def _flaw(email: str) -> str:
    return "" if is_address(email) else _("is not an e-mail address")
