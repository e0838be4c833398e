"""The format in which ChaosNLI (Nie et al. 2020) shares and collects predictions: one document for SNLI and MNLI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.arrays import Matrix
from annotations.ground.progress import Progress
from annotations.importing.checking import SUM_TOLERANCE
from annotations.importing.formats import PredictionReader, registered
from annotations.importing.memory.limits import SYSTEM_PART_LENGTH, refuse_large_matrices, unstorable
from annotations.importing.memory.options import SystemOptions, or_leave_out
from annotations.importing.memory.problems import Place, Problems, listed
from annotations.importing.memory.tables import PredictionTable, SystemTable, Target
from annotations.importing.readers.chaosnli import INFERENCE, Row, rows_of
from annotations.importing.readers.chaosnli_predictions import (
    LABELS_NAMED,
    names_in_order,
    note_on_others,
    numbers_in,
    softmax,
)
from annotations.importing.reading.documents import Item, read_document
from annotations.importing.reading.files import Files, HeadSign, SourceFile
from annotations.shown.plurals import filled

VALUES = "predicted_probabilities"
LABEL = "predicted_label"
AGREEMENT = 1e-6
REMEDY = 'Give {"model": {"uid": {"uid": ..., "predicted_probabilities": [...], "predicted_label": ...}}}.'


@registered
class ChaosNLIModelReader(PredictionReader[SystemOptions]):
    """Predictions in ChaosNLI's own format for sharing them.

    It reads the format in which ChaosNLI shares the predictions of models (`model_predictions_for_snli_mnli.json`)
    and asks others for theirs: one JSON document of models, each with its items by `uid`, with
    `predicted_probabilities` (or `logits`) in the order entailment, neutral, contradiction and a `predicted_label`.
    Every model becomes a system; items of other datasets are left out and counted. A label that is not the most
    probable one is refused: it says that the values stand in another order. JSON lines of such items are one model's,
    named after the file.
    """

    name = "chaosnli-models"
    title = "ChaosNLI models"
    description = (
        "One JSON document of models, items, predicted_probabilities (or logits) and predicted_label, as ChaosNLI "
        "shares the predictions of models; or JSON lines of such items, of one model."
    )
    options = SystemOptions
    signs = (HeadSign(head=(LABELS_NAMED,), sure=1.0),)

    def read(
        self, files: Files, options: SystemOptions, target: Target, problems: Problems, progress: Progress
    ) -> PredictionTable:
        names = names_in_order(tuple(INFERENCE.values()), target, problems)
        systems: dict[str, Matrix] = {}  # NaN where nothing has been found yet
        sources: dict[str, str] = {}
        others = 0
        positions, order = target.positions, [names.index(name) for name in target.labels.names]
        for file in files:
            for model, uid, row, item in _predictions(file, problems, progress):
                i = positions.get(uid)
                if i is None:
                    others += 1
                    continue
                if model not in systems:
                    N, K = target.shape
                    refuse_large_matrices(problems, file.name, systems=len(systems) + 1, instances=N, labels=K)
                    systems[model], sources[model] = np.full(target.shape, np.nan), file.name
                Q = systems[model]
                if not np.isnan(Q[i]).all():
                    item.problem(_("the item appears twice"), field="uid", value=uid, remedy=_("Keep only one."))
                values = _distribution(row, names, item)
                if values is not None:
                    Q[i] = values[order]
        problems.stop_if_any()
        if not systems:
            remedy = _("Choose the dataset whose items were predicted.")
            problems.stop(
                ", ".join(f.name for f in files), _("no item is in the dataset"), value=target.slug, remedy=remedy
            )
        if options.model and len(systems) > 1:
            remedy = _("Leave the option 'model' out: the file names its models.")
            problems.stop(
                files[0].name, _("there are several models"), field="model", value=listed(systems), remedy=remedy
            )
        for model, Q in systems.items():
            absent = np.flatnonzero(np.isnan(Q).all(axis=1)).tolist()
            if absent and options.missing != "leave_out":
                problems.add_lacking(
                    sources[model],
                    model,
                    [target.external_ids[i] for i in absent],
                    len(Q),
                    field="uid",
                    remedy=or_leave_out(_("Provide a prediction for every instance.")),
                )
        problems.stop_if_any()
        tables = (SystemTable(options.model or model, Q, options.method, options.run) for model, Q in systems.items())
        return PredictionTable(tuple(tables), notes=note_on_others(others))


def _predictions(
    file: SourceFile, problems: Problems, progress: Progress
) -> Iterator[tuple[str, str, Row, Item | Place]]:
    """Model, uid and row of every item in a file, and its place. A file of lines is one model's, named by the file."""
    if _is_lines(file):
        for place, row in rows_of([file], problems, progress):
            yield file.stem[:SYSTEM_PART_LENGTH], str(row.get("uid")), row, place
        return
    document = read_document(file, problems, progress)
    rows = document.values() if isinstance(document, dict) else ()
    if rows and all(isinstance(row, dict) and (VALUES in row or "logits" in row) for row in rows):
        document = {file.stem[:SYSTEM_PART_LENGTH]: document}
    if not isinstance(document, dict) or not all(isinstance(items, dict) for items in document.values()):
        problems.stop(file.name, _("this is not an object of models and their items"), remedy=REMEDY)
    for model, items in document.items():
        if not model or unstorable(model, SYSTEM_PART_LENGTH):
            problems.stop(
                file.name, _("the model's name cannot be used"), field="model", value=model, remedy=_("Rename it.")
            )
        for uid, row in items.items():
            item = Item(problems, file.name, f"{model} / {uid}")
            if not isinstance(row, dict) or row.get("uid", uid) != uid:
                item.problem(_("this is not an item with its uid"), field="uid", value=row, remedy=REMEDY)
                continue
            yield model, uid, row, item


def _is_lines(file: SourceFile) -> bool:
    """Whether every line is an item: the first closes what it opens, and has its uid before any other object."""
    line = file.first_line()
    return line.rstrip().endswith(b"}") and b"{" not in line.lstrip()[1:]


def _distribution(row: Row, names: Sequence[str], item: Item | Place) -> Matrix | None:
    """The row's distribution in the files' order; None if it was noted as a problem.

    The label it names must be one of the most probable; otherwise the values are in the wrong order.
    """
    field = VALUES if VALUES in row else "logits"
    distribution = numbers_in(row, field, len(names), item, REMEDY)
    if distribution is None:
        return None
    distribution = softmax(distribution) if field == "logits" else distribution
    if ((distribution < 0) | (distribution > 1)).any() or abs(distribution.sum() - 1) > SUM_TOLERANCE:
        item.problem(
            _("these are not probabilities"), field=field, value=row[field], remedy=_("Use values that sum to 1.")
        )
        return None
    label = str(row.get(LABEL, ""))
    label = INFERENCE.get(label, label)
    if label and (label not in names or distribution[names.index(label)] < distribution.max() - AGREEMENT):
        remedy = filled(_("Provide the values in this order: {names}."), names=listed(names))
        item.problem(_("the predicted label is not the most probable one"), field=LABEL, value=label, remedy=remedy)
        return None
    return distribution
