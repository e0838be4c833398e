"""What can be wrong with a training, as sentences. Needs no torch."""

from annotations.ground.errors import Conflict, HLVError


class EncoderUnusable(HLVError):
    """The chosen encoder cannot be had, or cannot be trained as asked."""

    code = "encoder_unusable"


class NothingToLearn(HLVError):
    """The lesson has no example, no text or a setting with which nothing can be learnt."""

    code = "nothing_to_learn"


class NotEnoughMemory(Conflict):
    """The fit needs more memory than is free."""

    code = "not_enough_memory"


class OutOfStep(Conflict):
    """One of several processes that fit a model together has left the fit."""

    code = "out_of_step"


class TrainingDiverged(Conflict):
    """The loss is no longer a number."""

    code = "training_diverged"


_OUT_OF_MEMORY = ("out of memory", "allocate memory", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out. torch has an error of its own for graphics cards only."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _OUT_OF_MEMORY)
    )
