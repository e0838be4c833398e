"""Tables: CSV, JSON lines and Parquet; long, wide, or disaggregated; texts in the table or in a separate one.

- long: `instance, label, probability`, and in predictions `system` or `model, method, run`;
- wide: `instance` and one column per label;
- disaggregated: `instance, annotator, label`, or counted: `instance, label, count`;
- texts: a column `text`, columns `segment:NAME`, or a column `segments`; in the table, or in a separate table
  that has one row per instance; also `language`, `direction` and `split`;
- the label list: a `.txt` file with one label per line, optionally followed by a tab and other words by which experts
can find it.
"""

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from annotations.ground.arrays import IntColumn, ShortColumn
from annotations.ground.progress import Progress
from annotations.ground.system_names import system_name
from annotations.importing.formats import DatasetReader, PredictionReader, registered
from annotations.importing.memory.options import DatasetOptions, SystemOptions
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import (
    DatasetTable,
    InstanceRow,
    PredictionTable,
    SystemTable,
    Target,
)
from annotations.importing.reading.files import Files, SourceFile
from annotations.importing.reading.labels import (
    is_label_list,
    label_names,
    label_set,
    labels_in,
    task_of_matrix,
    with_search_words,
)
from annotations.importing.reading.tabular.judgements import (
    Grid,
    annotations_of,
    inferred_task,
    votes_in,
)
from annotations.importing.reading.tabular.opening import columns_of_parquet, kind_of, open_sheet
from annotations.importing.reading.tabular.rows import (
    Key,
    instance_column,
    instances_in,
    note_columns,
    require_instance_column,
    systems_in,
)
from annotations.importing.reading.tabular.sheets import (
    ABOUT_SYSTEMS,
    ANNOTATOR,
    COUNT,
    INSTANCE,
    LABEL,
    PROBABILITY,
    Sheet,
    Texts,
    is_long,
    label_columns,
)
from annotations.shown.plurals import filled, written

Absent = Literal["refuse", "zero"]
INSTANCE_NAMED = re.compile(rb"(?:^|[^\w ])" + INSTANCE.encode() + rb"(?:$|[^\w ])")
ABSENT = gettext_noop("What it means if a long table leaves out a label of an instance.")
DELIMITER = gettext_noop("Separator of the fields in a CSV file. Empty: comma, tab or semicolon.")
COLUMNS = "instance, label, probability, annotator, count, text, segments, segment:NAME, language, direction, split"


class TableDatasetOptions(DatasetOptions):
    absent: Absent = Field("refuse", description=ABSENT)
    delimiter: str = Field("", max_length=1, description=DELIMITER)


class TablePredictionOptions(SystemOptions):
    absent: Absent = Field("refuse", description=ABSENT)
    delimiter: str = Field("", max_length=1, description=DELIMITER)


def detect_tables(files: Files) -> float:
    """At most half sure, so that readers that know the content better go first."""
    recognised = [is_label_list(file) or bool(kind_of(file)) for file in files if file.path.is_file()]
    return 0.5 if recognised and all(recognised) and any(map(_names_instances, files)) else 0.0


def _names_instances(file: SourceFile) -> bool:
    """Whether a first look finds the column that every table must have."""
    if is_label_list(file) or not file.path.is_file():
        return False
    if kind_of(file) == "parquet":
        columns = columns_of_parquet(file)
        return INSTANCE in columns or not columns  # the reader reports damaged ones
    return bool(INSTANCE_NAMED.search(file.first_line()))


