"""A registry is whole for everybody who asks, also for two who ask at once for the first time."""

import importlib
import sys
import threading
from itertools import count

import pytest

from annotations.ground.registry import BrokenEntry, Registry

NUMBER = count()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one module, with the given lines in it; and the registry that knows it."""
    name = f"entries_{next(NUMBER)}"
    monkeypatch.syspath_prepend(tmp_path)

    def make(*lines):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        (folder / "one.py").write_text("\n".join(["import sys, time", f"known = sys.modules['{name}'].known", *lines]))
        registry = Registry(f"{name}.*", kind="thing")
        monkeypatch.setattr(importlib.import_module(name), "known", registry, raising=False)
        return registry

    yield make
    for module in (name, f"{name}.one"):
        sys.modules.pop(module, None)


def test_who_asks_while_entries_are_imported_waits_for_them(package):
    registry = package("time.sleep(0.2)", "known.register('slow')(1)")
    start, answers = threading.Barrier(4), []

    def ask():
        start.wait()
        answers.append(registry.names())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [["slow"]] * 4


def test_a_module_may_ask_while_it_is_imported(package):
    registry = package("known.register('early')(1)", "assert known.names() == ['early']", "known.register('late')(2)")
    assert registry.names() == ["early", "late"]


def test_an_entry_that_cannot_be_loaded_fails_everybody_who_asks_with_its_name(package):
    registry = package("known.register('half')(1)", "raise RuntimeError('broken')")
    for ask in (registry.names, lambda: registry.get("half"), lambda: list(registry)):
        with pytest.raises(BrokenEntry, match=r"entries_\d+\.one .*RuntimeError: broken"):
            ask()


def test_entries_may_lie_in_a_named_module_of_every_folder(tmp_path, monkeypatch):
    name = f"entries_{next(NUMBER)}"
    for folder in ("first", "second", "without"):
        (tmp_path / name / folder).mkdir(parents=True)
        (tmp_path / name / folder / "__init__.py").write_text("")
    (tmp_path / name / "__init__.py").write_text(
        "from annotations.ground.registry import Registry\n"
        f"known = Registry('{name}.*.entry', kind='thing', by_name=False)\n"
    )
    for folder, entry in (("first", "z"), ("second", "a")):
        (tmp_path / name / folder / "entry.py").write_text(f"from {name} import known\nknown.register('{entry}')(1)\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert importlib.import_module(name).known.names() == ["z", "a"]  # as registered: the folders by their names
