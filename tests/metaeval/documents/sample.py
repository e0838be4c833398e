"""A report with one block of every kind and the nastiest words that a study can contain, without a study."""

from datetime import UTC, datetime

import altair as alt

from metaeval.analyses.base.table import column, table
from metaeval.documents.report.blocks import (
    FigureBlock,
    FileReference,
    Items,
    KeyFacts,
    Paragraph,
    Pointer,
    Pointers,
    References,
    ReportContent,
    Section,
    TableBlock,
)

NASTY = r"a&b %c _d_ #e $f$ {g} ~h ^i \j \input{k} <l> [m] *n* `o -- --- ``p'' ?` ,, |q| \\ // \end{document}"
ARABIC = "هل يمسّ هذا النص أيًّا من مجالات القانون؟"
OTHERS = "Größe, naïve, Łódź, ḡ, ρ ≤ ½ − 3², 中文, 😀, ǥ"
LONG = "a_very-long.name/of&a#system" * 6


def chart():
    data = alt.InlineData(values=[{"x": n, "y": n % 3} for n in range(9)])
    drawn = alt.Chart(data).mark_point().encode(x="x:Q", y="y:Q").properties(width=480, height=160)
    return drawn.properties(title=NASTY)


def rows(count):
    return [
        {"name": [NASTY, ARABIC, OTHERS, LONG][n % 4], "r": n / 7, "low": -0.1, "high": 0.25, "p": 0.00001, "note": ""}
        for n in range(count)
    ]


def a_table(name, count):
    columns = [
        column("name", f"System {NASTY}"),
        column("r", "Pearson r", group="Pearson"),
        column("low", "95% low", group="Pearson"),
        column("high", "95% high", group="Pearson"),
        column("p", "p", kind="p"),
    ]
    return table(name, f"Table {NASTY}", columns, rows(count))


def nasty_report(*, is_simulated=False):
    wide = table(
        "wide",
        "Wide",
        [column(f"c{n}", f"Column {n} & more") for n in range(23)],
        [{f"c{n}": n * 1.5 if n else "row_1" for n in range(23)}],
    )
    first = Section(
        "answer",
        NASTY,
        [
            Paragraph(NASTY, tone="answer"),
            Paragraph(ARABIC, lead=OTHERS),
            Paragraph(f"{OTHERS} {ARABIC} and on", tone="warning"),
            Paragraph("code is `a_b{c}` and `x[1]&\\`", tone="soft"),
            Items([NASTY, ARABIC, OTHERS]),
            Items([NASTY], ordered=True),
            Items([]),
            KeyFacts([("a_b", NASTY), ("c", ARABIC)], compact=True),
            KeyFacts([("SHA-256", "`" + "0123456789abcdef" * 4 + "`"), (NASTY, LONG)]),
            FigureBlock("figure-1", "Figure 1", f"Caption {NASTY} {ARABIC}", f"Alternative text {NASTY}", chart()),
            TableBlock("table-1", "Table 1", f"Caption {NASTY}", a_table("short", 5), [NASTY, ARABIC]),
            TableBlock("table-2", "Table 2", "Nothing in it", a_table("none", 0)),
            Pointers([Pointer(NASTY, OTHERS, "inner"), Pointer("question", "on this page", "answer")]),
        ],
        [Section("inner", ARABIC, [Paragraph("Text.")], [Section("deep", "Deep", [Paragraph("Text.")])], number="1.1")],
        number="1",
    )
    last = Section(
        "tables",
        "Long & tables",
        [
            TableBlock("table-a1", "Table A1", "Over pages", a_table("long", 90), ["The end."]),
            TableBlock("table-a2", "Table A2", "Too wide", wide),
            FileReference("all rows_1.csv", f"All rows {NASTY}", b"a,b\r\n1,2\r\n"),
            References(["Müller, A. & Łoś, B. (2026). On_100%. Journal 52(1).", "Müller, C. (2026).", ARABIC]),
        ],
        number="A",
    )
    return ReportContent(
        title=f"{ARABIC} {NASTY}",
        slug="nasty",
        made_at=datetime(2026, 11, 25, 1, 2, tzinfo=UTC),
        is_simulated=is_simulated,
        sections=[first],
        appendix=[last],
    )
