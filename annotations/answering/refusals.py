"""Why an answer is not stored."""

from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict, HLVError


class KeyReused(Conflict):
    """The key was already used to store something else."""

    code = "key_reused"


class NotAccepting(Conflict):
    """The study is not accepting answers at the moment."""

    code = "not_accepting"


class StepLocked(Conflict):
    """Step 2 has been shown, so step 1 can no longer change."""

    code = "step_locked"


class Step1Missing(Conflict):
    """Step 2 cannot be answered before step 1."""

    code = "step_1_missing"


class AlreadyAnswered(Conflict):
    """The assignment already has a different answer."""

    code = "already_answered"


class CorrectionClosed(Conflict):
    """The expert has guessed which side was the human one, so the answer can no longer change."""

    code = "correction_closed"

    def __init__(self) -> None:
        super().__init__(_("You have since guessed about this text, so your answer stays as it is."))


class IdenticalSides(HLVError):
    """Both sides look the same, but the answer prefers one."""

    code = "identical_sides"


class InvalidCertainty(HLVError):
    """Not a number from 0 to 1."""

    code = "invalid_certainty"
