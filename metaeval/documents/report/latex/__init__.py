"""The report as a LaTeX folder: `main.tex` with its figures and tables, for writing a paper."""
