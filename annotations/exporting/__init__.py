"""Responses out: one writer a format, all fed by one stream of rows."""
