"""The report as LaTeX: a folder that compiles, whatever words a study contains, and prints them as they are."""

import re
import shutil
import subprocess
import unicodedata
from dataclasses import replace

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from annotations.ground.bounds import RENDERED, TooMuchToRender
from metaeval.documents.report.blocks import SIMULATED, Paragraph, Section
from metaeval.documents.report.latex import drawn_line, in_latex, latex_files
from tests.conftest import missing
from tests.metaeval.documents.sample import ARABIC, nasty_report
from tests.metaeval.finished import REMARK, whole_study, with_results

PACKAGES = re.compile(r"\\usepackage(?:\[[^]]*\])?\{([^}]*)\}")


@pytest.fixture
def tex():
    """pdfLaTeX, from Debian's texlive-latex-recommended."""
    found = shutil.which("pdflatex")
    if not found:
        missing("pdflatex (Debian: apt install texlive-latex-recommended texlive-fonts-recommended lmodern)")
    return found


def unpacked(files, folder):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def made(folder):
    """The text and the log of a folder compiled with `make`."""
    done = subprocess.run(["make"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    log = (folder / "main.log").read_text(errors="replace") if (folder / "main.log").exists() else ""
    assert done.returncode == 0, log[-3000:]
    assert (folder / "main.pdf").read_bytes().startswith(b"%PDF")
    return log


@pytest.fixture(scope="module")
def files():
    return latex_files(nasty_report(is_simulated=True))


def test_the_folder_holds_text_figures_tables_and_how_to_set_it(files):
    assert {"README.txt", "Makefile", "main.tex", "tables/all-rows-1.csv"} <= set(files)
    assert {f"figures/figure-1.{kind}" for kind in ("pdf", "csv", "txt")} <= set(files)
    assert files["figures/figure-1.pdf"].startswith(b"%PDF")
    assert files["tables/all-rows-1.csv"] == b"a,b\r\n1,2\r\n"
    assert "make" in files["README.txt"].decode()


def test_the_nastiest_words_compile_and_nothing_is_undefined(tex, files, tmp_path):
    log = made(unpacked(files, tmp_path))
    assert not re.findall(r"undefined|multiply|Missing character", log)
    wide = [float(width) for width in re.findall(r"Overfull \\hbox \((\S+)pt too wide\)", log)]
    assert all(width < 15 for width in wide), wide


def test_every_figure_and_every_script_that_the_text_names_is_in_the_folder(files):
    text = files["main.tex"].decode()
    named = [f"scripts/{name}.pdf" for name in re.findall(r"\\script\{(script-\d+)\}", text)]
    named += [f"{name}" for name in re.findall(r"\\drawn\{([^}]+)\}", text)]
    assert named
    assert set(named) <= set(files)
    assert all(re.fullmatch(r"[A-Za-z0-9./-]+", name) for name in files)


def test_simulated_data_are_marked_on_every_page_and_real_ones_nowhere(files):
    marked, plain = files["main.tex"].decode(), latex_files(nasty_report())["main.tex"].decode()
    assert SIMULATED in marked
    assert r"\fancyhead[L]{\small Simulated data}" in marked
    assert "imulated" not in plain
    assert files["README.txt"].decode().startswith(SIMULATED)


def test_only_packages_that_debian_s_recommended_ones_hold_are_used(files):
    used = {name for found in PACKAGES.findall(files["main.tex"].decode()) for name in found.split(",")}
    small = "fontenc inputenc lmodern geometry graphicx array booktabs longtable caption fancyhdr hyperref"
    assert used == set(small.split())


def test_long_tables_run_over_pages_and_short_ones_stay_together(files):
    text = files["main.tex"].decode()
    assert text.count(r"\begin{longtable}") == 1
    assert r"\renewcommand{\thetable}{A1}" in text
    parts = re.findall(r"\\renewcommand\{\\thetable\}\{A2\}.*?\\caption\{([^}]*)\}", text, flags=re.DOTALL)
    assert parts == ["Too wide", "Too wide (continued)"]


def test_another_script_is_a_picture_as_wide_as_its_words():
    sizes = [re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", drawn_line(text)) for text in (ARABIC[:6], ARABIC)]
    short, long = ([float(number) for number in size.groups()] for size in sizes)
    assert short[1] == long[1]
    assert short[0] < long[0] / 3


@pytest.mark.long
@pytest.mark.django_db
def test_a_study_s_report_compiles_with_its_references_and_says_what_its_pages_say(tex, tmp_path):
    made_of = with_results(whole_study(), "preference_correlation", "system_scores")
    folder = tmp_path / "folder"
    call_command("report", "demo", "--format", "latex", "--out", str(folder))
    log = made(folder)
    assert not re.findall(r"undefined|multiply|Missing character", log)
    assert all(float(width) < 30 for width in re.findall(r"Overfull \\hbox \((\S+)pt too wide\)", log))
    text = (folder / "main.tex").read_text()
    assert re.findall(r"\\bibitem\{\w+\} ", text)
    for run in made_of.analysis_runs.all():
        assert in_latex(run.answer[:60], str)[:40] in text
    assert list((folder / "figures").glob("*.pdf"))
    assert REMARK not in text


@given(st.text(max_size=60))
def test_no_text_can_leave_its_place(text):
    """Outside commands written by the escaping, there is no sign with a meaning to TeX."""
    pictures = []

    def pictured(line):
        pictures.append(line)
        return "x"

    written = in_latex(text, pictured)
    bare = re.sub(r"\\[{}]", "", written)
    assert bare.count("{") == bare.count("}")
    known = r"\\[a-zA-Z]+|\\[#$%&_{}`'^~=.\",-]|\$[^$]*\$"
    left = re.sub(known, "", written)
    assert not set(left) & set("\\%#&_^$")
    assert not [letter for letter in written if unicodedata.category(letter) in {"Cc", "Cs"}]
    assert all(line.strip() for line in pictures)


def test_a_report_in_which_too_many_lines_are_pictures_is_refused_before_they_are_drawn(monkeypatch):
    monkeypatch.setitem(RENDERED, "latex", replace(RENDERED["latex"], most_steps=4))
    few, many = (
        replace(
            nasty_report(),
            sections=[Section("a", "A", [Paragraph(f"{ARABIC[:n]} a") for n in range(5, last)])],
            appendix=[],
        )
        for last in (8, 40)
    )
    assert sum(name.startswith("scripts/") for name in latex_files(few)) == 4
    with pytest.raises(TooMuchToRender) as refusal:
        latex_files(many)
    assert refusal.value.data == {"given": 5, "most": 4}
