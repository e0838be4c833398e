"""Files in, rows or a report out: called by the commands, the API's jobs and scripts alike."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Unpack

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.designing.averaging import averaging_in_words, imported_names
from annotations.ground.errors import NotAllowed
from annotations.ground.fingerprints import prediction_fingerprint
from annotations.ground.progress import Progress, silent
from annotations.ground.registry import Registry
from annotations.importing.checking import dataset_with_sums_of_one, predictions_with_sums_of_one
from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.memory.limits import refuse_large_matrices
from annotations.importing.memory.options import dataset_options, options_from
from annotations.importing.memory.problems import ImportRefused, Problems
from annotations.importing.memory.renaming import read_renamed, renamed_dataset
from annotations.importing.memory.tables import DatasetTable, PredictionTable, SystemTable, Target
from annotations.importing.reading.files import Files, refuse_foreign
from annotations.importing.reading.labels import label_hints
from annotations.importing.reading.tabular.opening import refuse_wide
from annotations.importing.recognising import reader_of
from annotations.importing.writing.datasets import (
    AboutDataset,
    EmptyTable,
    NotADistribution,
    OtherContent,
    dataset_fingerprint,
    distributions_to_store,
    write_dataset,
)
from annotations.importing.writing.predictions import (
    Stored,
    compared,
    missing_notes,
    name_of,
    names_in,
    rows_to_store,
    stored_fingerprints,
    target_of,
    write_predictions,
)
from annotations.importing.writing.replacing import InUse, refuse_if_used
from annotations.models import Dataset, System, User
from annotations.shown.plurals import filled, with_commas, written

CONTENT_ERRORS = (OtherContent, NotADistribution, EmptyTable, InUse, NotAllowed)
NAME_TAKEN = (OtherContent, InUse, NotAllowed)
"""The problem's place is the chosen name, not a file."""
REMEDY_NAME = gettext_noop(
    "Choose another short name. If you imported the dataset and nothing uses it, you can also replace it."
)


@dataclass(slots=True)
class ImportReport:
    """What an import did or would do (`dry_run`), and everything that is wrong with the files."""

    kind: str
    dataset: str
    dry_run: bool
    format: str = ""
    files: list[str] = field(default_factory=list)
    task: str = ""
    labels: list[str] = field(default_factory=list)
    instances: int = 0
    annotations: int = 0
    annotators: int = 0
    votes: int = 0
    judges: int = 0
    systems: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    fingerprint: str = ""
    changed: bool = False
    problem_count: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class RefusedWithReport(ImportRefused):
    """The refusal of a real import, with the report a dry run would have given."""

    code = ImportRefused.code

    def __init__(self, refusal: ImportRefused, report: ImportReport) -> None:
        super().__init__(refusal.message, **refusal.data)
        self.report = report


def import_dataset(
    *,
    files: Files,
    slug: str,
    format_name: str = "",
    options: Mapping[str, Any] | None = None,
    dry_run: bool = False,
    actor: User | None = None,
    replace: bool = False,
    progress: Progress = silent,
    **about: Unpack[AboutDataset],
) -> ImportReport:
    """Read a dataset from files and store it, or only report what would happen.

    With `replace` it replaces a dataset with the same slug that no study or analysis uses.

    Raises:
        InUse, NotAllowed: the dataset to be replaced is in use, or is somebody else's.
        RefusedWithReport: the files have problems (in a dry run, the report lists them instead).
        UnknownName, BadOption: there is no such format or option.
        OtherContent: the slug is taken by a dataset with other content (in a dry run: a problem of the report).
    """
    report = ImportReport(kind="dataset", dataset=slug, dry_run=dry_run, files=[file.name for file in files])
    problems = Problems()
    try:
        reader = _reader(dataset_readers, files, format_name, problems)
        report.format = reader.name
        own, label_names = dataset_options(reader.options, dict(options or {}))
        table = reader.read(files, own, problems, progress)
        problems.stop_if_any()
        if table.gold is None:  # a few bytes of annotations make a row of all labels
            names = ", ".join(report.files)
            refuse_large_matrices(problems, names, instances=len(table.instances), labels=len(table.labels))
        _give_back_memory()
        if label_names:
            table = renamed_dataset(table, label_names, problems)
        # What is stored with sums other than 1 stays the same dataset.
        if (
            table.gold is not None
            and not Dataset.objects.filter(slug=slug, fingerprint=dataset_fingerprint(table)).exists()
        ):
            table = dataset_with_sums_of_one(table)
        _describe_dataset(report, table)
    except ImportRefused as refusal:
        return _refused(report, problems, refusal)
    progress(1, 1, "checking" if dry_run else "writing")
    if dry_run:
        return _rehearse_dataset(report, table, slug, problems, actor if replace else False)
    written = write_dataset(table=table, slug=slug, actor=actor, files=report.files, replace=replace, **about)
    report.changed, report.fingerprint = written.changed, written.dataset.fingerprint
    if written.replaced is not None:
        message = _("The existing dataset was replaced.")
        if written.replaced:
            message = _(
                "The existing dataset was replaced, and the predictions of {systems} were deleted with it. Import "
                "them again."
            )
        report.notes.append(filled(message, systems=with_commas(written.replaced)))
    if not written.changed:
        report.notes.append(_("The dataset already exists with the same content. Nothing was changed."))
    return report


