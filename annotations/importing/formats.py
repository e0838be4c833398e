"""What a reader is, and the registries that find them: to add a format, add one file in `readers/`.

Other packages add formats through the entry-point group `hlvstudy.importers`: the named module registers its readers
when it is imported, as the ones here do.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

from annotations.ground.progress import Progress
from annotations.ground.registry import Registry
from annotations.importing.memory.options import Options
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import DatasetTable, PredictionTable, Target
from annotations.importing.reading.files import Files, SourceFile

GROUP = "hlvstudy.importers"
READERS = "annotations.importing.readers.*"

AnyOptions = TypeVar("AnyOptions", bound=Options)


class Sign(Protocol):
    """What a file of a format can be told by at first sight, and how sure that is."""

    @property
    def sure(self) -> float: ...

    def fits(self, file: SourceFile) -> bool: ...


class Reader(ABC, Generic[AnyOptions]):
    """One file format. `name` is what people type, `title` and `description` are what they read.

    `shapes` are the columns or keys of its files, one tuple for each kind, with which unknown files are compared.
    `signs` are what its files can be told by, and `told_by` says how many of the files must have one: all; any, if
    others come beside them; or the only one.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    options: type[AnyOptions]
    shapes: ClassVar[tuple[tuple[str, ...], ...]] = ()
    signs: ClassVar[tuple[Sign, ...]] = ()
    told_by: ClassVar[Literal["all", "any", "one"]] = "all"

    def detect(self, files: Files) -> float:
        """How sure the reader is, from 0 to 1, that the files are in its format. It looks at names and first lines."""
        if self.told_by == "one" and len(files) != 1:
            return 0.0
        likeness = [max((sign.sure for sign in self.signs if sign.fits(file)), default=0.0) for file in files]
        return (max if self.told_by == "any" else min)(likeness, default=0.0)


AnyReader = TypeVar("AnyReader", bound=Reader[Any])


class DatasetReader(Reader[AnyOptions]):
    """Reads a dataset."""

    kind = "dataset"

    @abstractmethod
    def read(self, files: Files, options: AnyOptions, problems: Problems, progress: Progress) -> DatasetTable:
        """Return the whole dataset, or note every problem and raise a refusal (`problems.stop_if_any()`)."""


class PredictionReader(Reader[AnyOptions]):
    """Reads systems' predictions for an existing dataset."""

    kind = "predictions"

    @abstractmethod
    def read(
        self, files: Files, options: AnyOptions, target: Target, problems: Problems, progress: Progress
    ) -> PredictionTable:
        """Return all systems in the files, aligned with the target, or note every problem and raise a refusal."""


dataset_readers: Registry[DatasetReader[Any]] = Registry(READERS, kind="dataset format", group=GROUP)
prediction_readers: Registry[PredictionReader[Any]] = Registry(READERS, kind="predictions format", group=GROUP)


def registered(reader: type[AnyReader]) -> type[AnyReader]:
    """Decorator that adds a format: the class under its name."""
    made: Any = reader()
    (dataset_readers if reader.kind == DatasetReader.kind else prediction_readers).register(reader.name)(made)
    return reader


def detect(readers: Registry[Any], files: Files) -> Any | None:
    """The reader that is surest of the files; None if none is sure at all."""
    scored = [(reader.detect(files), reader) for reader in readers]
    score, reader = max(scored, key=lambda pair: pair[0])
    return reader if score > 0 else None
