"""The report as a folder that LaTeX sets: `main.tex` with its figures and tables, for whoever writes the paper."""
