"""What a researcher can choose about a training, declared once for API, command and page; encoders included."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from django.conf import settings
from pydantic import AfterValidator, Field, ValidationError, model_validator

from annotations.ground.errors import HLVError
from metaeval.analyses.base.parameters import Parameters
from metaeval.training.lessons import EncoderChoice, FitSettings, Precision
from metaeval.training.registry import methods

SplitChoice = Literal["auto", "given", "folds", "shares"]
SMALL = "small"
"""The encoder that is made on the spot."""


class BadTraining(HLVError):
    """The parameters of a training are not what is declared; `fields` has sentences for each invalid one."""

    code = "invalid"

    def __init__(self, message: str, *, fields: Mapping[str, list[str]]) -> None:
        super().__init__(message)
        self.fields = dict(fields)


def _known(names: list[str]) -> list[str]:
    """In the order of the registry, each once."""
    all_names = methods.names()
    for name in names:
        if name not in all_names:
            raise ValueError(f"there is no method {name!r}; known: {', '.join(all_names)}")
    return [name for name in all_names if name in names]


MethodNames = Annotated[list[str], AfterValidator(_known)]


class TrainingParameters(Parameters):
    """Parameters of a training."""

    methods: MethodNames = Field(
        default=[], title="Methods", description="Names of the methods; if none are named, all that apply to the data."
    )
    encoder: str = Field(
        default=SMALL,
        title="Encoder",
        max_length=1000,
        description="What reads the texts: small (a transformer made on the spot), or a Hugging Face encoder in a "
        "folder.",
    )
    model: str = Field(
        default="",
        title="Name of the model",
        max_length=100,
        description="What the new systems' model is called; if empty, the encoder's name.",
    )
    runs: int = Field(
        default=3, ge=1, le=100, title="Runs", description="How often each method is trained, with different seeds."
    )
    split: SplitChoice = Field(
        default="auto",
        title="Split",
        description="given (the files' own training, development and test parts), folds (every text is predicted "
        "once), shares (8:1:1), or auto: given if there is one, else folds.",
    )
    folds: int = Field(default=10, ge=2, le=100, title="Folds", description="How many, if the split is folds.")
    stratify: bool = Field(
        default=False, title="Stratify", description="Give every part about the same share of each majority label."
    )
    search: int = Field(
        default=0,
        ge=0,
        le=1000,
        title="Search",
        description="How many learning rates and batch sizes are tried on the development part for each method; 0: "
        "none.",
    )
    learning_rate: float | None = Field(
        default=None,
        gt=0,
        le=1,
        title="Learning rate",
        description="Without a search; if empty, the one that suits the encoder.",
    )
    batch_size: int = Field(
        default=32, ge=1, le=4096, title="Batch size", description="Texts per step, without a search."
    )
    epochs: int = Field(default=10, ge=1, le=1000, title="Epochs", description="How often the texts are read.")
    max_tokens: int = Field(
        default=512, ge=8, le=100_000, title="Longest text", description="In tokens; longer texts are cut."
    )
    annotations_per_text: int | None = Field(
        default=None,
        ge=1,
        le=10_000,
        title="Annotations per text and epoch",
        description="Repeated labelling reads every annotation in every epoch; with a number, it draws that many per "
        "text, anew for each epoch, which is the same in expectation.",
    )
    lora: bool = Field(
        default=False, title="LoRA", description="Train adapters in place of all weights, for large encoders."
    )
    precision: Precision = Field(
        default="auto", title="Precision", description="Of the computation; auto: bf16 where the device is fast in it."
    )

    @model_validator(mode="after")
    def _search_or_rate(self) -> TrainingParameters:
        if self.search and self.learning_rate is not None:
            raise ValueError("with a search, the learning rate is searched; leave one of them out")
        return self

    @property
    def settings(self) -> FitSettings:
        """Of a fit without a search, for a method whose epoch is not drawn."""
        return FitSettings(learning_rate=self.learning_rate, batch_size=self.batch_size, epochs=self.epochs)


def titles() -> dict[str, str]:
    """What each parameter is called, as declared."""
    return {name: field.title or name for name, field in TrainingParameters.model_fields.items()}


def validated(parameters: Mapping[str, object]) -> TrainingParameters:
    """The parameters with defaults filled in; raises `BadTraining`."""
    try:
        return TrainingParameters.model_validate(dict(parameters))
    except ValidationError as error:
        fields: dict[str, list[str]] = {}
        for problem in error.errors():
            where = ".".join(map(str, problem["loc"])) or "parameters"
            fields.setdefault(where, []).append(problem["msg"].removeprefix("Value error, ").rstrip("."))
        reasons_given = "; ".join(f"{name}: {reason}" for name, reasons in fields.items() for reason in reasons)
        raise BadTraining(f"The training cannot be prepared. {reasons_given}.", fields=fields) from error


ON_THE_SPOT = (SMALL, "tfidf")
"""Encoders without a folder: a small transformer, and frozen word counts, for tests of the plumbing only."""
A_FOLDER = "config.json"
"""The file that every Hugging Face folder has."""


class UnknownEncoder(HLVError):
    """There is no such encoder here."""


def offered() -> list[str]:
    """What the page offers: the small encoder, and the folders in `HLV_ENCODERS`."""
    root = Path(settings.HLV_ENCODERS) if settings.HLV_ENCODERS else None
    if root is None or not root.is_dir():
        return [SMALL]
    return [SMALL, *sorted(folder.name for folder in root.iterdir() if (folder / A_FOLDER).is_file())]


def resolved(encoder: str, *, any_folder: bool) -> str:
    """The encoder as it is stored: a name of `ON_THE_SPOT`, an absolute folder, or a name on the hub.

    Args:
        any_folder: whether folders outside `HLV_ENCODERS` may be named, as by a command on this machine.

    Raises:
        UnknownEncoder: there is no such folder, or it may not be named here.
    """
    if encoder in ON_THE_SPOT and (any_folder or encoder == SMALL):
        return encoder
    if encoder in offered():
        return str((Path(settings.HLV_ENCODERS) / encoder).resolve())
    if any_folder and (Path(encoder) / A_FOLDER).is_file():
        return str(Path(encoder).resolve())
    if settings.HLV_ENCODER_HUB and encoder.count("/") == 1 and not Path(encoder).exists():
        return encoder
    if any_folder:
        raise UnknownEncoder(
            f"There is no encoder in {encoder!r}: a folder with a {A_FOLDER}, as save_pretrained writes it, was "
            "expected. Names on a hub need HLV_ENCODER_HUB=1."
        )
    raise UnknownEncoder(f"There is no encoder {encoder!r} here. Choose one of: {', '.join(offered())}.")


def called(encoder: str) -> str:
    """What systems of this encoder are called unless the researcher says otherwise.

    >>> called("/models/twhin-bert-base"), called("small")
    ('twhin-bert-base', 'small transformer')
    """
    return "small transformer" if encoder == SMALL else Path(encoder).name


def choice_of(parameters: TrainingParameters) -> EncoderChoice:
    """What the trainer needs to know, from stored parameters."""
    on_the_spot = parameters.encoder in ON_THE_SPOT
    return EncoderChoice(
        name=parameters.encoder if on_the_spot else "pretrained",
        path="" if on_the_spot else parameters.encoder,
        lora=parameters.lora,
        max_tokens=parameters.max_tokens,
        precision=parameters.precision,
        hub=settings.HLV_ENCODER_HUB,
    )