def import_predictions(
    *,
    files: Files,
    dataset: Dataset,
    format_name: str = "",
    options: Mapping[str, Any] | None = None,
    dry_run: bool = False,
    actor: User | None = None,
    replace: bool = False,
    progress: Progress = silent,
) -> ImportReport:
    """Read predictions for a dataset from files and store them, or only report what would happen.

    Raises as `import_dataset` does.
    """
    report = ImportReport(kind="predictions", dataset=dataset.slug, dry_run=dry_run, files=[f.name for f in files])
    problems = Problems()
    target = target_of(dataset)
    report.task, report.labels = str(target.labels.task), list(target.labels.names)
    report.instances = len(target.external_ids)
    try:
        if not len(target.labels):
            problems.stop(
                dataset.slug,
                _("the dataset contains only pairwise votes and has no labels to predict"),
                remedy=_("Choose a dataset with labels."),
            )
        reader = _reader(prediction_readers, files, format_name, problems)
        report.format = reader.name
        checked = options_from(reader.options, dict(options or {}))

        def read(target: Target, problems: Problems) -> PredictionTable:
            found: PredictionTable = reader.read(files, checked, target, problems, progress)
            problems.stop_if_any()
            return found

        table = read_renamed(read, target, dataset.renamed_labels, problems)
        _give_back_memory()
    except ImportRefused as refusal:
        return _refused(report, problems, refusal)
    stored = stored_fingerprints(dataset)

    def is_stored(system: SystemTable) -> bool:
        return stored.get((System, *system.key)) == prediction_fingerprint(system.Q, system.below)

    table = predictions_with_sums_of_one(table, target.labels.task, is_stored=is_stored)
    report.systems = names_in(table)
    report.notes += [*table.notes, *missing_notes(table), *_what_studies_make_of(table, dataset)]
    progress(1, 1, "checking" if dry_run else "writing")
    if dry_run:
        return _rehearse_predictions(report, table, dataset, problems, actor if replace else False)
    written = write_predictions(dataset=dataset, table=table, actor=actor, files=report.files, replace=replace)
    report.changed, report.unchanged = written.changed, list(written.unchanged)
    if written.unchanged:
        report.notes.append(
            _("Already imported with the same predictions: {unchanged}.").format(unchanged=", ".join(written.unchanged))
        )
    return report


def _what_studies_make_of(table: PredictionTable, dataset: Dataset) -> list[str]:
    here = {(system.model, system.method, system.run) for system in table.systems}
    sentence = averaging_in_words(sorted({*imported_names(dataset), *here}))
    return [" ".join((sentence, _("A plan with --single-runs compares every run.")))] if sentence and here else []


