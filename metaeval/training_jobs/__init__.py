"""Trainings as rows and background jobs: what a researcher asked for, the jobs that do it, and what becomes of them."""
