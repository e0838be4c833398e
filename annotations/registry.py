"""Find what can be added by adding one file: importers, exporters, analyses, figures.

A registry knows the package in which its entries live and, if any, the entry-point group through which a
package from outside adds more. Entries register themselves with a decorator when their module is imported;
the registry imports them all the first time that somebody asks.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from annotations.errors import HLVError

Entry = TypeVar("Entry")


class UnknownName(HLVError):  # noqa: N818
    """No entry has that name; the message lists those that exist."""

    code = "unknown_name"
    status = 404


class Registry(Generic[Entry]):
    """Named entries of one kind, in order of their names."""

    def __init__(self, *, kind: str, package: str, group: str | None = None) -> None:
        self.kind = kind
        self.package = package
        self.group = group
        self._entries: dict[str, Entry] = {}
        self._loaded = False

    def register(self, name: str) -> Callable[[Entry], Entry]:
        """The decorator. A name that is taken is a programming error and says so at once."""

        def add(entry: Entry) -> Entry:
            known = self._entries.setdefault(name, entry)
            if known is not entry:
                raise ValueError(f"two {self.kind}s are named {name!r}")
            return entry

        return add

    def get(self, name: str) -> Entry:
        self._load()
        try:
            return self._entries[name]
        except KeyError:
            known = ", ".join(sorted(self._entries))
            raise UnknownName(f"There is no {self.kind} {name!r}. Known: {known}.", name=name) from None

    def names(self) -> list[str]:
        self._load()
        return sorted(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter([self._entries[name] for name in self.names()])

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        package = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self.package}.{module.name}")
        if self.group:
            for point in entry_points(group=self.group):
                point.load()
