"""The second half of `make lock`: constraints-training.txt, what training adds to the packages of constraints.txt.

Run in the virtual environment. It asks pip, as installing does, so that both find the same build of torch.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

from packaging.utils import canonicalize_name

from tests.tooling.prepare import ROOT, TRAINING

HEAD = "# Written by `make lock`: the versions of what requirements-training.txt adds to constraints.txt."
CUDA = ("nvidia-", "cuda-", "triton")
"""What torch's build for CUDA brings, at versions that it pins itself."""


def main() -> int:
    asked = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    asked += ["-r", str(TRAINING), "-c", str(ROOT / "constraints.txt")]
    report = json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    known = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    found = pins(report, known={line.partition("==")[0] for line in known})
    (ROOT / "constraints-training.txt").write_text("\n".join([HEAD, *found, ""]), encoding="utf-8")
    return 0


def pins(report: dict[str, Any], *, known: Iterable[str]) -> list[str]:
    """The packages that pip would install and that are not known yet, as constraints: the build does not matter.

    >>> of = [("torch", "2.13.0+cpu"), ("nvidia-nccl-cu13", "2.27"), ("numpy", "2.4.6"), ("hf_xet", "1.8.0")]
    >>> report = {"install": [{"metadata": {"name": name, "version": version}} for name, version in of]}
    >>> pins(report, known={"numpy"})
    ['hf-xet==1.8.0', 'torch==2.13.0']
    """
    found = {canonicalize_name(one["metadata"]["name"]): one["metadata"]["version"] for one in report["install"]}
    mine = {name: version for name, version in found.items() if name not in set(known) and not name.startswith(CUDA)}
    return sorted(f"{name}=={version.partition('+')[0]}" for name, version in mine.items())


if __name__ == "__main__":
    sys.exit(main())
