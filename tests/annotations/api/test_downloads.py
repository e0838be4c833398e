"""The name of a file that is sent can neither end its header nor hide what it is."""

import re
from pathlib import Path

from django.http import HttpResponse
from hypothesis import given
from hypothesis import strategies as st

from annotations.api.downloads import attachment

ROOT = Path(__file__).resolve().parents[3]


@given(
    st.text() | st.sampled_from(['a"\r\nSet-Cookie: x=1\r\n', "../../etc/passwd", "\u202egnp.exe", "", "..", "a" * 900])
)
def test_any_name_makes_one_header_with_one_name(name: str) -> None:
    header = HttpResponse(headers=attachment(name))["Content-Disposition"]
    assert re.fullmatch(r"attachment; filename(=\"[^\"/\\]+\"|\*=utf-8''[^\s/\";]+)", header)
    assert not re.search(r"[\x00-\x1f]|%0[0-9ad]|%2F|%5C", header, re.IGNORECASE)


def test_no_other_code_writes_that_header() -> None:
    """By construction: one function makes it, and Django's FileResponse."""
    own = [one for folder in ("annotations", "metaeval", "hlvstudy") for one in (ROOT / folder).rglob("*.py")]
    found = [one.name for one in own if "attachment; filename" in one.read_text()]
    assert set(found) <= {"downloads.py"}