@registered
class TableDatasetReader(DatasetReader[TableDatasetOptions]):
    """Tables in one of four shapes.

    - long: `instance`, `label`, `probability`
    - wide: `instance`, and one column per label
    - disaggregated: `instance`, `annotator`, `label`: one row per label that a person gave; an empty label means
      that this person gave none
    - counted: `instance`, `label`, `count`: this many unidentified people gave this label

    If there are annotations, the judgement distributions are computed from them and must not be given separately.

    Texts are in the same table or in a separate one with one row per instance: a column `text`; or columns
    `segment:premise`, `segment:hypothesis`, ...; or a column `segments` (JSON: `{"premise": "..."}` or `[{"name":
    "premise", "text": "..."}]`). It may also have `language`, `direction` (`ltr`, `rtl`) and `split` (the part of the
    data to which a text belongs: `train`, `dev`, `test`), which training keeps to. A separate table gives the order of
    the instances. Instances without text can be analysed, but not shown to experts.

    A `.txt` file with one label per line gives the order of the labels; so does the option `labels`. A label may be
    followed by a tab and other words by which experts can find it when typing, separated by semicolons
    (`Housing<TAB>tenant; landlord; rent`). The list may also be a `.json` file: a list of names, or of `{"name":
    "Housing", "search_words": ["tenant", "landlord", "rent"]}`. A label has at most 40 such words of at most 60
    characters. They are never shown as labels, are not part of the dataset's fingerprint, and can be changed at any
    time: on the dataset's page (Labels), over the API, or with `manage.py find_labels_by DATASET labels.json`.
    `manage.py find_labels_by DATASET --areas-of-law` gives 33 areas of law the demo's built-in words.

    Predictions are long or wide. With columns `model`, `method` and `run`, or one column `system` (`model / method /
    run`), one file can contain many systems; otherwise the options `model`, `method` and `run` apply; with
    neither, the system is named after its file. Several files of one system (such as two parts of the data) are put
    together.

    Unknown columns are refused rather than ignored. "Lines" of a Parquet file are its rows.
    """

    name = "table"
    title = "Table"
    description = gettext_noop(
        "CSV, JSON lines or Parquet: long (instance, label, probability), wide (one column "
        "per label) or disaggregated (instance, annotator, label). The texts are in the same "
        "table or in a separate one."
    )
    options = TableDatasetOptions
    shapes = ((INSTANCE, LABEL), (INSTANCE, ANNOTATOR, LABEL), (INSTANCE, LABEL, PROBABILITY), (INSTANCE, LABEL, COUNT))

    def detect(self, files: Files) -> float:
        return detect_tables(files)

    def read(self, files: Files, options: TableDatasetOptions, problems: Problems, progress: Progress) -> DatasetTable:
        options = with_label_list(files, options, problems)
        sheets = [
            open_sheet(file, problems=problems, progress=progress, delimiter=options.delimiter)
            for file in files
            if not is_label_list(file)
        ]
        judged, beside = told_apart(sheets, problems)
        ids = [instance_column(sheet) for sheet in judged]
        instances = all_instances(judged, ids, beside, options)
        problems.stop_if_any()
        places = {row.external_id: place for place, row in enumerate(instances)}
        where = [
            placed(sheet, column, places, _("the table of instances"))
            for sheet, column in zip(judged, ids, strict=True)
        ]
        progress(1, 2, "checking")
        has_shares = PROBABILITY in judged[0] or not is_long(judged[0].columns)
        read = _read_distributions if has_shares else _read_annotations
        table = read(judged, where, instances, options, problems)
        return with_search_words(table, [file for file in files if is_label_list(file)], problems)


def with_label_list(files: Files, options: TableDatasetOptions, problems: Problems) -> TableDatasetOptions:
    """The options, with the labels from a separate list, if there is one."""
    lists = [file for file in files if is_label_list(file)]
    if len(lists) > 1 or (lists and options.labels):
        problems.stop(lists[0].name, _("there are two label lists"), remedy=_("Provide only one label list."))
    return options.model_copy(update={"labels": labels_in(lists[0], problems)}) if lists else options


def told_apart(sheets: list[Sheet], problems: Problems) -> tuple[list[Sheet], list[Sheet]]:
    """The tables with judgements, all of one shape, and the separate ones that only describe the instances."""
    for sheet in sheets:
        require_instance_column(sheet)
    long = [sheet for sheet in sheets if is_long(sheet.columns)]
    judged = long or [sheet for sheet in sheets if label_columns(sheet.columns)]
    beside = [sheet for sheet in sheets if sheet not in judged]
    if not judged:
        problems.stop(
            ", ".join(sheet.file.name for sheet in sheets) or _("no file"),
            _("none of the tables contains judgements"),
            value=", ".join(sheets[0].columns[:8]) if sheets else "",
            remedy=_("Add a column 'label', or one column per label."),
        )
    for sheet in sheets:
        unknown = [] if sheet in judged and not long else label_columns(sheet.columns)
        foreign = [column for column in sheet.columns if column in ABOUT_SYSTEMS]
        if not is_long(sheet.columns):
            foreign += [column for column in (PROBABILITY, ANNOTATOR, COUNT) if column in sheet]
        elif PROBABILITY in sheet:
            foreign += [column for column in (ANNOTATOR, COUNT) if column in sheet]
        remedy = filled(_("Remove or rename it. Known columns: {columns}."), columns=COLUMNS)
        note_columns(sheet, unknown, _("the column is unknown"), remedy)
        note_columns(sheet, foreign, _("this column has no meaning in this kind of table"), remedy)
    if len({PROBABILITY in sheet for sheet in long}) > 1:
        problems.add(
            ", ".join(sheet.file.name for sheet in long),
            _("only some of the tables contain probabilities"),
            remedy=_("Import distributions or annotations, but not both. Distributions are computed from annotations."),
        )
    problems.stop_if_any()
    return judged, beside


