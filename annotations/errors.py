"""One family of errors. A page or a script reads `code` and `data`; a person reads the sentence.

Needs no Django: the numeric library's registry raises them too. The sentences that stand here are translated where an
answer is made of them (annotations/api/errors.py).
"""

from typing import Any, ClassVar


def _(message: str) -> str:
    """Marks a sentence for the catalogues, as gettext_noop does."""
    return message


class HLVError(Exception):
    """Something that the caller can understand and fix.

    `code` is stable and for programs, `status` the HTTP status of the API's answer, `data` what a program
    may want to know, and the message a plain sentence that says what is wrong and what to do.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 400

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data = data


class NotAllowed(HLVError):
    """The person may not do this."""

    code = "not_allowed"
    status = 403


class Conflict(HLVError):
    """The state of things does not allow it now."""

    code = "conflict"
    status = 409


class NotFound(HLVError):
    """There is no such thing, or it is not for this person; which of them is not said."""

    code = "not_found"
    status = 404

    def __init__(self) -> None:
        super().__init__(_("There is nothing here, or you may not see it."))


class Withdrawn(Conflict):
    """The text identifies a person, and nobody is asked about it any more (annotations/answering/moderating.py)."""

    code = "withdrawn"

    def __init__(self) -> None:
        super().__init__(_("This text was withdrawn. You will not be asked about it again."))
