"""How many words of the documentation people read: `python -m tests.words [COMMIT]` counts them, page by page.

People read README.md and docs/*.md. They look things up in docs/reference, which is written from the code, and copy
what stands in blocks of code: neither is counted, nor are tables that a command wrote into a page, numbers in tables,
addresses of links and comments.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GENERATED = {"metrics.md", "permissions.md", "reproductions.md", "validity.md", "performance.md"}
"""Pages that commands wrote before they had a folder of their own: for counting earlier commits."""
WRITTEN = re.compile(r"^<!-- (\w+) -->\n.*?^<!-- /\1 -->$", re.DOTALL | re.MULTILINE)
"""What a command wrote into a page (tests/benchmarks/_page.py)."""
NOT_READ = re.compile(r"^```.*?^```|<!--.*?-->|</?(?:a|br|kbd)\b[^>\n]*>", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\([^)]*\)")


def words(page: str) -> int:
    """What has a letter in it, between spaces.

    >>> words("# Two words\\n\\n| 1.5 | [a link](images/far-away.webp) |\\n\\n```bash\\nnot these\\n```\\n")
    4
    """
    text = LINK.sub("]", NOT_READ.sub(" ", WRITTEN.sub(" ", page)))
    return sum(any(sign.isalpha() for sign in word) for word in text.split())


def pages() -> dict[str, str]:
    """The pages that people read, by name."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return {path.name: path.read_text(encoding="utf-8") for path in found}


def pages_at(commit: str) -> dict[str, str]:
    """The same at a commit."""

    def git(*command: str) -> str:
        return subprocess.run(("git", *command), cwd=ROOT, check=True, capture_output=True, text=True).stdout

    named = [name for name in git("ls-tree", "--name-only", commit, "README.md", "docs/").split() if name[-3:] == ".md"]
    found = {Path(name).name: git("show", f"{commit}:{name}") for name in named}
    return {name: text for name, text in found.items() if name not in GENERATED}


def main() -> None:
    counted = {name: words(text) for name, text in (pages_at(sys.argv[1]) if sys.argv[1:] else pages()).items()}
    for name, count in counted.items():
        sys.stdout.write(f"{count:7,}  {name}\n")
    sys.stdout.write(f"{sum(counted.values()):7,}  all\n")


if __name__ == "__main__":
    main()