def all_instances(
    judged: list[Sheet], ids: list[Texts], beside: list[Sheet], options: DatasetOptions
) -> list[InstanceRow]:
    """The dataset's instances in order: as listed in the separate tables, or else as named by the judgements."""
    rows: dict[str, InstanceRow] = {}
    about = [(sheet, instance_column(sheet), True) for sheet in beside]
    about = about or [(sheet, column, False) for sheet, column in zip(judged, ids, strict=True)]
    if len(about) == 1:
        sheet, column, once = about[0]
        return instances_in(sheet, column, options, once=once)
    for sheet, column, once in about:
        for row in instances_in(sheet, column, options, once=once):
            registered = rows.setdefault(row.external_id, row)
            if registered != row or (once and registered is not row):
                sheet.problems.add(
                    sheet.file.name,
                    _("the instance is in two files")
                    if once
                    else _("two files contradict each other about the instance"),
                    field=INSTANCE,
                    value=row.external_id,
                    remedy=_("Describe each instance only once."),
                )
    return list(rows.values())


def placed(sheet: Sheet, ids: Texts, places: dict[str, int], whole: str) -> IntColumn:
    """The position of every row's instance; rows with unknown instances are noted."""
    where = ids.mapped(places)
    sheet.report(
        np.flatnonzero((where < 0) & (ids.codes >= 0)),
        _("the instance is not in {whole}").format(whole=whole),
        field=INSTANCE,
        value=ids.at,
        remedy=_("Use the same instance ids as in the original files."),
    )
    return where


def _read_annotations(
    judged: list[Sheet],
    where: list[IntColumn],
    instances: list[InstanceRow],
    options: TableDatasetOptions,
    problems: Problems,
) -> DatasetTable:
    problems.stop_if_any()
    votes = [votes_in(sheet, instance) for sheet, instance in zip(judged, where, strict=True)]
    problems.stop_if_any()
    task = options.declared_task or inferred_task(votes)
    file = judged[0].file.name
    found = dict.fromkeys(name for part in votes for name in part.label.values)
    labels = label_set(label_names(list(found), options, problems, file=file), task, options, problems, file=file)
    annotations = annotations_of(votes, labels)
    unjudged = np.flatnonzero(annotations.people(instances=len(instances)) == 0)
    if len(unjudged):
        problems.stop(
            ", ".join(sheet.file.name for sheet in judged),
            _("{unjudged} instances have no judgements").format(unjudged=written(len(unjudged))),
            field=INSTANCE,
            value=listed([instances[i].external_id for i in unjudged[:5]], total=len(unjudged)),
            remedy=_("Provide at least one annotation for each instance, or remove the instance."),
        )
    note = _("The task was interpreted as {task}, based on the labels that one person chose together.").format(
        task=task
    )
    return DatasetTable(
        labels=labels,
        instances=instances,
        annotations=annotations,
        notes=(*(() if options.declared_task else (note,)), *_spaces_note(judged)),
    )


def _spaces_note(judged: list[Sheet]) -> tuple[str, ...]:
    spaced = dict.fromkeys(name for sheet in judged for name in sheet.texts(LABEL).values if name != name.strip())
    return (_("Spaces around labels were removed: {spaced}.").format(spaced=listed(spaced)),) if spaced else ()


def _read_distributions(
    judged: list[Sheet],
    where: list[IntColumn],
    instances: list[InstanceRow],
    options: TableDatasetOptions,
    problems: Problems,
) -> DatasetTable:
    file = judged[0].file.name
    long = is_long(judged[0].columns)
    columns = [sheet.texts(LABEL).stripped().values if long else label_columns(sheet.columns) for sheet in judged]
    names = label_names(list(dict.fromkeys(n for part in columns for n in part)), options, problems, file=file)
    ids = [row.external_id for row in instances]
    grid = Grid(problems, instances=ids, labels=names, systems=[""], what=_("the dataset"), files=named(judged))
    for sheet, instance in zip(judged, where, strict=True):
        fill(grid, sheet, np.zeros(len(sheet), dtype=np.int32), instance)
    problems.stop_if_any()
    grid.note_gaps(absent_labels_are_zero=options.absent == "zero")
    problems.stop_if_any()
    gold = grid.values[0]
    task, note = task_of_matrix(gold, options)
    labels = label_set(names, task, options, problems, file=file)
    grid.note_rows(labels, people=True)
    problems.stop_if_any()
    notes = ((note,) if note else ()) + (_spaces_note(judged) if long else ())
    return DatasetTable(labels=labels, instances=instances, gold=gold, notes=notes)


