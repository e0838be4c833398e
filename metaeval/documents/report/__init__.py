"""A study as a page to read and to print: plan, people, responses, results, figures, methods, limits.

`gathering` collects plain data, `rendering` fills the template. The page is one file and asks nobody for anything.
"""
