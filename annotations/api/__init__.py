"""The REST API for collecting answers: thin views over use cases and querysets."""
