"""What can be wrong with a training, as sentences. Needs no torch."""

from annotations.ground.errors import Conflict, HLVError


class EncoderUnusable(HLVError):
    """The chosen encoder cannot be had, or cannot be trained as asked."""


class NothingToLearn(HLVError):
    """The lesson has no example, no text or a setting with which nothing can be learnt."""


class NotEnoughMemory(Conflict):
    """The fit needs more memory than is free."""


class OutOfStep(Conflict):
    """One of several processes that fit a model together has left the fit."""


class TrainingDiverged(Conflict):
    """The loss is no longer a number."""


_OUT_OF_MEMORY = ("out of memory", "allocate memory", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out. torch has an error of its own for graphics cards only."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _OUT_OF_MEMORY)
    )
