"""Does what this project computes hold what it promises? Simulations with a known truth, and what real data cost.

Each question is one file here with a function that `validity_section` decorates; `manage.py validity` finds them and
writes docs/reference/validity.md, in which every figure comes from such a function.
"""
