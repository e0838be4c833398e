"""The REST API of judging."""
