"""The prediction files published with ChaosNLI (Nie et al. 2020).

They give their three values in the order entailment, contradiction, neutral, and are joined with the votes on `uid`; a
file contains many items that were not voted on again.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from annotations.ground.arrays import Mask, Matrix
from annotations.ground.progress import Progress
from annotations.importing.checking import SUM_TOLERANCE
from annotations.importing.formats import PredictionReader, registered
from annotations.importing.memory.options import SystemOptions, or_leave_out
from annotations.importing.memory.problems import Place, Problems, listed
from annotations.importing.memory.tables import PredictionTable, SystemTable, Target
from annotations.importing.readers.chaosnli import ABDUCTION, Row, rows_of, uid_of
from annotations.importing.reading.documents import Item
from annotations.importing.reading.files import Files, HeadSign, SourceFile
from annotations.shown.plurals import filled

PREDICTED_INFERENCE = ("entailment", "contradiction", "neutral")
# Such as SNLI_dev_roberta-base_0.json: set, part, model, seed.
FILE_NAME = re.compile(r"^[^_]+_(?:train|dev|test)_(?P<model>.+)_(?P<run>\d+)$")
AGREEMENT = 1e-4
MAX_LOGIT = 1e300
LABELS_NAMED = b'"predicted_label"'
"""In files that name the label each row predicts, as only ChaosNLI's other format does."""
REMEDY_PROBS = gettext_noop("Provide probabilities.")
REMEDY_VALUES = gettext_noop("Provide one number per label, as ChaosNLI's prediction files do.")


class ChaosNLIPredictionOptions(SystemOptions):
    temperature: float = Field(
        1.0, gt=0, le=1000, description="The predictions are softmax(logits / temperature), in double precision."
    )


@registered
class ChaosNLIPredictionReader(PredictionReader[ChaosNLIPredictionOptions]):
    name = "chaosnli"
    title = "ChaosNLI predictions"
    description = (
        "JSON lines with uid, logits and probs, as ChaosNLI publishes them. Files of one model and run, such as dev "
        "and test, make one system; what the options do not name is taken from names like SNLI_dev_MODEL_RUN.json."
    )
    options = ChaosNLIPredictionOptions
    shapes = (("uid", "logits", "probs"),)
    signs = tuple(
        HeadSign(line=(b'"uid"', values), without=re.compile(rb".*" + LABELS_NAMED, re.DOTALL), sure=1.0)
        for values in (b'"logits"', b'"probs"')
    )

    def read(
        self, files: Files, options: ChaosNLIPredictionOptions, target: Target, problems: Problems, progress: Progress
    ) -> PredictionTable:
        names = names_in_order(PREDICTED_INFERENCE, target, problems)
        order = [names.index(name) for name in target.labels.names]
        systems: dict[tuple[str, str, str], list[SourceFile]] = {}
        for file in files:
            systems.setdefault(_key(file, options, problems), []).append(file)
        problems.stop_if_any()
        tables, others = [], 0
        for (model, method, run), parts in systems.items():
            rows = rows_of(parts, problems, progress)
            Q, present, ignored = _matrix(rows, target, order, options.temperature)
            if options.missing == "leave_out" and present.any():
                Q[~present] = np.nan
            elif not present.all():
                absent = [target.external_ids[i] for i in np.flatnonzero(~present).tolist()]
                problems.add_lacking(
                    ", ".join(file.name for file in parts),
                    _("the system"),
                    absent,
                    len(present),
                    field="uid",
                    remedy=or_leave_out(_("Provide all files of the system, such as dev and test.")),
                )
            others += ignored
            stored_options = {"temperature": options.temperature}
            tables.append(SystemTable(model=model, method=method, run=run, Q=Q, options=stored_options))
        problems.stop_if_any()
        return PredictionTable(tuple(tables), notes=note_on_others(others))


def note_on_others(others: int) -> tuple[str, ...]:
    """A note that this many predictions are not needed: ChaosNLI's files have more items than one dataset."""
    message = _(
        "{count, plural, one {# prediction for items outside the dataset was left out.} other {# predictions for items "
        "outside the dataset were left out.}}"
    )
    return (filled(message, count=others),) if others else ()


