"""The examples in docstrings of what imports torch. pytest leaves these files out where it collects, so as not to load
torch in each of its processes."""

import doctest
from importlib import import_module

from metaeval.training.extra import ROOMS
from tests.conftest import ROOT
from tests.metaeval.training.needing import needs_training, torch_here

pytestmark = needs_training

FILES = [path for room in ROOMS for path in (ROOT / room.replace(".", "/")).rglob("*.py") if ">>> " in path.read_text()]


def test_every_example_gives_what_it_says() -> None:
    torch_here()
    assert len(FILES) > 3
    failed = {}
    for path in FILES:
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        failed[path.name] = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed
    assert not any(failed.values()), failed
