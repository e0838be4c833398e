"""The optional packages that training needs, and what to say where they are absent. Loads none of them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from annotations.ground.errors import HLVError
from annotations.ground.messages import marked

PACKAGES = ("torch", "transformers", "tokenizers", "peft", "accelerate", "safetensors")
"""Those of requirements-training.txt, which are imported by these names."""
ROOMS = ("metaeval.training.losses", "metaeval.training.encoders", "metaeval.training.fitting")
"""What computes with them, and alone imports them."""
INSTALL = "pip install 'hlvstudy[training]'"
NOT_INSTALLED = marked(
    "Nothing can be trained here, because torch and what belongs to it are not installed. "
    "Run: pip install 'hlvstudy[training]'"
)
QUEUE = "training"
"""The queue of the jobs that train, so that only workers with these packages take them."""


class TrainingNotInstalled(HLVError):
    """Something is to be trained, and the packages for it are absent."""

    status = 501


def absent() -> list[str]:
    """The names of the packages that cannot be imported here.

    >>> set(absent()) <= set(PACKAGES)
    True
    """
    return [name for name in PACKAGES if not _is_there(name)]


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # whoever blocks imports, or has put something else in its place
        return False


def is_installed() -> bool:
    """Whether something can be trained here."""
    return not absent()


def versions() -> dict[str, str]:
    """The versions of the packages that are here, read from what was installed."""
    versions_of = {}
    for name in PACKAGES:
        try:
            versions_of[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions_of


def refuse_without_extra() -> None:
    """Raise `TrainingNotInstalled`, with the names of the packages that are absent, if nothing can be trained here."""
    if names := absent():
        raise TrainingNotInstalled(NOT_INSTALLED, packages=names)
