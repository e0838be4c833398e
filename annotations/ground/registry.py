"""Find things that are added by adding one file: metrics, importers, exporters, analyses, figures, jobs.

A registry knows the modules that contain its entries, as dotted names in which `*` stands for any single name
(`metaeval.analyses.*.analysis`), and, if any, the entry-point group through which other packages add more.
Entries register themselves with a decorator when their module is imported; the registry imports them all the first
time it is used. If one cannot be imported, every use fails with its name: a registry that silently lacked an entry
would look complete.

Needs nothing but the project's errors, not even Django, so that the numeric library can use it too.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from annotations.ground.errors import HLVError

Entry = TypeVar("Entry")


class UnknownName(HLVError, LookupError):
    """No entry has that name; the message lists those that exist."""

    status = 404


class BrokenEntry(HLVError):
    """A module with entries cannot be loaded; the message names it and says why."""

    status = 500


class Registry(Generic[Entry]):
    """Named entries of one kind, in the order of their names or of registration (`by_name=False`)."""

    def __init__(self, *modules: str, kind: str, group: str | None = None, by_name: bool = True) -> None:
        self.kind = kind
        self.group = group
        self._modules = list(modules)
        self._by_name = by_name
        self._entries: dict[str, Entry] = {}
        self._loaded = self._loading = False
        self._failure: tuple[str, str] | None = None
        self._lock = threading.RLock()

    def look_in(self, *modules: str) -> None:
        """Add modules with entries, before the first use: those of an app above the registry's own."""
        self._modules += [module for module in modules if module not in self._modules]

    def register(self, name: str) -> Callable[[Entry], Entry]:
        """The decorator. Registering a name twice is a programming error and fails at once."""

        def add(entry: Entry) -> Entry:
            registered = self._entries.setdefault(name, entry)
            if registered is not entry:
                raise ValueError(f"two {self.kind}s are named {name!r}")
            return entry

        return add

    def get(self, name: str) -> Entry:
        """The entry of that name. Raises `UnknownName`, or `BrokenEntry` if a module cannot be loaded."""
        self._load()
        try:
            return self._entries[name]
        except KeyError:
            names = ", ".join(sorted(self._entries))
            raise UnknownName(f"There is no {self.kind} {name!r}. Known: {names}.", name=name) from None

    def names(self) -> list[str]:
        self._load()
        return sorted(self._entries) if self._by_name else list(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter([self._entries[name] for name in self.names()])

    def _load(self) -> None:
        """Load all entries; callers wait while another thread does so."""
        if self._loaded:
            return
        with self._lock:
            if self._loaded or self._loading:  # the latter: a module that uses the registry while being imported here
                return
            if self._failure is not None:
                raise self._broken()
            self._loading = True
            try:
                self._import_all()
            finally:
                self._loading = False

    def _import_all(self) -> None:
        # Imported here because it takes a tenth as long as importing the metrics.
        from importlib.metadata import entry_points

        where = ""
        try:
            for pattern in self._modules:
                where = pattern
                for where in _modules(pattern):
                    importlib.import_module(where)
            for point in entry_points(group=self.group) if self.group else ():
                where = f"{point.value} of the package {point.dist.name if point.dist else point.name}"
                point.load()
        except Exception as error:  # whatever a module raises when it is imported
            # Kept, because a second import would trip over the names that the first one registered.
            self._failure = where, f"{type(error).__name__}: {error}"
            raise self._broken() from error
        self._loaded = True

    def _broken(self) -> BrokenEntry:
        where, why = self._failure or ("", "")
        return BrokenEntry(
            f"No {self.kind} can be used, because {where} cannot be loaded ({why}). "
            "Fix it or remove it, and start again.",
            entry=where,
        )


def _modules(pattern: str) -> list[str]:
    """The dotted names that match a pattern. After a `*`, folders without the rest of the pattern are skipped.

    >>> _modules("annotations.ground.registry")
    ['annotations.ground.registry']
    >>> "annotations.importing.readers.chaosnli" in _modules("annotations.importing.readers.*")
    True
    """
    before, star, after = pattern.partition(".*")
    if not star:
        return [pattern]
    package = importlib.import_module(before)
    children = sorted(pkgutil.iter_modules(getattr(package, "__path__", ())), key=lambda child: child.name)
    if not after:
        return [f"{before}.{child.name}" for child in children]
    name = after[1:].partition(".")[0]
    return [
        module
        for child in children
        if child.ispkg and (name == "*" or _has(f"{before}.{child.name}", name))
        for module in _modules(f"{before}.{child.name}{after}")
    ]


def _has(package: str, name: str) -> bool:
    return any(child.name == name for child in pkgutil.iter_modules(importlib.import_module(package).__path__))
