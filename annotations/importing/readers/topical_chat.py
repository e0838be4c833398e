"""Topical Chat as rated for USR (Mehri and Eskenazi 2020): 60 contexts, six responses each, three raters, six criteria.

One document, a list of contexts; each has its raters' codes and its responses, and each response has a list of scores
for every criterion, in the raters' order.
"""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from annotations.ground.progress import Progress
from annotations.importing.formats import DatasetReader, registered
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import DatasetTable, InstanceRow, Segment
from annotations.importing.reading.criteria import CriterionOptions, Scale, chosen_criterion, others_of_criterion
from annotations.importing.reading.documents import REMEDY, Item, only_file, read_document
from annotations.importing.reading.files import Files, HeadSign
from annotations.importing.reading.item_judgements import GatheredJudgements, JudgedOptions, Judgement
from annotations.shown.plurals import filled, with_commas

# The scales that the raters were given.
SCALES = {
    "Understandable": (0, 1),
    "Natural": (1, 3),
    "Maintains Context": (1, 3),
    "Engaging": (1, 3),
    "Uses Knowledge": (0, 1),
    "Overall": (1, 5),
}
TEXTS = ("context", "fact")


class TopicalChatOptions(CriterionOptions, JudgedOptions):
    responses: str = Field(
        "", description="Only the responses from this source, such as New Human Generated; empty: all."
    )


@registered
class TopicalChatReader(DatasetReader[TopicalChatOptions]):
    """The ratings of Topical Chat for USR.

    The published JSON document with the ratings for USR: each of the 360 responses is an instance (`1/Argmax
    Decoding`), with its context and fact, and its raters are identified by their codes. `criterion` names
    one of the six. `responses` restricts it to one source: the published tables of human uncertainty are based on the
    60 of `New Human Generated`.
    """

    name = "topical-chat"
    title = "Topical Chat"
    description = (
        "The JSON document of Topical Chat as rated for USR: six responses to each context, scored by three raters on "
        "six criteria, of which one is imported."
    )
    options = TopicalChatOptions
    shapes = (("context", "fact", "annotators", "responses"),)
    signs = (HeadSign(suffix=".json", head=(b'"responses"', b'"annotators"', b'"model"')),)
    told_by = "one"

    def read(self, files: Files, options: TopicalChatOptions, problems: Problems, progress: Progress) -> DatasetTable:
        file = only_file(files, problems)
        contexts = _contexts(read_document(file, problems, progress), file.name, problems)
        criteria = [name for name in SCALES if name in contexts[0]["responses"][0]]
        criterion = chosen_criterion(options.criterion, criteria, file.name, problems)
        low, high = SCALES[criterion]
        scale = Scale.of_points([str(point) for point in range(low, high + 1)], graded=True)
        judged = GatheredJudgements(options, problems)
        sources: dict[str, None] = {}
        responses = (
            (number, context, response)
            for number, context in enumerate(contexts, start=1)
            for response in context["responses"]
        )
        for number, context, response in responses:
            source = response.get("model")
            name = f"{number}/{source}"
            item = Item(problems, file.name, name)
            if not isinstance(source, str) or not source:
                item.problem(_("the source of the response is missing"), field="model", value=source, remedy=REMEDY)
                continue
            sources.setdefault(source)
            if options.responses in ("", source):
                text = InstanceRow(name, _segments(context, response, item), options.language, options.direction)
                judged.add(item, text, _judgements(context, response, criterion, scale, item))
        if options.responses and options.responses not in sources:
            problems.stop(
                file.name,
                _("no response is from this source"),
                field="responses",
                value=options.responses,
                remedy=filled(_("The sources are {sources}."), sources=listed(sources, most=20)),
            )
        judged.stop_if_useless(file.name)
        others = [name for name in criteria if name != criterion]
        return judged.table(scale.labels, [others_of_criterion(criterion, others)] if others else [])


def _contexts(document: Any, file: str, problems: Problems) -> list[dict[str, Any]]:
    if not isinstance(document, list) or not document:
        problems.stop(file, _("this is not a list of contexts"), value=type(document).__name__, remedy=REMEDY)
    for number, context in enumerate(document, start=1):
        responses = context.get("responses") if isinstance(context, dict) else None
        if (
            not isinstance(responses, list)
            or not responses
            or not all(isinstance(response, dict) for response in responses)
        ):
            problems.add(
                file,
                _("the context has no responses"),
                field=filled(_("context {number}"), number=number),
                remedy=REMEDY,
            )
    problems.stop_if_any()
    return document


def _segments(context: dict[str, Any], response: dict[str, Any], item: Item) -> tuple[Segment, ...]:
    about = tuple(Segment(name, item.text(context, name, required=False)) for name in TEXTS if context.get(name))
    return (*about, Segment("response", item.text(response, "response")))


def _judgements(
    context: dict[str, Any], response: dict[str, Any], criterion: str, scale: Scale, item: Item
) -> list[Judgement] | None:
    """The raters' scores with their codes; unidentified people if the context names none."""
    scores = response.get(criterion, [])
    raters = context.get("annotators")
    if not isinstance(scores, list):
        item.problem(_("the scores are not a list"), field=criterion, value=scores, remedy=REMEDY)
        return None
    if raters is None:
        raters = [""] * len(scores)
    elif not isinstance(raters, list) or not all(isinstance(code, str) for code in raters):
        item.problem(_("the raters are not a list of codes"), field="annotators", value=raters, remedy=REMEDY)
        return None
    elif not all(item.is_nameable(code, gettext_noop("the rater's code"), "annotators") for code in raters):
        return None
    if scores and len(scores) != len(raters):
        shown = filled(_("{scores} scores, {raters} raters"), scores=len(scores), raters=len(raters))
        item.problem(_("scores and raters differ in number"), field=criterion, value=shown, remedy=REMEDY)
        return None
    judgements = []
    for rater, score in zip(raters, scores, strict=False):
        label = scale.label_of(score)
        if label is None:
            reason = _("the score is not on the criterion's scale")
            remedy = filled(_("The scale is {names}."), names=with_commas(scale.labels.names))
            item.problem(reason, field=with_commas([criterion, rater or _("score")]), value=score, remedy=remedy)
            return None
        judgements.append(Judgement(rater, (label,)))
    return judgements