def named(sheets: Sequence[Sheet]) -> str:
    return ", ".join(sheet.file.name for sheet in sheets)


def fill(grid: Grid, sheet: Sheet, system: IntColumn | ShortColumn, instance: IntColumn) -> None:
    """Put a long or a wide sheet into the grid; unknown labels are noted."""
    if is_long(sheet.columns):
        label = sheet.texts(LABEL)
        positions = {name: position for position, name in enumerate(grid.labels)}
        # Unstripped first: datasets from earlier versions may have labels with spaces around them.
        meant = {name: positions.get(name, positions.get(name.strip(), -1)) for name in label.values}
        place = label.mapped_short(meant)
        remedy = _("Use a label from the label set; upper and lower case matter.")
        sheet.report(np.flatnonzero(place < 0), _("the label is unknown"), field=LABEL, value=label.at, remedy=remedy)
        grid.put_long(sheet, system, instance, place)
        return
    columns = label_columns(sheet.columns)
    labels, present = set(grid.labels), set(columns)
    note_columns(
        sheet,
        [column for column in columns if column not in labels],
        _("the column is neither a label nor a known column"),
        filled(_("Name label columns exactly as the labels. Known columns: {columns}."), columns=COLUMNS),
    )
    lacking = [name for name in grid.labels if name not in present]
    if lacking:
        sheet.problems.add(
            sheet.file.name,
            _("the table has only {labels} of {labels_2} labels").format(
                labels=len(grid.labels) - len(lacking), labels_2=len(grid.labels)
            ),
            line=1,
            value=filled(_("lacking: {names}"), names=listed(lacking)),
            remedy=_("Provide one column per label."),
        )
    sheet.problems.stop_if_any()
    grid.put_wide(sheet, system, instance, list(grid.labels))


@registered
class TablePredictionReader(PredictionReader[TablePredictionOptions]):
    name = "table"
    title = "Table"
    description = gettext_noop(
        "CSV, JSON lines or Parquet: long (instance, label, probability) or wide (one column "
        "per label). With a column system, or columns model, method and run, one file can "
        "contain many systems."
    )
    options = TablePredictionOptions
    shapes = ((INSTANCE, LABEL, PROBABILITY),)

    def detect(self, files: Files) -> float:
        return detect_tables(files)

    def read(
        self, files: Files, options: TablePredictionOptions, target: Target, problems: Problems, progress: Progress
    ) -> PredictionTable:
        systems: dict[Key, int] = {}
        placed_sheets: list[tuple[Sheet, IntColumn | ShortColumn, IntColumn]] = []
        for file in files:
            sheet = open_sheet(file, problems=problems, progress=progress, delimiter=options.delimiter)
            require_instance_column(sheet)
            refuse_other_columns(sheet)
            instance = placed(sheet, instance_column(sheet), target.positions, f"dataset {target.slug!r}")
            placed_sheets.append((sheet, systems_in(sheet, options, systems), instance))
        progress(1, 2, "checking")
        names = [system_name(*key) for key in systems]
        grid = Grid(
            problems,
            instances=target.external_ids,
            labels=target.labels.names,
            systems=names,
            what=_("the system"),
            files=named([sheet for sheet, _system, _instance in placed_sheets]),
        )
        for sheet, system, instance in placed_sheets:
            fill(grid, sheet, system, instance)
        may_lack = options.missing == "leave_out"
        grid.note_gaps(absent_labels_are_zero=options.absent == "zero", missing_allowed=may_lack)
        problems.stop_if_any()
        grid.note_rows(target.labels, people=False)
        problems.stop_if_any()
        return PredictionTable(
            tuple(SystemTable(*key[:1], Q=grid.values[s], method=key[1], run=key[2]) for key, s in systems.items())
        )


def refuse_other_columns(sheet: Sheet) -> None:
    """Refuse annotators or texts in predictions, and a long table without probabilities."""
    long = is_long(sheet.columns)
    useful = {INSTANCE, LABEL, PROBABILITY, *ABOUT_SYSTEMS} if long else {INSTANCE, *ABOUT_SYSTEMS}
    useful |= set() if long else set(label_columns(sheet.columns))
    allowed = "instance, label, probability, system, model, method, run"
    note_columns(
        sheet,
        [column for column in sheet.columns if column not in useful],
        _("this column has no meaning in predictions"),
        filled(_("Remove it. Known columns: {columns}; in a wide table the labels."), columns=allowed),
    )
    if long and PROBABILITY not in sheet:
        sheet.problems.add(
            sheet.file.name,
            _("there is no column 'probability'"),
            line=1,
            value=", ".join(sheet.columns),
            remedy=_("Name the column with the predicted shares 'probability'."),
        )
    sheet.problems.stop_if_any()
