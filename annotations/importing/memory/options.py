"""Options about the files: declared once, used by the API, commands and pages; for these in plain words, too."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from annotations.ground import bounded_json
from annotations.ground.errors import HLVError
from annotations.ground.messages import marked
from annotations.importing.memory.limits import SYSTEM_PART_LENGTH, repeated_name
from annotations.models import Task

Part = Annotated[str, Field(max_length=SYSTEM_PART_LENGTH)]
LABELS: Mapping[str, str] = marked(
    {
        "absent": "Labels that are left out",
        "align": "Lines belong to items by",
        "bins": "Number of bins",
        "criterion": "Criterion",
        "delimiter": "Separator",
        "direction": "Writing direction",
        "exclusive": "Label that excludes others",
        "identifier": "Field with the id",
        "labels": "Labels",
        "language": "Language",
        "machines": "Machines",
        "method": "Method",
        "missing": "Texts without a prediction",
        "model": "Model",
        "outside": "Scores outside the labels",
        "predicts": "What is predicted",
        "raters": "Who gave the scores",
        "refused": "If one of several files is refused",
        "rescale": "Correct rounded sums",
        "responses": "Responses of one source",
        "run": "Run",
        "task": "Kind of task",
        "temperature": "Temperature",
        "texts": "Fields with the text",
        "unjudged": "Items without judgements",
        "votes": "Which judgements",
    }
)
REFUSE = marked({"refuse": "refuse the file", "leave_out": "leave them out"})
OPTIONS: Mapping[str, Mapping[str, str]] = marked(
    {
        "absent": {"refuse": "refuse the file", "zero": "their share is 0"},
        "align": {"id": "the id", "position": "the position"},
        "direction": {"ltr": "left to right", "rtl": "right to left"},
        "missing": REFUSE,
        "outside": REFUSE,
        "predicts": {
            "infer": "find out from the file",
            "distributions": "distributions",
            "annotations": "answers of every annotator",
        },
        "raters": {"unknown": "unknown people", "position": "one person per position"},
        "refused": {"refuse_all": "refuse all files", "leave_out": "leave that file out"},
        "task": {
            "infer": "find out from the data",
            "multiclass": "one label per text",
            "multilabel": "any number of labels",
            "ordinal": "a point on a scale",
        },
        "unjudged": REFUSE,
        "votes": {"new": "the hundred new ones", "old": "those of the original dataset"},
    }
)


class BadOption(HLVError):
    """An option that the format does not have, or an invalid value."""


def _name_list(value: Any) -> Any:
    """Names may be given as one text: a JSON list, or names separated by semicolons or line breaks.

    >>> _name_list("Health; Wills, estates and probate")
    ['Health', 'Wills, estates and probate']
    """
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return bounded_json.loads(value)
        except ValueError as error:
            raise ValueError(_("this is neither a JSON list nor names separated by semicolons")) from error
    return [name.strip() for name in value.replace("\n", ";").split(";") if name.strip()]


Names = Annotated[tuple[str, ...], BeforeValidator(_name_list)]


def _pairs(value: Any) -> Any:
    """Pairs of a label and its name may be given as one text: lines or entries such as `0=no`, or a JSON object.

    >>> _pairs("0=no, 1=yes"), _pairs("0 = No, never; 1 = Yes"), _pairs('{"a=b": "c"}')
    ((('0', 'no'), ('1', 'yes')), (('0', 'No, never'), ('1', 'Yes')), (('a=b', 'c'),))
    """
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            value = bounded_json.loads(value, object_pairs_hook=lambda found: [list(pair) for pair in found])
        except ValueError as error:
            raise ValueError(_("this is neither JSON nor pairs such as 0=no, 1=yes")) from error
    if isinstance(value, str):
        parts = value.replace("\n", ";").split(";") if "\n" in value or ";" in value else value.split(",")
        value = [part.partition("=")[::2] for part in parts if part.strip()]
    pairs = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(pairs, (list, tuple)) or not all(isinstance(pair, (list, tuple)) for pair in pairs):
        raise ValueError(_("use pairs such as 0=no, 1=yes"))
    named = tuple(tuple(part.strip() for part in pair if isinstance(part, str)) for pair in pairs)
    if any(len(pair) != 2 or not all(pair) for pair in named):
        raise ValueError(_("every label needs a name, such as 0=no, 1=yes"))
    if (twice := repeated_name(label for label, _ in named)) is not None:
        raise ValueError(_("the label {twice} is listed twice").format(twice=repr(twice)))
    return named


Pairs = Annotated[tuple[tuple[str, str], ...], BeforeValidator(_pairs)]


class Options(BaseModel):
    """The base of all options; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TextOptions(Options):
    """Options about texts, for what the data do not say."""

    language: str = Field(
        "en", max_length=20, description=gettext_noop("Language of the texts, if the data do not contain it.")
    )
    direction: Literal["ltr", "rtl"] = Field(
        "ltr", description=gettext_noop("Writing direction of the texts, if the data do not contain it.")
    )


