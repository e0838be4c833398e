"""Find what can be added by adding one file: importers, exporters, analyses, figures.

A registry knows the package in which its entries live and, if any, the entry-point group through which a
package from outside adds more. Entries register themselves with a decorator when their module is imported;
the registry imports them all the first time that somebody asks.
"""

import importlib
import pkgutil
import threading
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
        self._loaded = self._loading = False
        self._lock = threading.RLock()

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
        """Whoever asks while another thread imports waits until all entries are there. An import that fails is tried
        again by who asks next, and fails again: half a registry would look whole."""
        if self._loaded:
            return
        with self._lock:
            if self._loaded or self._loading:  # the latter: a module that asks while it is imported here
                return
            self._loading = True
            try:
                package = importlib.import_module(self.package)
                for module in pkgutil.iter_modules(package.__path__):
                    importlib.import_module(f"{self.package}.{module.name}")
                for point in entry_points(group=self.group) if self.group else ():
                    point.load()
                self._loaded = True
            finally:
                self._loading = False
