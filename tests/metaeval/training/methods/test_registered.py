"""The methods are found in the paper's order, others' after them, and none loads torch before something is trained."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metaeval.training.registry import methods
from tests.processes import BYTECODE

ROOT = Path(__file__).resolve().parents[4]
OF_THE_PAPER = ["ReL", "MV", "AR", "ARh", "AL", "SL", "SLMV", "AE", "AEh", "JSD", "SmF1", "SMF1", "LA-min", "LA-max"]
HEAVY = {"torch", "transformers", "django", "pandas", "scipy"}

OURS = """
from metaeval.training.registry import TrainingMethod, method
from metaeval.training.targets import Targets


@method
class Agreed(TrainingMethod):
    name = "ours"
    title = "texts on which all agree"
    learns = "The shares of texts on which all agree."
    source = "us"

    def targets(self, judgements):
        return Targets.one_each(judgements, judgements.shares)

    def loss(self, task):
        from metaeval.training.losses import JensenShannon

        return lambda logits, batch: JensenShannon(task)(logits[:, 0], batch.value)
"""


def printed(code: str, *folders: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(map(str, folders)), **BYTECODE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def packaged(folder: Path, content: str) -> Path:
    """What an installed package with one module leaves in its folder."""
    (folder / "our_methods.py").write_text(content)
    about = folder / "our_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: our-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[hlvstudy.methods]\nours = our_methods\n")
    return folder


def test_methods_are_in_the_papers_order_and_others_after_them() -> None:
    assert methods.names()[:14] == OF_THE_PAPER


def test_the_order_is_the_same_whichever_file_is_imported_first() -> None:
    code = (
        "import metaeval.training.methods.aggregation; from metaeval.training.registry import methods; "
        "print(*methods.names())"
    )
    assert printed(code).split()[:14] == OF_THE_PAPER


def test_what_each_method_says_of_itself_is_its_own() -> None:
    for said in ("title", "learns"):
        texts = [getattr(entry, said) for entry in methods]
        assert len(set(texts)) == len(texts)
    assert all(entry.learns.endswith(".") and entry.source for entry in methods)


def test_properties_that_restrict_a_method() -> None:
    published = [methods.get(name) for name in OF_THE_PAPER]
    assert [entry.name for entry in published if entry.needs_people] == ["AR", "ARh", "AE", "AEh"]
    assert [entry.name for entry in published if entry.reads_whole_batch] == ["SmF1", "SMF1"]
    assert [entry.name for entry in published if "multilabel" not in entry.tasks] == ["AL"]
    assert all("multiclass" in entry.tasks for entry in published)


def test_targets_and_predictions_of_all_methods_load_no_torch() -> None:
    code = f"""
import sys
import metaeval.training.methods
loaded = {HEAVY} & set(sys.modules)
from metaeval.training.registry import methods
from metaeval.training.applying import troubles, why_not
from tests.metaeval.training.methods.given import judgements
given = judgements("1A 2B", "1B 2B")
for method in methods:
    assert why_not(method, given) == ""
    heads = len(method.targets(given).heads)
    method.predict(given.chosen[:, None].repeat(heads, axis=1), "multiclass")
troubles(given)
print(sorted(loaded), "torch" in sys.modules)
"""
    assert printed(code) == "[] False"


def test_a_package_adds_a_method_through_the_entry_point(tmp_path: Path) -> None:
    code = """
from metaeval.training.registry import methods
from tests.metaeval.training.methods.given import judgements
ours = methods.get("ours")
print(methods.names()[-1], ours.targets(judgements("1A 2B")).value.tolist())
"""
    assert printed(code, packaged(tmp_path, OURS)) == "ours [[0.5, 0.5]]"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("raise ImportError('gone')", "(ImportError: gone)"),
        (OURS.replace('"ours"', '"SL"'), "(ValueError: two training methods are named 'SL')"),
    ],
)
def test_a_package_that_cannot_be_loaded_is_named_to_everybody(tmp_path: Path, content: str, said: str) -> None:
    code = """
from annotations.ground.registry import BrokenEntry
from metaeval.training.registry import methods
try:
    methods.get("SL")
except BrokenEntry as error:
    print(error)
"""
    found = printed(code, packaged(tmp_path, content))
    assert found.startswith(
        f"No training method can be used, because our_methods of the package our-package cannot be loaded {said}"
    )
