"""Do this project's computations keep their promises? Simulations with a known truth, and costs on real data.

Each question is one file here with a function that `validity_section` decorates; `manage.py validity` finds them and
writes docs/reference/validity.md, in which every figure comes from such a function.
"""
