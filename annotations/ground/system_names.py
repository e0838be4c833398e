"""What systems are called: model, method and run as one name, and back. Needs no Django."""

from __future__ import annotations

SEPARATOR = " / "


def system_name(model: str, method: str = "", run: str = "") -> str:
    """For people to read: model, method and run, leaving out empty ones.

    >>> system_name("RoBERTa", "ReL", "0"), system_name("RoBERTa", "", "0")
    ('RoBERTa / ReL / 0', 'RoBERTa / 0')
    """
    return SEPARATOR.join(part for part in (model, method, run) if part)


def parts_of_name(name: str) -> tuple[str, str, str]:
    """The model, method and run in a system's full name. Two parts are model and method.

    >>> parts_of_name("RoBERTa / ReL / 0"), parts_of_name("RoBERTa")
    (('RoBERTa', 'ReL', '0'), ('RoBERTa', '', ''))
    """
    model, method, run = [*(part.strip() for part in name.split(SEPARATOR, 2)), "", ""][:3]
    return model, method, run
