"""What an export format is, and the registry that finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.utils import translation
from django.utils.translation import gettext as _

from annotations.exporting.filters import Filters, UnsupportedFilter
from annotations.exporting.rows import ResponseSource
from annotations.ground.registry import Registry
from annotations.ground.saved import Saved


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of an export. `chunks` starts a new stream; nothing is read before it is called.

    `saved` says of each of its columns (of JSON: keys, with dots between them; a key stands for all below it) to which
    item of the experts' consent it belongs; None: it says nothing about an expert.
    """

    name: str
    chunks: Callable[[], Iterable[bytes]]
    saved: Mapping[str, Saved | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A way of writing responses: a name for programs, words for people (translated where they are shown), and its
    files.

    `read_by` names the programs that read it. `filters` are the names of those it supports (`Filters.told`); a format
    that supports none always contains everything.
    """

    name: str
    title: str
    description: str
    files: Callable[[ResponseSource], list[ExportFile]]
    read_by: str = ""
    filters: frozenset[str] = frozenset()

    def refuse(self, filters: Filters) -> None:
        """Raises UnsupportedFilter if the format does not support one of them."""
        unknown = [name for name in filters.set_here() if name not in self.filters]
        if unknown:
            raise UnsupportedFilter(
                _("This format does not support this filter: {title}.").format(title=translation.gettext(self.title)),
                fields={"filters": {name: [_("This format does not support this filter.")] for name in unknown}},
            )


formats: Registry[ExportFormat] = Registry("annotations.exporting.*", kind="export format", group="hlvstudy.exporters")

Files = Callable[[ResponseSource], list[ExportFile]]


def exporter(
    name: str, *, title: str, description: str, read_by: str = "", filters: frozenset[str] = frozenset()
) -> Callable[[Files], Files]:
    """Decorator that adds a format: the function returns the format's files for a source."""

    def add(files: Files) -> Files:
        formats.register(name)(ExportFormat(name, title, description, files, read_by, filters))
        return files

    return add


def encoded(lines: Iterable[str], *, size: int = 64 * 1024) -> Iterator[bytes]:
    """Lines as UTF-8, gathered into chunks of about `size` characters, so that the stream has few pieces."""
    pending: list[str] = []
    length = 0
    for line in lines:
        pending.append(line)
        length += len(line)
        if length >= size:
            yield "".join(pending).encode()
            pending, length = [], 0
    if pending:
        yield "".join(pending).encode()
