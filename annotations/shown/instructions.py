"""A study's instructions: Markdown written by its admin, turned into harmless HTML of bounded size."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import nh3
from django.utils.html import escape
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotations.ground.bounds import RENDERED, TooMuchToRender
from annotations.shown.plurals import filled

# No images: the pages load nothing from elsewhere. No raw HTML: anything that is not Markdown is text.
TAGS = {"a", "b", "blockquote", "br", "code", "em", "hr", "i", "li", "ol", "p", "pre", "s", "strong", "ul"}
TAGS |= {"h1", "h2", "h3", "h4", "h5", "h6", "table", "tbody", "td", "th", "thead", "tr"}
_BOUNDS = RENDERED["markdown"]
STEPS = "steps"


class _TooManySteps(Exception):
    """The parser has tried more rules than it may."""


def _counted(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule of the parser that counts how often rules were tried on this text, which is how long it takes."""

    def counting(state: Any, *arguments: Any) -> Any:
        steps = state.env[STEPS] = state.env[STEPS] + 1
        if steps > _BOUNDS.most_steps:
            raise _TooManySteps
        return rule(state, *arguments)

    return counting


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").enable("strikethrough")
    for ruler in (parser.block.ruler, parser.inline.ruler, parser.inline.ruler2):
        for rule in ruler.__rules__:  # `at`, which replaces rules by name, would forget where each may interrupt others
            rule.fn = _counted(rule.fn)
        ruler.__compile__()
    return parser


_markdown = _parser()


def sanitised(markdown: str, *, field: str = "markdown") -> str:
    """Sanitised HTML of a Markdown text. `field` is what the refusal calls it.

    Raises:
        TooMuchToRender: the text is too long, or it would become too long.

    >>> sanitised("Read **slowly**. <script>alert(1)</script> [bad](javascript:alert(1))")
    '<p>Read <strong>slowly</strong>. &lt;script&gt;alert(1)&lt;/script&gt; [bad](javascript:alert(1))</p>\\n'
    """
    if len(markdown) > _BOUNDS.most_in:
        raise _refusal(
            field,
            _("This text has {given, number} characters, but at most {most, number} are possible. Shorten it."),
            given=len(markdown),
            most=_BOUNDS.most_in,
        )
    environment: dict[str, Any] = {STEPS: 0}
    try:
        tokens = _markdown.parse(markdown, environment)
    except _TooManySteps:
        raise _refusal(
            field,
            _(
                "Laying this text out would take more than {most, number} steps. Use fewer quotes, lists and brackets "
                "inside each other, and close every block of code inside a quote."
            ),
            given=_BOUNDS.most_steps + 1,
            most=_BOUNDS.most_steps,
        ) from None
    # Here an address is still one text in memory, however often it is used; as HTML it would be as many.
    if (expanded := _length(tokens)) > _BOUNDS.most_expanded:
        raise _refusal(
            field,
            _(
                "This text would have {given, number} characters with every address written out wherever it is used, "
                "but at most {most, number} are possible. Shorten the addresses, or use them less often."
            ),
            given=expanded,
            most=_BOUNDS.most_expanded,
        )
    html = nh3.clean(
        _markdown.renderer.render(tokens, _markdown.options, environment),
        tags=TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"https", "http", "mailto"},
        link_rel="noopener noreferrer",
    )
    if len(html) > _BOUNDS.most_out:
        raise _refusal(
            field,
            _(
                "This text would become {given, number} characters of HTML, but at most {most, number} are possible. "
                "Make its tables smaller, or use fewer links, lists and quotes."
            ),
            given=len(html),
            most=_BOUNDS.most_out,
        )
    return html


def as_html(markdown: str) -> str:
    """The same, for whoever takes part: as plain text if an earlier version stored what is now refused."""
    return _kept(markdown) or _as_written(markdown)


@lru_cache(maxsize=64)
def _kept(markdown: str) -> str | None:
    """Every expert in a study gets its instructions with every text. None: they are refused."""
    try:
        return sanitised(markdown)
    except TooMuchToRender:
        return None


def _as_written(markdown: str) -> str:
    if not markdown:
        return ""
    notice = filled(
        _(
            "This text is too long to be laid out. It is shown as it was written, up to {most, number} characters; "
            "links and headings are not recognisable in it."
        ),
        most=_BOUNDS.most_in,
    )
    lines = escape(markdown[: _BOUNDS.most_in]).replace("\n", "<br>\n")
    return f"<p><strong>{escape(notice)}</strong></p>\n<p>{lines}</p>\n"


def _length(tokens: Iterable[Token]) -> int:
    """The characters of texts and attributes in what was read."""
    return sum(
        sum(len(str(value)) for value in token.attrs.values())
        + len(token.info)
        + (_length(token.children) if token.children else len(token.content))
        for token in tokens
    )


def _refusal(field: str, message: str, *, given: int, most: int) -> TooMuchToRender:
    sentence = filled(message, given=given, most=most)
    return TooMuchToRender(sentence, given=given, most=most, fields={field: [sentence]})
