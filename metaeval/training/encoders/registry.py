"""The registry of encoders: one decorator in the file that defines one, nowhere else to edit.

An external package adds encoders with the same decorator and names the module that holds them in the entry-point group
``hlvstudy.encoders``. The files of this folder import no torch at their top, so that a page can list the encoders
without it; what computes is in reading/.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from annotations.ground.registry import Registry
from metaeval.training.errors import EncoderUnusable
from metaeval.training.lessons import EncoderChoice, Text

if TYPE_CHECKING:
    from metaeval.training.encoders.reading.reader import TextReader

FEWEST_TOKENS = 8
"""Room for the marks around two segments, and a few tokens of each."""


class Encoder(ABC):
    """A kind of encoder. Only `make` needs torch."""

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    """What it is good for, in one sentence for a researcher who chooses an encoder."""
    takes_path: ClassVar[bool] = False
    """Whether the choice must say where it is."""
    takes_adapters: ClassVar[bool] = False
    """Whether it can be trained with LoRA."""
    threads: ClassVar[int | None] = None
    """How many threads of the processor compute it; None: as many as torch is set to."""

    @abstractmethod
    def learning_rate(self, choice: EncoderChoice) -> float:
        """The learning rate if the lesson names none."""

    def check(self, choice: EncoderChoice) -> None:
        """Raise `EncoderUnusable` if the choice cannot work. Needs no torch, so that it can be asked at any time."""
        if choice.max_tokens < FEWEST_TOKENS:
            raise EncoderUnusable(
                f"max_tokens is {choice.max_tokens}; an encoder must read at least {FEWEST_TOKENS} tokens of a text."
            )
        if choice.lora and not self.takes_adapters:
            raise EncoderUnusable(f"LoRA is for pretrained encoders; the encoder {self.name!r} has no use for it.")
        if choice.path and not self.takes_path:
            raise EncoderUnusable(
                f"The encoder {self.name!r} takes no path ({choice.path!r} was given). "
                "Leave the path out, or choose the encoder 'pretrained'."
            )

    def fingerprint(self, choice: EncoderChoice) -> str:
        """SHA-256 of the files that it is read from; empty if there are none."""
        return ""

    @abstractmethod
    def make(self, choice: EncoderChoice, texts: Sequence[Text]) -> TextReader:
        """The encoder itself, for models that learn from `texts`. It may look at no other texts.

        Random weights come from torch's global generator, which the caller has seeded.
        """


encoders: Registry[Encoder] = Registry(
    "metaeval.training.encoders.*", kind="encoder", group="hlvstudy.encoders", by_name=False
)

Found = TypeVar("Found", bound=type[Encoder])


def encoder(found: Found) -> Found:
    """Register a class of encoders by its name."""
    encoders.register(found.name)(found())
    return found
