"""Files in, rows or a report out: what the commands, the API's jobs and scripts all call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotations.importing.formats import Reader, dataset_readers, detect, prediction_readers
from annotations.importing.memory.options import options_from
from annotations.importing.memory.problems import ImportRefused, Problems
from annotations.importing.memory.tables import DatasetTable, PredictionTable
from annotations.importing.reading.files import SourceFile, refuse_foreign
from annotations.importing.writing.datasets import (
    EmptyTable,
    NotADistribution,
    OtherContent,
    dataset_fingerprint,
    distributions_to_store,
    write_dataset,
)
from annotations.importing.writing.predictions import (
    Stored,
    key_of,
    name_of,
    names_in,
    rows_to_store,
    stored_fingerprints,
    target_of,
    write_predictions,
)
from annotations.models import Dataset, User
from annotations.progress import Progress, silent
from annotations.registry import Registry

CONTENT_ERRORS = (OtherContent, NotADistribution, EmptyTable)


@dataclass(slots=True)
class ImportReport:
    """What an import did, or what it would do (`dry_run`), and everything that is wrong with the files."""

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
        """The report as plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class RefusedWithReport(ImportRefused):
    """The refusal of a real import, with the report that a dry run would have given."""

    def __init__(self, refusal: ImportRefused, report: ImportReport) -> None:
        super().__init__(refusal.message, **refusal.data)
        self.report = report


def import_dataset(
    *,
    files: Sequence[SourceFile],
    slug: str,
    title: str = "",
    format_name: str = "",
    options: Mapping[str, Any] | None = None,
    dry_run: bool = False,
    is_simulated: bool = False,
    description: str = "",
    source: str = "",
    licence: str = "",
    actor: User | None = None,
    progress: Progress = silent,
) -> ImportReport:
    """Read a dataset from files and store it, or only report what that would do.

    Raises:
        RefusedWithReport: the files have problems (not in a dry run: there the report lists them).
        UnknownName, BadOption: there is no such format or option.
        OtherContent: the slug is taken by a dataset with other content (in a dry run: a problem of the report).
    """
    report = ImportReport(kind="dataset", dataset=slug, dry_run=dry_run, files=[file.name for file in files])
    problems = Problems()
    try:
        reader = _reader(dataset_readers, files, format_name, problems)
        report.format = reader.name
        table = reader.read(files, options_from(reader.options, dict(options or {})), problems, progress)
        problems.stop_if_any()
        _describe_dataset(report, table)
    except ImportRefused as refusal:
        return _refused(report, problems, refusal)
    progress(1, 1, "checking" if dry_run else "writing")
    if dry_run:
        return _rehearse_dataset(report, table, slug, problems)
    written = write_dataset(
        table=table,
        slug=slug,
        title=title,
        description=description,
        source=source,
        licence=licence,
        is_simulated=is_simulated,
        actor=actor,
        files=report.files,
    )
    report.changed, report.fingerprint = written.changed, written.dataset.fingerprint
    if not written.changed:
        report.notes.append("The dataset was there already, with the same content: nothing was changed.")
    return report


def import_predictions(
    *,
    files: Sequence[SourceFile],
    dataset: Dataset,
    format_name: str = "",
    options: Mapping[str, Any] | None = None,
    dry_run: bool = False,
    is_simulated: bool = False,
    actor: User | None = None,
    progress: Progress = silent,
) -> ImportReport:
    """Read predictions for a dataset from files and store them, or only report what that would do.

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
                "the dataset holds pairwise votes only, and has no labels to predict",
                remedy="Choose a dataset with labels.",
            )
        reader = _reader(prediction_readers, files, format_name, problems)
        report.format = reader.name
        checked = options_from(reader.options, dict(options or {}))
        table: PredictionTable = reader.read(files, checked, target, problems, progress)
        problems.stop_if_any()
    except ImportRefused as refusal:
        return _refused(report, problems, refusal)
    report.systems = names_in(table)
    report.notes += table.notes
    progress(1, 1, "checking" if dry_run else "writing")
    if dry_run:
        return _rehearse_predictions(report, table, dataset, problems)
    written = write_predictions(
        dataset=dataset, table=table, is_simulated=is_simulated, actor=actor, files=report.files
    )
    report.changed, report.unchanged = written.changed, list(written.unchanged)
    if written.unchanged:
        report.notes.append(f"There already, with the same predictions: {', '.join(written.unchanged)}.")
    return report


def _reader(readers: Registry[Any], files: Sequence[SourceFile], name: str, problems: Problems) -> Any:
    if not files:
        problems.stop("no file", "there is nothing to import", remedy="Name the files.")
    for file in files:
        refuse_foreign(file, problems)
    reader: Reader[Any] | None = readers.get(name) if name else detect(readers, files)
    if reader is None:
        problems.stop(
            ", ".join(file.name for file in files),
            "the format is not known",
            remedy=f"Name it (known formats: {', '.join(readers.names())}), or give files of one format.",
        )
    return reader


def _describe_dataset(report: ImportReport, table: DatasetTable) -> None:
    report.task, report.labels = str(table.labels.task) if len(table.labels) else "", list(table.labels.names)
    report.instances = len(table.instances)
    if table.annotations is not None:
        report.annotations = int(table.annotations.count.sum())
        report.annotators = len(table.annotations.annotators)
    if table.votes is not None:
        report.votes, report.judges = len(table.votes), len(table.votes.judges)
        report.systems = list(table.votes.systems)
    report.notes += table.notes
    silent = sum(not row.segments for row in table.instances)
    if silent:
        report.notes.append(
            f"{silent:,} of {len(table.instances):,} instances have no text: "
            "they can be analysed, but not shown to experts."
        )


def _refused(report: ImportReport, problems: Problems, refusal: ImportRefused) -> ImportReport:
    report.problems, report.problem_count = problems.as_data(), problems.count
    if report.dry_run:
        return report
    raise RefusedWithReport(refusal, report) from refusal


def _rehearse_dataset(report: ImportReport, table: DatasetTable, slug: str, problems: Problems) -> ImportReport:
    try:
        report.fingerprint = dataset_fingerprint(table)
        distributions_to_store(table)
        there = Dataset.objects.filter(slug=slug).values_list("fingerprint", flat=True).first()
        if there is not None and there != report.fingerprint:
            raise OtherContent(f"There is already a dataset {slug!r} with other content.")
        report.changed = there is None
    except CONTENT_ERRORS as error:
        problems.add("all files", error.message, remedy="Choose another slug, or mend the files.")
    report.problems, report.problem_count = problems.as_data(), problems.count
    return report


def _rehearse_predictions(
    report: ImportReport, table: PredictionTable, dataset: Dataset, problems: Problems
) -> ImportReport:
    rows: list[Stored] = []
    try:
        rows = rows_to_store(table, target_of(dataset), is_simulated=False)
    except CONTENT_ERRORS as error:
        problems.add("all files", error.message, remedy="Mend the files.")
    there = stored_fingerprints(dataset)
    for row in rows:
        if key_of(row) not in there:
            report.changed = True
        elif there[key_of(row)] == row.fingerprint:
            report.unchanged.append(name_of(row))
        else:
            problems.add(
                "all files",
                "the system is there already, with other predictions",
                value=name_of(row),
                remedy="Import them under another model, method or run.",
            )
    report.problems, report.problem_count = problems.as_data(), problems.count
    return report
