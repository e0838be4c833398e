"""The reference in docs/reference, written from the code: nothing that a machine can say is typed twice.

`manage.py write_reference` writes every page of `pages.PAGES` (`make reference` writes the permissions too). A page
leaves out what other packages on this machine have added.
"""
