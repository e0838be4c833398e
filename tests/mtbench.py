"""docs/mtbench.md from the real votes: `python -m tests.mtbench FOLDER`, with the folder of the real files, types the
page's own commands in an empty checkout and puts the tables and figures that they write in place of the old ones."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from tests.clean_shell import ROOT, blocks, fresh_checkout, loops, typed

PAGE = ROOT / "docs" / "mtbench.md"
IMAGES = ROOT / "docs" / "images"
TABLE = re.compile(r"(<!-- ([\w-]+\.md) -->\n).*?(<!-- end -->)", re.DOTALL)
"""A table, between the name of the file that a command writes it to and the end."""


def with_tables_of(folder: Path, page: str) -> str:
    """The page with the tables that lie in the folder."""
    return TABLE.sub(lambda told: told[1] + (folder / told[2]).read_text(encoding="utf-8") + told[3], page)


def main(data: Path) -> None:
    with tempfile.TemporaryDirectory() as made:
        out = Path(made) / "out"
        out.mkdir()
        checkout = fresh_checkout(Path(made) / "checkout")
        sys.stdout.write(typed("\n".join(blocks(PAGE)), at=checkout, HLV_DATA=data, OUT=out, **loops()))
        PAGE.write_text(with_tables_of(out, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        for figure in out.glob("*.svg"):
            shutil.copyfile(figure, IMAGES / figure.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
