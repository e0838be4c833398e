"""One family of errors. A page or a script reads `code` and `data`; a person reads the sentence.

Needs no Django: the numeric library's registry raises them too. The sentences in this file are translated when a
response is made from them (annotations/api/errors.py).
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from annotations.ground.messages import marked as _


class HLVError(Exception):
    """Something that the caller can understand and fix.

    `code` is stable and meant for programs: the class's name in snake case, unless the class says otherwise
    (tests/annotations/ground/test_error_codes.py lists all). `status` is the HTTP status of the API's response, `data`
    is what a program may want to know, and the message is a plain sentence that says what is wrong and what to do.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 400

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "code" not in vars(cls):
            cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data = data


class NotAllowed(HLVError):
    """The person may not do this."""

    status = 403


class Conflict(HLVError):
    """The current state does not allow it."""

    status = 409


class NotFound(HLVError):
    """It does not exist, or this person may not see it; the error does not say which."""

    status = 404

    def __init__(self) -> None:
        super().__init__(_("There is nothing here, or you may not see it."))


class Withdrawn(Conflict):
    """The text identifies a person and is no longer shown to experts (annotations/answering/moderating.py)."""

    def __init__(self) -> None:
        super().__init__(_("This text was withdrawn. You will not be asked about it again."))


class InputName(str):
    """A note on an exception that names an input which was being computed: a study, a stage, an expert's number, a
    system. It may be shown to whoever started the computation, so never a text, an answer or an address."""

    __slots__ = ()


@contextmanager
def naming(*names: str | Callable[[], str]) -> Iterator[None]:
    """Name the input of what is computed inside, for an error that nobody foresaw; a callable is asked when it occurs.

    >>> try:
    ...     with naming("study pilot"), naming("step 1", lambda: "expert 3"):
    ...         raise ZeroDivisionError
    ... except ZeroDivisionError as error:
    ...     input_names(error)
    ['study pilot', 'step 1', 'expert 3']
    """
    try:
        yield
    except Exception as error:
        for name in reversed(names):
            if text := name() if callable(name) else name:
                error.add_note(InputName(text))
        raise


def input_names(error: BaseException) -> list[str]:
    """The inputs that were named around an error, the widest first."""
    notes: list[object] = getattr(error, "__notes__", [])
    return [str(note) for note in reversed(notes) if isinstance(note, InputName)]
