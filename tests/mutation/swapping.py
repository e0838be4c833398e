"""Put a mutant's code into functions that are loaded: nothing is imported anew, and a mutant costs its tests only."""

import gc
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType

Key = tuple[str, str, int]
Functions = dict[Key, list[FunctionType]]


class NotSwappable(Exception):
    """The fault is not inside a function, or moves lines: the module has to be imported with it."""


def loaded_functions(files: Iterable[Path]) -> Functions:
    """Every function object that has been made from these files, by its code's file, name and line."""
    wanted = {str(path) for path in files}
    found: Functions = defaultdict(list)
    gc.unfreeze()  # what is frozen is not listed
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename in wanted:
            found[_key(one.__code__)].append(one)
    return found


def swap(functions: Functions, path: Path, before: str, after: str) -> None:
    """Give the functions in which two texts of a file differ the code of the second.

    Raises:
        NotSwappable: no loaded function differs, or something else does.
    """
    old, new = (compile(text, str(path), "exec", dont_inherit=True) for text in (before, after))
    pairs = [(functions[_key(one)], other) for one, other in _differing(old, new) if _key(one) in functions]
    if not pairs:
        raise NotSwappable
    for loaded, code in pairs:
        for function in loaded:
            if len(function.__code__.co_freevars) != len(code.co_freevars):
                raise NotSwappable
            function.__code__ = code


def _differing(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Pairs of codes at one place of both, the outer before the inner, which are not equal."""
    inner, others = ([one for one in code.co_consts if isinstance(one, CodeType)] for code in (old, new))
    for one, other in zip(inner, others, strict=False):
        if _key(one) != _key(other):
            return
        if one != other:
            yield one, other
            yield from _differing(one, other)


def _key(code: CodeType) -> Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno
