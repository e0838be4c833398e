"""JUDGE-BENCH (Bavaresco et al. 2024): human scores of one thing by one or more criteria, such as DICES-350.

One document: `annotations` declares the criteria (`metric`, `category`, `labels_list` or `worst` and `best`),
`instances` contains the scores as lists.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.limits import MAX_LABELS, NAME_LENGTH, unstorable
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import DatasetTable, InstanceRow, Segment
from annotations.importing.reading.criteria import CriterionOptions, Scale, chosen_criterion, others_of_criterion
from annotations.importing.reading.documents import Item, only_file, read_document
from annotations.importing.reading.files import Files, HeadSign
from annotations.importing.reading.item_judgements import GatheredJudgements, JudgedOptions, Judgement, canonical_label
from annotations.shown.plurals import filled, with_commas

REMEDY = gettext_noop("Provide the file as JUDGE-BENCH publishes it, with 'annotations' and 'instances'.")
NOT_GIVEN = gettext_noop(
    "{count, plural, one {# score was left out: no score was given.} other {# scores were left out: no score was "
    "given.}}"
)
OUTSIDE = gettext_noop(
    "{count, plural, one {# score was left out: outside the declared labels.} other {# scores were left out: outside "
    "the declared labels.}}"
)
FARTHEST = 1e15
SCORES = "individual_human_scores"


class JudgeBenchOptions(CriterionOptions, JudgedOptions):
    raters: Literal["unknown", "position"] = Field(
        "unknown",
        description="Who gave the scores: unknown people; or, at one position of every list, one person (position).",
    )
    outside: Literal["refuse", "leave_out"] = Field(
        "refuse", description="Scores outside the declared labels: refuse them, or leave_out."
    )
    bins: int = Field(
        0,
        ge=0,
        le=1000,
        description="The number of equal bins that a continuous criterion is divided into; 0: refuse it.",
    )


@registered
class JudgeBenchReader(DatasetReader[JudgeBenchOptions]):
    """One criterion of a JUDGE-BENCH document.

    One published JSON document. One of its criteria is imported, named with `criterion`; a check without it lists
    them. Categorical criteria become classes, graded ones an ordinal scale. A continuous one is refused, or cut into
    as many equal bins as `bins` says (labels such as `[0, 25)`, each with the middle of its bin as its value). People
    have no codes: the scores are counted by label or, with `raters` = `position`, those at the same position of every
    list belong to one person. Scores outside the declared labels and instances without scores are refused, or left
    out and counted with `outside` and `unjudged`.
    """

    name = "judge-bench"
    title = "JUDGE-BENCH"
    description = (
        "A JSON document of JUDGE-BENCH, such as DICES-350: human scores of instances by one or more criteria; one of "
        "them is imported."
    )
    options = JudgeBenchOptions
    shapes = (("dataset", "annotations", "instances"),)
    signs = (HeadSign(suffix=".json", head=(b'"annotations"', b'"metric"', b'"category"')),)
    told_by = "one"

    def read(self, files: Files, options: JudgeBenchOptions, problems: Problems, progress: Progress) -> DatasetTable:
        file = only_file(files, problems)
        document = read_document(file, problems, progress)
        criteria, instances = _parts(document, file.name, problems)
        criterion = chosen_criterion(options.criterion, list(criteria), file.name, problems)
        scale, note = _scale(criteria[criterion], criterion, options, file.name, problems)
        judged = GatheredJudgements(options, problems)
        gone: Counter[str] = Counter()
        for place, row in enumerate(instances):
            name = _id_of(row, place)
            item = Item(problems, file.name, name)
            text = InstanceRow(name, _segments(row, item), options.language, options.direction)
            judged.add(item, text, _judgements(row, criterion, scale, options, item, gone))
        judged.stop_if_useless(file.name)
        notes = [note] if note else []
        if others := [name for name in criteria if name != criterion]:
            notes.append(others_of_criterion(criterion, others))
        notes += [filled(translation.gettext(message), count=count) for message, count in gone.items()]
        return judged.table(scale.labels, notes)


def _parts(document: Any, file: str, problems: Problems) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    parts = [document.get(key) if isinstance(document, dict) else None for key in ("annotations", "instances")]
    declared, instances = parts
    if not isinstance(declared, list) or not isinstance(instances, list) or not declared or not instances:
        problems.stop(file, _("criteria or instances are missing"), remedy=REMEDY)
    criteria: dict[str, dict[str, Any]] = {}
    for entry in declared:
        name = entry.get("metric") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name or name in criteria:
            problems.add(
                file,
                _("a criterion has no name, or the name of another criterion"),
                field="metric",
                value=name,
                remedy=REMEDY,
            )
            continue
        criteria[name] = entry
    for place, row in enumerate(instances):
        if not isinstance(row, dict):
            problems.add(
                file,
                _("an instance is not an object"),
                field=filled(_("instance {instance}"), instance=place + 1),
                value=row,
                remedy=REMEDY,
            )
    problems.stop_if_any()
    return criteria, instances


def _scale(
    entry: Mapping[str, Any], criterion: str, options: JudgeBenchOptions, file: str, problems: Problems
) -> tuple[Scale, str]:
    category, labels, ends = entry.get("category"), entry.get("labels_list"), _ends(entry)
    if category in ("categorical", "graded") and isinstance(labels, list) and labels:
        names = [str(label) for label in labels if type(label) in (str, int, float)]
        good = len({canonical_label(name) for name in names}) == len(labels) <= MAX_LABELS
        if not good or any(unstorable(name, NAME_LENGTH) or not name.strip() for name in names):
            problems.stop(
                file, _("these are not labels"), field="labels_list", value=labels, remedy=_("Name each label once.")
            )
        return Scale.of_points(names, graded=category == "graded"), ""
    if category not in ("graded", "continuous") or ends is None:
        problems.stop(
            file,
            _("the scoring of the criterion is not specified"),
            field=criterion,
            value=category,
            remedy=(
                _("Specify the category (categorical, graded or continuous), and 'labels_list', or 'worst' and 'best'.")
            ),
        )
    low, high = ends
    shown = filled(_("{low} to {high}"), low=f"{low:.12g}", high=f"{high:.12g}")
    if category == "graded":
        if low != int(low) or high != int(high) or high - low >= MAX_LABELS:
            remedy = _("Use whole numbers for 'worst' and 'best', or 'labels_list'.")
            problems.stop(file, _("the scale has no points"), field=criterion, value=shown, remedy=remedy)
        return Scale.of_points([str(point) for point in range(int(low), int(high) + 1)], graded=True), ""
    if options.bins < 2:
        problems.stop(
            file,
            _("the criterion is continuous, and a dataset has labels"),
            field=criterion,
            value=shown,
            remedy=_("Set the option 'bins' to the number of equal bins to divide it into (2 or more)."),
        )
    if (high - low) / options.bins < 1e-9 * max(abs(low), abs(high)):
        problems.stop(file, _("the bins are too narrow"), field=criterion, value=shown, remedy=_("Use fewer bins."))
    note = filled(_("The criterion was divided into {bins} equal bins from {scale}."), bins=options.bins, scale=shown)
    return Scale.binned(low, high, options.bins), note


def _ends(entry: Mapping[str, Any]) -> tuple[float, float] | None:
    """The lower and the upper end, if both are numbers; the worst score may be the highest."""
    ends = []
    for name in ("worst", "best"):
        end = entry.get(name)
        if isinstance(end, int | float) and not isinstance(end, bool) and -FARTHEST < end < FARTHEST:
            ends.append(float(end))
    return (min(ends), max(ends)) if len(set(ends)) == 2 else None


def _id_of(row: Mapping[str, Any], place: int) -> str:
    """The instance's id or, without one, its place from 1."""
    key = row.get("id")
    return str(key) if type(key) in (int, str) and str(key) else f"#{place + 1}"


