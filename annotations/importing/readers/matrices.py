"""Matrices: `.npy` of shape (N, K), or (2, N, K) = [human, predicted]; `.npz` with one array per system.

Rows follow the instances and columns the labels. A dataset's matrix comes with a table of its instances
(JSON lines, CSV or Parquet, one row per instance) and a label list (`.txt`, one label per line). Predictions may
come with the same two, if their rows or columns are not in the dataset's order."""

import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Literal

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.arrays import Integers, Matrix, absent_rows
from annotations.ground.progress import Progress
from annotations.ground.system_names import parts_of_name, system_name
from annotations.importing.checking import MatrixChecks
from annotations.importing.formats import DatasetReader, PredictionReader, registered
from annotations.importing.memory.limits import SYSTEM_PART_LENGTH, refuse_large_matrices
from annotations.importing.memory.options import DatasetOptions, SystemOptions, TextOptions, or_leave_out
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import (
    DatasetTable,
    InstanceRow,
    PredictionTable,
    SystemTable,
    Target,
)
from annotations.importing.reading.files import Files, HeadSign, SourceFile
from annotations.importing.reading.labels import (
    is_label_list,
    label_names,
    label_set,
    labels_in,
    task_of_matrix,
    with_search_words,
)
from annotations.importing.reading.tabular.opening import kind_of
from annotations.importing.reading.tabular.rows import instances_beside, name_it_so
from annotations.shown.plurals import filled, with_or, written

ARRAYS = (HeadSign(suffix=".npy"), HeadSign(suffix=".npz"), HeadSign(start=b"\x93NUMPY"))
HEADER_ROOM = 10_000
REMEDY_WHOLE = gettext_noop("Download the complete file again.")
REMEDY_SAVE = gettext_noop("Save it with numpy.save or numpy.savez, as numbers.")
Shape = tuple[int, ...]


def load_npy(file: SourceFile, *, shapes: list[Shape], problems: Problems) -> Matrix:
    """The array of a `.npy` file, float64, if it has one of these shapes; otherwise stop."""
    with file.path.open("rb") as stream:
        return _load(stream, file.size, file.name, "", shapes, problems)