class DatasetOptions(TextOptions):
    """Options about a dataset in any format."""

    task: Literal["infer", "multiclass", "multilabel", "ordinal"] = Field(
        "infer", description=gettext_noop("Kind of task. infer: determined from the data and stated in the report.")
    )
    labels: Names = Field(
        (), description=gettext_noop("The labels in order, separated by semicolons. Empty: in the order of the data.")
    )
    exclusive: str = Field("", description=gettext_noop("The label that cannot be combined with others."))

    @property
    def declared_task(self) -> Task | None:
        return None if self.task == "infer" else Task(self.task)


class NamingOptions(Options):
    """Options about the labels of a dataset in any format, in addition to the format's own."""

    label_names: Pairs = Field(
        (),
        description=gettext_noop(
            "Other names for the labels, such as 0=no, 1=yes. Labels that get the same name are merged."
        ),
    )


# `leave-out` is accepted too, because command options use hyphens.
HYPHENS = BeforeValidator(lambda value: value.replace("-", "_") if isinstance(value, str) else value)
Missing = Annotated[Literal["refuse", "leave_out"], HYPHENS]


def or_leave_out(remedy: str) -> str:
    """The remedy, and the alternative if instances lack a prediction."""
    other = _(
        "Or set the option 'missing' to 'leave_out': these instances are then never shown or scored for the system."
    )
    return f"{remedy} {other}"


class SystemOptions(Options):
    """What the systems are called if the files do not say, and whether they may lack instances."""

    model: Part = Field("", description=gettext_noop("Name of the model. Empty: taken from the file or its name."))
    method: Part = Field("", description=gettext_noop("Name of the method."))
    run: Part = Field("", description=gettext_noop("The run, such as a seed."))
    missing: Missing = Field(
        "refuse",
        description=gettext_noop(
            "Instances without a prediction: refuse them, or leave_out (they are never drawn or "
            "scored for that system, and the report counts them)."
        ),
    )


def dataset_options(declared: type[Options], given: dict[str, Any]) -> tuple[Options, tuple[tuple[str, str], ...]]:
    """A format's own options, checked, and the labels' other names."""
    own = {name: value for name, value in given.items() if name not in NamingOptions.model_fields}
    return options_from(declared, own), label_names_in(given)


def label_names_in(given: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """The labels' other names, checked; empty if none were given."""
    naming = options_from(
        NamingOptions, {name: value for name, value in given.items() if name in NamingOptions.model_fields}
    )
    return naming.label_names if isinstance(naming, NamingOptions) else ()


def options_from(declared: type[Options], given: dict[str, Any]) -> Options:
    """The given values, checked; a plain sentence for each that is wrong."""
    try:
        return declared.model_validate(given)
    except ValidationError as error:
        sentences = []
        for detail in error.errors():
            name = ".".join(str(part) for part in detail["loc"])
            if detail["type"] == "extra_forbidden":
                names = ", ".join(declared.model_fields)
                sentences.append(
                    _("This format has no option {name} (known options: {known}).").format(name=repr(name), known=names)
                )
            else:
                sentences.append(_("Option {name}: {detail}.").format(name=repr(name), detail=detail["msg"]))
        raise BadOption(" ".join(sentences), options=[str(detail["loc"][0]) for detail in error.errors()]) from None


def in_plain_words(schema: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a format's options, with what the page calls them and their values."""
    for name, option in schema.get("properties", {}).items():
        if label := LABELS.get(name):
            option["x-label"] = label
        words = OPTIONS.get(name)
        if words and "enum" in option:
            option["x-titles"] = [words.get(str(value), str(value)) for value in option["enum"]]
    return schema
