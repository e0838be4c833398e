"""Collecting answers: what is judged, by whom, and what they said."""
