"""Numbers as a sentence says them: the answers of analyses are made of these."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 60
"""Characters of a name inside a sentence; a longer one is cut, and says so by its dots."""


def number(value: float, digits: int = 2) -> str:
    """A number as papers print it: no 0 before the point, a true minus sign.

    >>> number(0.617), number(-0.2), number(1.5), number(-0.001)
    ('.62', '−.20', '1.50', '.00')
    """
    text = f"{value:.{digits}f}"
    sign, size = ("−", text[1:]) if text.startswith("-") else ("", text)
    if not size.strip("0."):
        sign = ""
    return sign + (size[1:] if size.startswith("0.") else size)


def share(value: float) -> str:
    """A share in per cent.

    >>> share(0.467)
    '47 %'
    """
    return f"{100 * value:.0f} %"


def p_value(value: float) -> str:
    """A p-value, which is never 0.

    >>> p_value(0.0021), p_value(0.00001)
    ('p = .002', 'p < .001')
    """
    return "p < .001" if value < 0.001 else f"p = {number(value, 3)}"


def interval(low: float | None, high: float | None, level: float = 0.95) -> str:
    """An interval, both ends of it; empty where there is none.

    >>> interval(0.41, 0.771)
    '95 % interval .41 to .77'
    """
    return "" if low is None or high is None else f"{100 * level:g} % interval {number(low)} to {number(high)}"


def share_interval(low: float | None, high: float | None, level: float = 0.95) -> str:
    """The same of shares.

    >>> share_interval(0.38, 0.571)
    '95 % interval 38 to 57 %'
    """
    return "" if low is None or high is None else f"{100 * level:g} % interval {100 * low:.0f} to {share(high)}"


def name(text: str) -> str:
    """A name that somebody else chose, no longer than a sentence can bear.

    >>> name("x" * 100)[-2:]
    'x…'
    """
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def listed(names: Sequence[str], *, most: int = 3) -> str:
    """Names in a sentence, the later ones of many counted.

    >>> listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C", "D", "E"])
    ('A', 'A and B', 'A, B, C and 2 others')
    """
    shown = [name(one) for one in names]
    if len(shown) > most + 1:
        shown = [*shown[:most], f"{len(names) - most} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its word.

    >>> counted(1, "system"), counted(1200, "system")
    ('1 system', '1,200 systems')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def after(text: str, mark: str = ", ") -> str:
    """What is added to a sentence, with its mark; nothing for nothing.

    >>> after("p = .002"), after("")
    (', p = .002', '')
    """
    return f"{mark}{text}" if text else ""


def because(reason: str) -> str:
    """A reason that ends a sentence."""
    return (reason or "nothing is known of it").rstrip(".") + "."
