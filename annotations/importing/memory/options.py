"""What may be said about the files beside the files: declared once, used by API, commands and page."""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from annotations.errors import HLVError
from annotations.importing.memory.limits import SYSTEM_PART_LENGTH
from annotations.models import Task


class BadOption(HLVError):  # noqa: N818
    """An option that the format does not have, or a value that it cannot take."""

    code = "bad_option"


def _name_list(value: Any) -> Any:
    """Names may be written in one text: a JSON list, or names separated by semicolons or line breaks.

    >>> _name_list("Health; Wills, estates and probate")
    ['Health', 'Wills, estates and probate']
    """
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except json.JSONDecodeError as error:
            raise ValueError("this is neither a JSON list nor names separated by semicolons") from error
    return [name.strip() for name in value.replace("\n", ";").split(";") if name.strip()]


Names = Annotated[tuple[str, ...], BeforeValidator(_name_list)]
Part = Annotated[str, Field(max_length=SYSTEM_PART_LENGTH)]


class Options(BaseModel):
    """The base of all options: nothing unknown is let through."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TextOptions(Options):
    """What can be said about texts, where the data do not."""

    language: str = Field("en", max_length=20, description="The texts' language, where the data do not say it.")
    direction: Literal["ltr", "rtl"] = Field("ltr", description="The texts' direction, where the data do not say it.")


class DatasetOptions(TextOptions):
    """What can be said about a dataset of any format."""

    task: Literal["infer", "multiclass", "multilabel", "ordinal"] = Field(
        "infer", description="The task's kind; infer: from the data, and said in the report."
    )
    labels: Names = Field(
        (), description="The labels in order, separated by semicolons; empty: as they appear in the data."
    )
    exclusive: str = Field("", description="The label that cannot be chosen together with another one.")

    @property
    def declared_task(self) -> Task | None:
        """The task's kind, if it was said."""
        return None if self.task == "infer" else Task(self.task)


class SystemOptions(Options):
    """How the systems are named, where the files do not name them."""

    model: Part = Field("", description="The model's name; empty: as the file says or is named.")
    method: Part = Field("", description="The method's name.")
    run: Part = Field("", description="The run, such as a seed.")


def options_from(declared: type[Options], given: dict[str, Any]) -> Options:
    """The given values, checked; a plain sentence for each that is wrong."""
    try:
        return declared.model_validate(given)
    except ValidationError as error:
        sentences = []
        for detail in error.errors():
            name = ".".join(str(part) for part in detail["loc"])
            if detail["type"] == "extra_forbidden":
                known = ", ".join(declared.model_fields)
                sentences.append(f"There is no option {name!r} in this format (known: {known}).")
            else:
                sentences.append(f"Option {name!r}: {detail['msg']}.")
        raise BadOption(" ".join(sentences), options=[str(detail["loc"][0]) for detail in error.errors()]) from None