def names_in_order(inference: Sequence[str], target: Target, problems: Problems) -> tuple[str, ...]:
    """The dataset's labels in the order of the files' values: `inference`, or the two of abduction."""
    names = tuple(inference if "entailment" in target.labels.names else ABDUCTION.values())
    if set(names) != set(target.labels.names):
        problems.stop(
            target.slug,
            _("the dataset's labels are not ChaosNLI's"),
            field="label",
            value=listed(target.labels.names),
            remedy=filled(_("The labels are {names}, or '1', '2'."), names=listed(inference)),
        )
    return names


def _key(file: SourceFile, options: ChaosNLIPredictionOptions, problems: Problems) -> tuple[str, str, str]:
    named = FILE_NAME.match(file.stem)
    model = options.model or (named["model"] if named else "")
    run = options.run or (named["run"] if named else "")
    method = options.method or ("" if options.temperature == 1 else f"temperature {options.temperature:g}")
    if not model:
        problems.add(
            file.name,
            _("the file name does not contain the model"),
            field="model",
            remedy=_("Set the options 'model' and 'run'."),
        )
    return model, method, run


def _matrix(
    rows: Iterable[tuple[Place, Row]], target: Target, order: list[int], temperature: float
) -> tuple[Matrix, Mask, int]:
    """One system's Q, which instances it covers, and how many predictions were for other items."""
    positions = target.positions
    Q, present, ignored = np.zeros(target.shape), np.zeros(target.shape[0], dtype=bool), 0
    for place, row in rows:
        uid = uid_of(row, place)
        i = positions.get(uid)
        if i is None:
            ignored += 1
            continue
        if present[i]:
            place.problem(_("the uid appears twice"), field="uid", value=uid, remedy=_("Keep only one."))
        present[i] = True
        values = _predicted(row, len(order), temperature, place)
        if values is not None:
            Q[i] = values[order]
    return Q, present, ignored


def _predicted(row: Row, count: int, temperature: float, place: Place) -> Matrix | None:
    """The row's distribution in the file's order; None if it was noted as a problem.

    `probs` are the softmax of `logits` in single precision: if both are given, the logits are used because they
    are exact, and `probs` must agree. Without logits, `probs` are used as they are.
    """
    probs = numbers_in(row, "probs", count, place, REMEDY_VALUES) if "probs" in row else None
    if "logits" not in row and temperature == 1:
        if probs is None:
            if "probs" not in row:
                place.problem(_("there are neither logits nor probs"), field="logits", remedy=REMEDY_VALUES)
            return None
        return probs if _is_distribution(probs, place) else None
    logits = numbers_in(row, "logits", count, place, REMEDY_VALUES)
    if logits is None or ("probs" in row and probs is None):
        return None
    if probs is not None and not np.abs(softmax(logits) - probs).max() <= AGREEMENT:
        remedy = _("Provide the file as published: probs are the softmax of logits.")
        place.problem(_("probs and logits differ"), field="probs", value=probs.tolist(), remedy=remedy)
    return softmax(logits / temperature)


def numbers_in(row: Row, field: str, count: int, place: Item | Place, remedy: str) -> Matrix | None:
    """So many numbers in a row's field; None if it was noted as a problem."""
    values = row.get(field)
    if (
        not isinstance(values, list)
        or len(values) != count
        or not all(type(value) in (int, float) and abs(value) < MAX_LOGIT for value in values)
    ):
        place.problem(filled(_("these are not {count} numbers"), count=count), field=field, value=values, remedy=remedy)
        return None
    return np.array(values, dtype=np.float64)


def _is_distribution(probs: Matrix, place: Place) -> bool:
    if not ((probs >= 0) & (probs <= 1)).all():
        place.problem(_("a value is not in [0, 1]"), field="probs", value=probs.tolist(), remedy=REMEDY_PROBS)
    elif abs(probs.sum() - 1) > SUM_TOLERANCE:
        place.problem(_("the values do not sum to 1"), field="probs", value=f"{probs.sum():.6g}", remedy=REMEDY_PROBS)
    else:
        return True
    return False


def softmax(logits: Matrix) -> Matrix:
    """exp(x) / sum of exp(x), without overflow.

    >>> softmax(np.array([1000.0, 1000.0])).tolist()
    [0.5, 0.5]
    """
    powers = np.exp(logits - logits.max())
    result: Matrix = powers / powers.sum()
    return result
