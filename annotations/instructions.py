"""A study's instructions: Markdown written by its admin, turned into harmless HTML."""

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt

# No images: the pages load nothing from elsewhere. No raw HTML: anything that is not Markdown is text.
TAGS = {"a", "b", "blockquote", "br", "code", "em", "hr", "i", "li", "ol", "p", "pre", "s", "strong", "ul"}
TAGS |= {"h1", "h2", "h3", "h4", "h5", "h6", "table", "tbody", "td", "th", "thead", "tr"}
_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").enable("strikethrough")


def sanitised(markdown: str) -> str:
    """Sanitised HTML of a Markdown text.

    >>> sanitised("Read **slowly**. <script>alert(1)</script> [bad](javascript:alert(1))")
    '<p>Read <strong>slowly</strong>. &lt;script&gt;alert(1)&lt;/script&gt; [bad](javascript:alert(1))</p>\\n'
    """
    return nh3.clean(
        _markdown.render(markdown),
        tags=TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"https", "http", "mailto"},
        link_rel="noopener noreferrer",
    )


@lru_cache(maxsize=64)
def as_html(markdown: str) -> str:
    """The same, cached: every expert in a study gets its instructions with every text."""
    return sanitised(markdown)
