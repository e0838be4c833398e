"""Names of files that are sent: whatever they hold, they stay one name in one header."""

import re

from django.utils.http import content_disposition_header

LONGEST = 150
_NOT_IN_A_NAME = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff/\\:*?"<>|]+')


def attachment(name: str) -> dict[str, str]:
    """The header of a file to be saved under this name; what no system takes in a name becomes `_`.

    >>> attachment("über.csv")["Content-Disposition"]
    "attachment; filename*=utf-8''%C3%BCber.csv"
    >>> attachment('a"; x=\\r\\ny/../z.csv')["Content-Disposition"]
    'attachment; filename="a_; x=_y_.._z.csv"'
    """
    safe = _NOT_IN_A_NAME.sub("_", name).strip(" .") or "file"
    stem, dot, ending = safe.rpartition(".")
    if len(safe) > LONGEST:
        safe = f"{stem[: LONGEST - len(ending) - 1]}.{ending}" if dot and len(ending) < 10 else safe[:LONGEST]
    return {"Content-Disposition": content_disposition_header(as_attachment=True, filename=safe) or ""}
