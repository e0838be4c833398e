"""Erase a person, a text, a study or a dataset, with everything that names them; and what is kept how long."""
