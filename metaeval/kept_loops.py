"""Where Numba keeps the machine code of a loop: by the name of its package, not by the path of the checkout.

So every checkout on a machine finds what another one has compiled from the same sources. Numba imports this when it
looks for a place (`metaeval/compiled.py`).
"""

from __future__ import annotations

from pathlib import Path

from numba.core.caching import UserProvidedCacheLocator

from metaeval.compiled import PACKAGE


class ByPackage(UserProvidedCacheLocator):
    """The user's folder, as without this class, except for what is below it."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """The folder for the loops of a file; for a file of another package, Numba's own choice."""
        folder = Path(py_file).resolve().parent
        if not folder.is_relative_to(PACKAGE.resolve()):
            return str(super().get_suitable_cache_subpath(py_file))  # type: ignore[no-untyped-call]
        return ".".join(folder.relative_to(PACKAGE.resolve().parent).parts)
