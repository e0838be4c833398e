"""A Django project with one view, which inserts the rows of a complete answer: what an answer costs at the least."""
