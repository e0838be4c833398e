"""ChaosNLI (Nie et al. 2020): counted votes, and the prediction files published with it.

The votes count labels in the order entailment, neutral, contradiction and leave out those without a vote; the
prediction files give their three values in the order entailment, contradiction, neutral. The two are joined
on `uid`; a prediction file holds many items that nobody voted on again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from annotations.importing.checks import SUM_TOLERANCE
from annotations.importing.files import Progress, SourceFile
from annotations.importing.formats import DatasetReader, PredictionReader, dataset_readers, prediction_readers
from annotations.importing.limits import NAME_LENGTH
from annotations.importing.memory import (
    AnnotationRow,
    Annotations,
    DatasetTable,
    FloatMatrix,
    InstanceRow,
    LabelSet,
    PredictionTable,
    Segment,
    SystemTable,
    Target,
)
from annotations.importing.names import unstorable
from annotations.importing.options import Options, SystemOptions
from annotations.importing.problems import Place, Problems, listed
from annotations.importing.tabular.json_lines import read_objects
from annotations.models import Task

INFERENCE = {"e": "entailment", "n": "neutral", "c": "contradiction"}
ABDUCTION = {"1": "1", "2": "2"}
PREDICTED_INFERENCE = ("entailment", "contradiction", "neutral")
SEGMENTS = ("premise", "hypothesis", "obs1", "obs2", "hyp1", "hyp2")
# Such as SNLI_dev_roberta-base_0.json: set, part, model, seed.
FILE_NAME = re.compile(r"^[^_]+_(?:train|dev|test)_(?P<model>.+)_(?P<run>\d+)$")
AGREEMENT = 1e-4
MAX_LOGIT = 1e300
REMEDY_VOTES = 'Give the votes as ChaosNLI does: "label_counter": {"e": 60, "n": 40}.'
REMEDY_VALUES = "Give as many numbers as there are labels, as ChaosNLI's prediction files do."

Row = dict[str, Any]


class ChaosNLIDatasetReader(DatasetReader[Options]):
    name = "chaosnli"
    title = "ChaosNLI"
    description = "JSON lines with uid, label_counter and example, as ChaosNLI publishes them."
    options = Options

    def detect(self, files: Sequence[SourceFile]) -> float:
        return float(all(_begins_with(file, b'"label_counter"') for file in files))

    def read(
        self, files: Sequence[SourceFile], options: Options, problems: Problems, progress: Progress
    ) -> DatasetTable:
        instances: list[InstanceRow] = []
        votes: list[tuple[Place, dict[str, int]]] = []
        seen: set[str] = set()
        for place, row in rows_of(files, problems, progress):
            uid = uid_of(row, place)
            if uid and uid in seen:
                place.problem("the uid is there twice", field="uid", value=uid, remedy="Keep one.")
            seen.add(uid)
            instances.append(InstanceRow(uid, _segments(row, place)))
            votes.append((place, _counts(row, place)))
        problems.stop_if_any()
        labels = _label_set(votes, problems)
        return DatasetTable(labels=labels, instances=instances, annotations=_annotations(votes, labels))


def rows_of(files: Sequence[SourceFile], problems: Problems, progress: Progress) -> Iterator[tuple[Place, Row]]:
    """All objects of all files, with the place of each."""
    for file in files:
        rows, lines = read_objects(file, problems=problems, progress=progress)
        for row, line in zip(rows, lines, strict=True):
            yield Place(problems, file.name, line), row


def uid_of(row: Row, place: Place) -> str:
    uid = row.get("uid")
    if not isinstance(uid, str) or not uid or unstorable(uid, NAME_LENGTH):
        place.problem("there is no usable uid", field="uid", value=uid, remedy="Give the uid.")
        return ""
    return uid


def _begins_with(file: SourceFile, key: bytes) -> bool:
    return file.path.is_file() and key in file.first_line() and b'"uid"' in file.first_line()


def _segments(row: Row, place: Place) -> tuple[Segment, ...]:
    example = row.get("example")
    texts = example if isinstance(example, dict) else {}
    segments = tuple(Segment(name, texts[name]) for name in SEGMENTS if texts.get(name))
    if not segments or not all(isinstance(text, str) and not unstorable(text) for _, text in segments):
        place.problem(
            "the texts are absent or no texts",
            field="example",
            remedy="Give premise and hypothesis, or obs1, obs2, hyp1 and hyp2.",
        )
        return ()
    return segments


def _counts(row: Row, place: Place) -> dict[str, int]:
    """The votes by key, checked against `label_count`, which says the same in the order of the labels."""
    counter = row.get("label_counter")
    if (
        not isinstance(counter, dict)
        or not counter
        or not all(type(count) is int and 0 <= count < 2**31 for count in counter.values())
        or not sum(counter.values())
    ):
        place.problem("there are no votes", field="label_counter", value=counter, remedy=REMEDY_VOTES)
        return {}
    keys = next((keys for keys in (INFERENCE, ABDUCTION) if set(counter) <= set(keys)), None)
    if keys is None:
        unknown = next(key for key in counter if key not in INFERENCE)
        place.problem("the label is unknown", field="label_counter", value=unknown, remedy=REMEDY_VOTES)
        return {}
    again = row.get("label_count")
    if again is not None and again != [counter.get(key, 0) for key in keys]:
        place.problem(
            "label_count and label_counter differ",
            field="label_count",
            value=again,
            remedy="Fetch the file again; both count the same votes.",
        )
    return counter


def _label_set(votes: list[tuple[Place, dict[str, int]]], problems: Problems) -> LabelSet:
    abduction = set(votes[0][1]) <= set(ABDUCTION)
    keys = ABDUCTION if abduction else INFERENCE
    for place, counter in votes:
        if not set(counter) <= set(keys):
            place.problem(
                "inference and abduction items are mixed",
                field="label_counter",
                value=listed(counter),
                remedy="Import ChaosNLI's parts as datasets of their own.",
            )
    problems.stop_if_any()
    return LabelSet(names=tuple(keys.values()), task=Task.MULTICLASS)


def _annotations(votes: list[tuple[Place, dict[str, int]]], labels: LabelSet) -> Annotations:
    keys = {key: labels.positions[name] for key, name in (INFERENCE | ABDUCTION).items() if name in labels.names}
    return Annotations.from_rows(
        AnnotationRow(instance, (position,), count=counter[key])
        for instance, (_, counter) in enumerate(votes)
        for key, position in keys.items()
        if counter.get(key)
    )


class ChaosNLIPredictionOptions(SystemOptions):
    temperature: float = Field(
        1.0, gt=0, le=1000, description="The predictions are softmax(logits / temperature), in double precision."
    )


class ChaosNLIPredictionReader(PredictionReader[ChaosNLIPredictionOptions]):
    name = "chaosnli"
    title = "ChaosNLI predictions"
    description = (
        "JSON lines with uid, logits and probs, as ChaosNLI publishes them. Files of one model and run, such as dev "
        "and test, make one system; what the options do not name is taken from names like SNLI_dev_MODEL_RUN.json."
    )
    options = ChaosNLIPredictionOptions

    def detect(self, files: Sequence[SourceFile]) -> float:
        return float(all(_begins_with(file, b'"logits"') or _begins_with(file, b'"probs"') for file in files))

    def read(
        self,
        files: Sequence[SourceFile],
        options: ChaosNLIPredictionOptions,
        target: Target,
        problems: Problems,
        progress: Progress,
    ) -> PredictionTable:
        order = _order(target, problems)
        systems: dict[tuple[str, str, str], list[SourceFile]] = {}
        for file in files:
            systems.setdefault(_key(file, options, problems), []).append(file)
        problems.stop_if_any()
        tables, others = [], 0
        for (model, method, run), parts in systems.items():
            rows = rows_of(parts, problems, progress)
            Q, found, ignored = _matrix(rows, target, order, options.temperature)
            if not found.all():
                absent = [target.external_ids[i] for i in np.flatnonzero(~found).tolist()]
                problems.add(
                    ", ".join(file.name for file in parts),
                    f"the system lacks {len(absent):,} of {len(found):,} instances",
                    field="uid",
                    value=listed(absent),
                    remedy="Give all files of the system, such as dev and test.",
                )
            others += ignored
            said = {"temperature": options.temperature}
            tables.append(SystemTable(model=model, method=method, run=run, Q=Q, options=said))
        problems.stop_if_any()
        note = f"{others:,} predictions are for items outside the dataset and were left out."
        return PredictionTable(tuple(tables), notes=(note,) if others else ())


def _order(target: Target, problems: Problems) -> list[int]:
    """Where each of the dataset's labels stands among the file's values."""
    names = PREDICTED_INFERENCE if "entailment" in target.labels.names else tuple(ABDUCTION.values())
    if set(names) != set(target.labels.names):
        problems.stop(
            target.slug,
            "the dataset's labels are not ChaosNLI's",
            field="label",
            value=listed(target.labels.names),
            remedy=f"The labels are {listed(PREDICTED_INFERENCE)}, or '1', '2'.",
        )
    return [names.index(name) for name in target.labels.names]


def _key(file: SourceFile, options: ChaosNLIPredictionOptions, problems: Problems) -> tuple[str, str, str]:
    named = FILE_NAME.match(file.stem)
    model = options.model or (named["model"] if named else "")
    run = options.run or (named["run"] if named else "")
    method = options.method or ("" if options.temperature == 1 else f"temperature {options.temperature:g}")
    if not model:
        problems.add(
            file.name,
            "the file's name does not tell the model",
            field="model",
            remedy="Give the options 'model' and 'run'.",
        )
    return model, method, run


def _matrix(
    rows: Iterable[tuple[Place, Row]], target: Target, order: list[int], temperature: float
) -> tuple[FloatMatrix, NDArray[np.bool_], int]:
    """One system's Q, which instances it has, and how many predictions were for other items."""
    positions = target.positions
    Q, found, ignored = np.zeros(target.shape), np.zeros(target.shape[0], dtype=bool), 0
    for place, row in rows:
        uid = uid_of(row, place)
        i = positions.get(uid)
        if i is None:
            ignored += 1
            continue
        if found[i]:
            place.problem("the uid is there twice", field="uid", value=uid, remedy="Keep one.")
        found[i] = True
        values = _predicted(row, len(order), temperature, place)
        if values is not None:
            Q[i] = values[order]
    return Q, found, ignored


