"""What browser tests look for by name they look for by its whole name.

Playwright takes a string for a part of what is meant: "Begin" finds "Begin without practice" and, a moment earlier,
"Begin: Areas of law" on another page. A name that varies is a pattern.
"""

import ast

from tests.conftest import ROOT

FILES = sorted(
    path
    for folder in ("browser", "benchmarks")
    for path in (ROOT / "tests" / folder).rglob("*.py")
    if "get_by_" in path.read_text(encoding="utf-8")
)
BY_WORDS = {"get_by_text", "get_by_label", "get_by_placeholder", "get_by_title", "get_by_alt_text"}


def inexact(source: str) -> list[str]:
    """Every locator in a file that a part of a name would satisfy."""
    calls = [one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Call)]
    return [f"line {call.lineno}: {ast.unparse(call)}" for call in calls if is_inexact(call)]


def is_inexact(call: ast.Call) -> bool:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    options = {one.arg: one.value for one in call.keywords}
    wanted = options.get("name") if method == "get_by_role" else call.args[0] if method in BY_WORDS else None
    if wanted is None:
        return False
    is_pattern = isinstance(wanted, ast.Call) and ast.unparse(wanted.func) == "re.compile"
    is_exact = "exact" in options and ast.unparse(options["exact"]) == "True"
    return not (is_pattern or is_exact)


def test_the_check_finds_a_part_of_a_name_and_lets_whole_ones_and_patterns_pass() -> None:
    assert inexact('page.get_by_role("link", name="Begin").click()')
    assert inexact('page.get_by_label("Password", exact=False)')
    assert inexact('page.get_by_text(f"{done} of ")')
    assert not inexact('page.get_by_role("link", name="Begin", exact=True)')
    assert not inexact('page.get_by_text(re.compile("^Saved"))')
    assert not inexact('page.get_by_role("slider")')
    assert len(FILES) > 20


def test_locators_are_exact() -> None:
    looked_at = {path.relative_to(ROOT).as_posix(): inexact(path.read_text(encoding="utf-8")) for path in FILES}
    assert {file: places for file, places in looked_at.items() if places} == {}