def load_npz(file: SourceFile, *, shapes: list[Shape], problems: Problems) -> Iterator[tuple[str, Matrix]]:
    """Name and array of every member of a `.npz` file. Sizes are checked before anything is unpacked."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            members = archive.infolist()
            if not members:
                problems.stop(file.name, _("the archive is empty"), remedy=REMEDY_SAVE)
            for member in members:
                yield member.filename.removesuffix(".npy"), _member(archive, member, file, shapes, problems)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError):
        problems.stop(file.name, _("the archive is damaged or incomplete"), remedy=REMEDY_WHOLE)


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: SourceFile, shapes: list[Shape], problems: Problems
) -> Matrix:
    name = member.filename
    if not name.endswith(".npy"):
        problems.stop(file.name, _("the archive contains something other than arrays"), field=name, remedy=REMEDY_SAVE)
    room = HEADER_ROOM + max(8 * int(np.prod(shape)) for shape in shapes)
    if member.file_size > room:
        problems.stop(
            file.name,
            _("the array is larger than the dataset"),
            field=name,
            value=filled(_("{size} bytes"), size=written(member.file_size)),
            remedy=filled(_("Use arrays of {shapes}."), shapes=_shapes(shapes)),
        )
    with archive.open(member) as stream:
        content = stream.read(room + 1)  # the archive may declare a wrong size
    return _load(io.BytesIO(content), len(content), file.name, name, shapes, problems)


def _load(  # noqa: PLR0917 (one place calls it from two sides)
    stream: BinaryIO, size: int, file: str, field: str, shapes: list[Shape], problems: Problems
) -> Matrix:
    def stop(reason: str, remedy: str, value: object = "") -> None:
        problems.stop(file, reason, field=field, value=value, remedy=remedy)

    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(stream)
    except Exception:  # NumPy parses the header as Python, so that parser may raise anything
        stop(_("this is not a NumPy array, or its header is incomplete"), REMEDY_SAVE)
    if dtype.hasobject:
        stop(_("the array contains pickled Python objects, and pickles are never read"), REMEDY_SAVE)
    if dtype.kind not in "fiub":
        stop(_("the array does not contain real numbers"), REMEDY_SAVE, value=dtype)
    if shape not in shapes:
        stop(
            _("the array has the wrong shape; expected {shapes}").format(shapes=_shapes(shapes)),
            _("Check the rows and labels."),
            value=shape,
        )
    expected = stream.tell() + int(np.prod(shape)) * dtype.itemsize
    if size != expected:
        reason = _("the array is incomplete") if size < expected else _("there is extra data after the array")
        stop(
            reason,
            REMEDY_WHOLE,
            value=filled(_("{size} bytes of {expected}"), size=written(size), expected=written(expected)),
        )
    flat = np.frombuffer(stream.read(), dtype=dtype)
    return flat.reshape(shape, order="F" if fortran else "C").astype(np.float64, order="C")


def _shapes(shapes: list[Shape]) -> str:
    """
    >>> _shapes([(3, 2), (2, 3, 2)])
    '(3, 2) or (2, 3, 2)'
    """
    return with_or([str(shape) for shape in shapes])


class Parts:
    """The files of an import by kind: arrays, tables of instances, a label list."""

    def __init__(self, files: Files, problems: Problems) -> None:
        self.arrays = [file for file in files if any(sign.fits(file) for sign in ARRAYS)]
        self.lists = [file for file in files if file not in self.arrays and is_label_list(file)]
        self.tables = [file for file in files if file not in self.arrays + self.lists]
        for file in self.tables:
            if not kind_of(file):
                problems.add(
                    file.name, _("the file is neither an array nor a table nor a label list"), remedy=_("Remove it.")
                )
        if not self.arrays:
            problems.add(_("all files"), _("there is no array"), remedy=_("Provide a .npy or .npz file."))
        if len(self.lists) > 1:
            problems.add(self.lists[1].name, _("there are two label lists"), remedy=_("Provide only one."))
        problems.stop_if_any()

    def labels(self, problems: Problems) -> tuple[str, ...]:
        return labels_in(self.lists[0], problems) if self.lists else ()

    def instances(self, options: TextOptions, problems: Problems, progress: Progress) -> list[InstanceRow]:
        return instances_beside(self.tables, options, problems, progress)


@registered
class MatrixDatasetReader(DatasetReader[DatasetOptions]):
    """NumPy arrays.

    A dataset: `.npy` of shape (instances, labels), or (2, instances, labels) = [human, predicted], beside a table of
    the instances and a label list, both in the matrix's order. Predictions: the same `.npy`, or `.npz` with one array
    per system; an additional table of instances and label list give the order of rows and columns, if it is not the
    dataset's. In a pair, the human half must be the dataset's own; otherwise the order is wrong.
    """

    name = "matrix"
    title = "Matrix"
    description = gettext_noop(
        "A .npy array of shape (instances, labels), or (2, instances, labels) = [human, "
        "predicted], with a table of the instances and a label list."
    )
    options = DatasetOptions
    signs = ARRAYS
    told_by = "any"

    def read(self, files: Files, options: DatasetOptions, problems: Problems, progress: Progress) -> DatasetTable:
        parts = Parts(files, problems)
        file = parts.arrays[0]
        if len(parts.arrays) > 1 or file.suffix == ".npz":
            problems.stop(
                file.name,
                _("a dataset can have only one matrix"),
                remedy=_("Provide one .npy file with the human shares."),
            )
        if not parts.tables:
            problems.stop(
                file.name,
                _("there is no table of instances with the matrix"),
                remedy=filled(
                    _("Provide JSON lines such as {example}, in the order of the rows."),
                    example='{"instance": "a1", "text": "..."}',
                ),
            )
        names = options.labels or parts.labels(problems)
        if not names:
            problems.stop(
                file.name,
                _("there is no label list with the matrix"),
                remedy=_(
                    "Provide a .txt file with one label per line, in the order of the columns, or set "
                    "the option 'labels'."
                ),
            )
        instances = parts.instances(options, problems, progress)
        names = label_names(names, options.model_copy(update={"labels": names}), problems, file=file.name)
        array = load_npy(file, shapes=shapes_of(len(instances), len(names), file, problems), problems=problems)
        gold = array[0] if array.ndim == 3 else array
        ids = [row.external_id for row in instances]
        checks = MatrixChecks(problems, file.name, "", ids, names)
        checks.note_values(gold)
        problems.stop_if_any()
        task, note = task_of_matrix(gold, options)
        labels = label_set(names, task, options, problems, file=file.name)
        checks.note_sums(gold, task)
        checks.note_exclusiveness(gold, labels)
        problems.stop_if_any()
        table = DatasetTable(labels=labels, instances=instances, gold=gold, notes=(note,) if note else ())
        return with_search_words(table, parts.lists, problems)


@registered
class MatrixPredictionReader(PredictionReader[SystemOptions]):
    name = "matrix"
    title = "Matrix"
    description = gettext_noop(
        "A .npy array of shape (instances, labels), or (2, instances, labels) = [human, "
        "predicted], or a .npz file with one array per system. If the order differs from the "
        "dataset, add a table of the instances and a label list."
    )
    options = SystemOptions
    signs = ARRAYS
    told_by = "any"

    def read(
        self, files: Files, options: SystemOptions, target: Target, problems: Problems, progress: Progress
    ) -> PredictionTable:
        parts = Parts(files, problems)
        may_lack = options.missing == "leave_out"
        beside = [row.external_id for row in parts.instances(TextOptions.model_validate({}), problems, progress)]
        rows = order_of(
            beside,
            target.external_ids,
            "instance",
            [file.name for file in parts.tables],
            problems,
            may_lack=may_lack,
        )
        columns = order_of(
            parts.labels(problems), target.labels.names, "label", [file.name for file in parts.lists], problems
        )
        systems: dict[tuple[str, str, str], SystemTable] = {}
        for file in parts.arrays:
            shapes = shapes_of(len(beside) or target.shape[0], target.shape[1], file, problems)
            many = file.suffix == ".npz"
            arrays = (
                load_npz(file, shapes=shapes, problems=problems)
                if many
                else [(file.stem, load_npy(file, shapes=shapes, problems=problems))]
            )
            for done, (name, array) in enumerate(arrays):
                progress(done, done + 1, f"reading {file.name}")
                # An archive of zeros is small.
                N, K = target.shape
                refuse_large_matrices(problems, file.name, systems=len(systems) + 1, instances=N, labels=K)
                key = system_key(name, many, options, file.name, problems)
                if key in systems:
                    reason = _("two arrays have the name of the same system")
                    remedy = _("Use each system name only once; a .npz file contains the system names.")
                    problems.stop(file.name, reason, field=name, value=system_name(*key), remedy=remedy)
                Q = _put(array[-1] if array.ndim == 3 else array, rows, columns)
                checks = MatrixChecks(
                    problems, file.name, name if many else "", target.external_ids, target.labels.names
                )
                if array.ndim == 3 and (gold := target.read_gold()) is not None:
                    placed = rows >= 0
                    checks.note_other_people(_put(array[0], rows, columns)[placed], gold[placed])
                present = ~absent_rows(Q) if may_lack and not absent_rows(Q).all() else None
                checks.note_values(Q, present)
                checks.note_sums(Q, target.labels.task, present)
                systems[key] = SystemTable(model=key[0], method=key[1], run=key[2], Q=Q)
        problems.stop_if_any()
        return PredictionTable(tuple(systems.values()))


def _put(array: Matrix, rows: Integers, columns: Integers) -> Matrix:
    """The array in the dataset's order, with NaN rows for instances it does not have."""
    Q = array[np.ix_(rows, columns)]
    Q[rows < 0] = np.nan
    return Q