def _reader(readers: Registry[Any], files: Files, name: str, problems: Problems) -> Any:
    if not files:
        problems.stop(_("no file"), _("there is nothing to import"), remedy=_("Choose the files."))
    for file in files:
        refuse_foreign(file, problems)
        refuse_wide(file, problems)
    return readers.get(name) if name else reader_of(readers, files, problems)


def _give_back_memory() -> None:
    """What reading took, before writing takes more: Arrow keeps what it no longer needs."""
    if arrow := sys.modules.get("pyarrow"):
        arrow.default_memory_pool().release_unused()


def _describe_dataset(report: ImportReport, table: DatasetTable) -> None:
    report.task, report.labels = str(table.labels.task) if len(table.labels) else "", list(table.labels.names)
    report.instances = len(table.instances)
    if table.annotations is not None:
        report.annotations = int(table.annotations.count.sum())
        report.annotators = len(table.annotations.annotators)
    if table.votes is not None:
        report.votes, report.judges = len(table.votes), len(table.votes.judges)
        report.systems = list(table.votes.systems)
    report.notes += [*table.notes, *label_hints(table.labels)]
    silent = sum(not row.segments for row in table.instances)
    if silent:
        report.notes.append(
            _("{silent} of {instances} instances have no text. They can be analysed, but not shown to experts.").format(
                silent=written(silent), instances=written(len(table.instances))
            )
        )


def _refused(report: ImportReport, problems: Problems, refusal: ImportRefused) -> ImportReport:
    if _with_problems(report, problems).dry_run:
        return report
    raise RefusedWithReport(refusal, report) from refusal


def _with_problems(report: ImportReport, problems: Problems) -> ImportReport:
    report.problems, report.problem_count = problems.as_data(), problems.count
    return report


def _rehearse_dataset(
    report: ImportReport, table: DatasetTable, slug: str, problems: Problems, replaces: User | Literal[False] | None
) -> ImportReport:
    """`replaces`: who would replace the existing dataset (None: nobody in particular); False: it is not to be
    replaced.
    """
    try:
        report.fingerprint = dataset_fingerprint(table)
        distributions_to_store(table)
        stored = Dataset.objects.filter(slug=slug).first()
        report.changed = stored is None or stored.fingerprint != report.fingerprint
        if stored is not None and report.changed:
            if replaces is False:
                raise OtherContent(
                    _("There is already a dataset {slug} with different content.").format(slug=repr(slug))
                )
            refuse_if_used(stored, replaces)
            systems = [system.name for system in stored.systems.all()]
            message = _("The existing dataset would be replaced.")
            if systems:
                message = _(
                    "The existing dataset would be replaced, and the predictions of {systems} would be deleted "
                    "with it. Import them again."
                )
            report.notes.append(filled(message, systems=with_commas(systems)))
    except NAME_TAKEN as error:
        report.changed = False
        problems.add(_("the short name"), error.message, remedy=REMEDY_NAME)
    except CONTENT_ERRORS as error:
        report.changed = False
        problems.add(_("all files"), error.message, remedy=_("Fix the files."))
    return _with_problems(report, problems)


def _rehearse_predictions(
    report: ImportReport,
    table: PredictionTable,
    dataset: Dataset,
    problems: Problems,
    replaces: User | Literal[False] | None,
) -> ImportReport:
    rows: list[Stored] = []
    same: list[Stored] = []
    other: list[Stored] = []
    try:
        rows = rows_to_store(table, target_of(dataset), is_simulated=False)
        same, other = compared(rows, dataset)
        if other and replaces is not False:
            refuse_if_used(dataset, replaces)
            names = ", ".join(map(name_of, other))
            report.notes.append(_("Different predictions of {other} would be replaced.").format(other=names))
            other = []
    except CONTENT_ERRORS as error:
        problems.add(_("all files"), error.message, remedy=_("Fix the files."))
    report.changed = len(rows) > len(same) + len(other)
    report.unchanged = list(map(name_of, same))
    for row in other:
        problems.add(
            _("all files"),
            _("the system already exists with different predictions"),
            value=name_of(row),
            remedy=_(
                "Import them under another model, method or run. Predictions that nothing uses can "
                "also be replaced (--replace)."
            ),
        )
    return _with_problems(report, problems)
