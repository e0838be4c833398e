"""The REST API of collecting: thin views over use cases and querysets."""