def shapes_of(instances: int, labels: int, file: SourceFile, problems: Problems) -> list[tuple[int, ...]]:
    """The shapes that an array may have; stop if that is more than fits in memory."""
    refuse_large_matrices(problems, file.name, instances=instances, labels=labels, layers=2)
    return [(instances, labels), (2, instances, labels)]


def system_key(name: str, many: bool, options: SystemOptions, file: str, problems: Problems) -> tuple[str, str, str]:
    """A system's model, method and run: from the options, or else from the array's or the file's name."""
    if many and (options.model or options.method or options.run):
        problems.stop(
            file,
            _("the archive names its systems itself, and the options do too"),
            field="model, method, run",
            remedy=_("Remove the options, or provide a .npy file."),
        )
    key = (options.model, options.method, options.run) if options.model else parts_of_name(name)
    if not options.model:
        key = (key[0], options.method or key[1], options.run or key[2])
    if not key[0] or max(map(len, key)) > SYSTEM_PART_LENGTH:
        remedy = name_it_so()
        problems.stop(file, _("this system name cannot be used"), field="system", value=name, remedy=remedy)
    return key


def order_of(
    given: Sequence[str],
    wanted: Sequence[str],
    what: Literal["instance", "label"],
    files: list[str],
    problems: Problems,
    *,
    may_lack: bool = False,
) -> Integers:
    """The position of each wanted name among the given ones (-1: missing, if that is allowed); their own order if
    none are given."""
    if not given:
        return np.arange(len(wanted))
    places = {name: place for place, name in enumerate(given)}
    absent = [name for name in wanted if name not in places and not may_lack]
    names = set(wanted)
    strange = [name for name in given if name not in names]
    if what == "instance":
        remedy = _("List exactly the dataset's instances.")
        reasons = _("some of the dataset's instances are absent"), _("some instances are not the dataset's")
        remedies = or_leave_out(remedy), remedy
    else:
        remedy = _("List exactly the dataset's labels.")
        reasons = _("some of the dataset's labels are absent"), _("some labels are not the dataset's")
        remedies = remedy, remedy
    for others, reason, advice in zip((absent, strange), reasons, remedies, strict=True):
        if others:
            problems.add(", ".join(files), reason, field=what, value=listed(others), remedy=advice)
    problems.stop_if_any()
    return np.array([places.get(name, -1) for name in wanted], dtype=np.int64)
