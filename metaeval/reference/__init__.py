"""The reference in docs/reference, written from the code, so that nothing is typed twice.

`manage.py write_reference` writes every page of `pages.PAGES`; `make reference` also writes what the tests know: the
permissions and the counts of the house. A page leaves out what other packages on this machine have added.
"""