def _predicted(row: Row, count: int, temperature: float, place: Place) -> FloatMatrix | None:
    """The row's distribution in the file's order; None when it was noted as a problem.

    `probs` are the softmax of `logits` in single precision: where both are given the logits are taken, for they
    are exact, and `probs` must agree. Without logits `probs` are taken as they are.
    """
    probs = _numbers(row, "probs", count, place) if "probs" in row else None
    if "logits" not in row and temperature == 1:
        if probs is None:
            if "probs" not in row:
                place.problem("there are neither logits nor probs", field="logits", remedy=REMEDY_VALUES)
            return None
        return probs if _is_distribution(probs, place) else None
    logits = _numbers(row, "logits", count, place)
    if logits is None or ("probs" in row and probs is None):
        return None
    if probs is not None and not np.abs(softmax(logits) - probs).max() <= AGREEMENT:
        remedy = "Give the file as published: probs are the softmax of logits."
        place.problem("probs and logits differ", field="probs", value=probs.tolist(), remedy=remedy)
    return softmax(logits / temperature)


def _numbers(row: Row, field: str, count: int, place: Place) -> FloatMatrix | None:
    values = row.get(field)
    if (
        not isinstance(values, list)
        or len(values) != count
        or not all(type(value) in (int, float) and abs(value) < MAX_LOGIT for value in values)
    ):
        place.problem(f"these are not {count} numbers", field=field, value=values, remedy=REMEDY_VALUES)
        return None
    return np.array(values, dtype=np.float64)


def _is_distribution(probs: FloatMatrix, place: Place) -> bool:
    remedy = "Give probabilities."
    if not ((probs >= 0) & (probs <= 1)).all():
        place.problem("a value is not in [0, 1]", field="probs", value=probs.tolist(), remedy=remedy)
    elif abs(probs.sum() - 1) > SUM_TOLERANCE:
        place.problem("the values do not sum to 1", field="probs", value=f"{probs.sum():.6g}", remedy=remedy)
    else:
        return True
    return False


def softmax(logits: FloatMatrix) -> FloatMatrix:
    """exp(x) / sum of exp(x), without overflow.

    >>> softmax(np.array([1000.0, 1000.0])).tolist()
    [0.5, 0.5]
    """
    powers = np.exp(logits - logits.max())
    result: FloatMatrix = powers / powers.sum()
    return result


dataset_readers.register("chaosnli")(ChaosNLIDatasetReader())
prediction_readers.register("chaosnli")(ChaosNLIPredictionReader())