def _segments(row: Mapping[str, Any], item: Item) -> tuple[Segment, ...]:
    content = row.get("instance")
    if isinstance(content, str):
        return (Segment("", item.text({"instance": content}, "instance", required=False)),) if content else ()
    if not isinstance(content, dict):
        item.problem(_("the instance is neither a text nor an object"), field="instance", value=content, remedy=REMEDY)
        return ()
    texts = {
        name: value if isinstance(value, str) else str(value) for name, value in content.items() if value is not None
    }
    return item.segments(texts, "instance")


def _judgements(  # noqa: PLR0917 (one place calls it)
    row: Mapping[str, Any],
    criterion: str,
    scale: Scale,
    options: JudgeBenchOptions,
    item: Item,
    gone: Counter[str],
) -> list[Judgement] | None:
    """The instance's scores as judgements: one per position, or a number of unidentified people per label."""
    annotations = row.get("annotations")
    scored = annotations.get(criterion) if isinstance(annotations, dict) else None
    scores = scored.get(SCORES, []) if isinstance(scored, dict) else []
    if not isinstance(scores, list):
        item.problem(_("the scores are not a list"), field=f"{criterion}, {SCORES}", value=scores, remedy=REMEDY)
        return None
    labels: list[tuple[int, str]] = []
    is_bad = False
    for position, score in enumerate(scores, start=1):
        label = scale.label_of(score)
        if label is not None:
            labels.append((position, label))
        elif score is None or options.outside == "leave_out":
            gone[NOT_GIVEN if score is None else OUTSIDE] += 1
        else:
            is_bad = True
            item.problem(
                _("the score is none of the declared labels"),
                field=with_commas([criterion, filled(_("score {position}"), position=position)]),
                value=score,
                remedy=filled(
                    _("The labels are {names}; or set the option 'outside' to 'leave_out'."),
                    names=listed(scale.labels.names),
                ),
            )
    if is_bad:
        return None
    if options.raters == "position":
        return [Judgement(str(position), (label,)) for position, label in labels]
    counts = Counter(label for _, label in labels)
    return [Judgement("", (name,), counts[name]) for name in scale.labels.names if counts[name]]
