"""The reference in docs/reference, written from the code, so that nothing is typed twice.

`make reference` writes every page of `PAGES`, the permissions and the counts of the house. A page leaves out what other
packages on this machine have added.
"""
