"""How an analysis is presented to people who do not know it: a question, what its answer looks like, and the answer.

Each analysis declares this (`PlainWords`) where it is registered, and its answer beside its result. An answer is made
of the sentences' parts below: numbers, names and reasons. It has a headline and, on a line of its own, what a reader
must know about it: see `answered`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from annotations.ground.units import Exchangeable
from metaeval.analyses.inputs import SubjectKind

QuestionGroup = Literal["The metrics", "The systems", "The experts", "The study itself", "Planning", "Other"]
GROUPS: tuple[QuestionGroup, ...] = get_args(QuestionGroup)

Need = Literal["answers", "preferences", "experts", "annotations", "systems", "three systems"]
"""What must exist before a question can be answered (`metaeval.jobs.readiness`)."""

COMPARED, STATISTICS, EXPERT = "What is compared", "Statistics", "Advanced statistics"
PARAMETER_GROUPS = (COMPARED, STATISTICS, EXPERT)
GROUP_KEY = "x-group"
"""The key in a parameter's JSON Schema for its group."""

MOST = 1000
"""The maximum number of characters of an answer: one to three sentences, with names that others chose."""

ALPHA = 0.05
"""A p-value below this rejects, everywhere in the answers."""

LONGEST = 60
"""Characters of a name inside a sentence; longer names are cut and end in dots."""

LONGEST_REASON = 160
"""The same for a reason."""

MOST_DIGITS = 8

COMMON = frozenset(
    {"Accuracy", "Average", "Class-wise", "Cross-entropy", "Distribution", "Entropy", "Expected", "Macro", "Micro",
     "Multilabel", "Ranking", "Soft", "Total"}
)  # fmt: skip
"""First words of titles that are not names: lower case inside a sentence."""

SPELLED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, kw_only=True)
class PlainWords:
    """An analysis as a question."""

    question: str
    group: QuestionGroup = "Other"
    shows: str = ""
    """What its answer looks like, and what it needs: one sentence each."""
    place: int = 50
    """Its order among the questions of its group, ascending."""
    is_preset: bool = False
    """Whether this is the question that a study is about, offered before all others."""
    needs: Mapping[SubjectKind, Sequence[Need]] = field(default_factory=dict)
    compared: Sequence[str] = ()
    """The parameters that say what is compared."""
    statistics: Sequence[str] = ()
    """The statistical parameters that many will want to set. All others are advanced."""
    answer: Callable[[Any], str] = lambda _: ""
    """One to three plain sentences from the analysis's own result: a headline and, on a second line, details
    (`answered`). They claim nothing that its tables do not support; docs/results.md has the rules."""

    @property
    def order(self) -> int:
        """Its position among all questions."""
        return -1 if self.is_preset else 100 * GROUPS.index(self.group) + self.place

    def group_of(self, parameter: str) -> str:
        """The group of a parameter."""
        if parameter in self.compared:
            return COMPARED
        return STATISTICS if parameter in self.statistics else EXPERT


def answered(headline: str, *details: str) -> str:
    """An answer: its headline and, after a line break, its details. Empty details are left out.

    >>> answered("A is first.", "", "B is undefined.")
    'A is first.\\nB is undefined.'
    """
    more = " ".join(detail for detail in details if detail)
    return f"{headline}\n{more}" if more else headline


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
    """A share in per cent; almost none and almost all are not rounded to none and all.

    >>> share(0.467), share(0.003), share(0.998), share(1.0)
    ('47%', 'under 1%', 'over 99%', '100%')
    """
    if 0 < value < 0.005:
        return "under 1%"
    return "over 99%" if 0.995 <= value < 1 else f"{100 * value:.0f}%"


def p_value(value: float) -> str:
    """A p-value: never 0, and always printed on the correct side of .05.

    >>> p_value(0.0021), p_value(0.00001), p_value(0.04996)
    ('p = .002', 'p < .001', 'p = .04996')
    """
    digits = 3
    while digits < MOST_DIGITS and (round(value, digits) < ALPHA) != (value < ALPHA):
        digits += 1
    if value < 0.001:
        return "p < .001"
    return "p = 1" if value >= 0.9995 else f"p = {number(value, digits)}"


def interval(low: float | None, high: float | None, level: float = 0.95, *, digits: int = 2) -> str:
    """An interval, with both ends; empty if there is none.

    >>> interval(0.41, 0.771)
    '95% interval .41 to .77'
    """
    if low is None or high is None:
        return ""
    return f"{100 * level:g}% interval {number(low, digits)} to {number(high, digits)}"


def share_interval(low: float | None, high: float | None, level: float = 0.95) -> str:
    """The same for shares.

    >>> share_interval(0.38, 0.571)
    '95% interval 38 to 57%'
    """
    return "" if low is None or high is None else f"{100 * level:g}% interval {100 * low:.0f} to {100 * high:.0f}%"


def share_range(low: float, high: float) -> str:
    """Both ends of a range of shares.

    >>> share_range(0.38, 0.571)
    '38 to 57%'
    """
    return f"{100 * low:.0f} to {100 * high:.0f}%"


