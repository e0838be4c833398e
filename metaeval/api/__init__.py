"""The REST API for analyses."""
