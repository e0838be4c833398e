"""The program of a later version: today's, with one migration more."""