def name(text: str) -> str:
    """A name that someone else chose, cut to fit into a sentence.

    >>> name("x" * 100)[-2:]
    'x…'
    """
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def inside(title: str) -> str:
    """A title inside a sentence.

    >>> inside("Soft micro F1"), inside("PO-JSD"), inside("Jensen-Shannon distance")
    ('soft micro F1', 'PO-JSD', 'Jensen-Shannon distance')
    """
    return title[:1].lower() + title[1:] if title.partition(" ")[0] in COMMON else title


def listed(names: Sequence[str], *, most: int = 3, last: str = "and") -> str:
    """Names in a sentence; of many names, only the first are listed and the rest are counted.

    >>> listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C", "D", "E"])
    ('A', 'A and B', 'A, B, C and two others')
    """
    shown = [name(text) for text in names]
    if len(shown) > most + 1:
        shown = [*shown[:most], f"{spelled(len(names) - most)} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def counted(count: int, singular: str, plural: str = "") -> str:
    """A count with its word.

    >>> counted(1, "system"), counted(1200, "system")
    ('1 system', '1,200 systems')
    """
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def spelled(count: int) -> str:
    """A small count in letters.

    >>> spelled(6), spelled(26)
    ('six', '26')
    """
    return SPELLED[count] if 0 <= count < len(SPELLED) else f"{count:,}"


def after(text: str, mark: str = ", ") -> str:
    """An addition to a sentence, with its punctuation; nothing for nothing.

    >>> after("p = .002"), after("")
    (', p = .002', '')
    """
    return f"{mark}{text}" if text else ""


def within(*parts: str) -> str:
    """Figures in brackets, to follow what they belong to; nothing for none.

    >>> within("95% interval .41 to .77", "", "p = .002"), within("")
    (' (95% interval .41 to .77, p = .002)', '')
    """
    text = ", ".join(part for part in parts if part)
    return f" ({text})" if text else ""


def capital(sentence: str) -> str:
    """The sentence with a capital letter at the beginning.

    >>> capital("no metric is left.")
    'No metric is left.'
    """
    return sentence[:1].upper() + sentence[1:]


def sentence(statements: Sequence[str]) -> str:
    """Several statements in one sentence; nothing for none.

    >>> sentence(["A is first", "", "B is undefined"])
    'A is first; B is undefined.'
    """
    text = "; ".join(statement for statement in statements if statement)
    return f"{capital(text)}." if text else ""


def undefined(names: Sequence[str], reasons: Sequence[str]) -> str:
    """What is undefined and why: the first reason is given, others are mentioned.

    >>> undefined(["A", "B", "C"], ["nobody judged it", "nobody judged it", "it is constant"])
    'A and B are undefined (nobody judged it); C is undefined for another reason'
    """
    if not names:
        return ""
    by_reason: dict[str, list[str]] = {}
    for text, reason in zip(names, reasons, strict=True):
        by_reason.setdefault(why(reason), []).append(text)
    (first, same), *others = by_reason.items()
    clause = f"{listed(same)} {'is' if len(same) == 1 else 'are'} undefined ({first})"
    rest = [text for _, more in others for text in more]
    if len(rest) == 1:
        return f"{clause}; {listed(rest)} is undefined for another reason"
    return f"{clause}; {listed(rest)} are undefined for other reasons" if rest else clause


def why(reason: str) -> str:
    """A reason inside a sentence: its first sentence, without its full stop, and cut if it is too long.

    >>> why("Every system has the same value. Add another."), why("")
    ('every system has the same value', 'no reason was stored')
    """
    first = reason.replace("\n", " ").partition(". ")[0].strip().rstrip(".")
    if len(first) > LONGEST_REASON:
        first = f"{first[: LONGEST_REASON - 1]}…"
    if first[:2].istitle() and not first[1:2].isupper():
        first = first[:1].lower() + first[1:]
    return first or "no reason was stored"


def because(reason: str) -> str:
    """A reason that ends a sentence.

    >>> because("nobody judged them")
    'nobody judged them.'
    """
    return f"{why(reason)}."


def permuted(exchangeable: Exchangeable, *, systems: int, models: int, methods: int) -> str:
    """What a permutation test exchanges, as part of a sentence, for both results and plans.

    >>> permuted("methods jointly", systems=26, models=2, methods=13)
    '13 methods jointly in both models'
    >>> permuted("systems", systems=8, models=1, methods=8)
    'eight systems freely'
    """
    many_models, many_methods = spelled(models), f"{spelled(methods)} method{'' if methods == 1 else 's'}"
    in_models = "both models" if models == 2 else f"all {many_models} models"
    words: Mapping[Exchangeable, str] = {
        "systems": f"{spelled(systems)} systems freely",
        "within model": f"systems within each of {many_models} models"
        if models > 1
        else f"{many_methods} of one model",
        "methods jointly": f"{many_methods} jointly in {in_models}" if models > 1 else many_methods,
        "models jointly": f"{many_models} model{'' if models == 1 else 's'} jointly with all their methods",
        "models and methods": f"{many_models} model{'' if models == 1 else 's'} and {many_methods}, each as a whole",
    }
    return words[exchangeable]
