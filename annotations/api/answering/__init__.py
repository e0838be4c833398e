"""The requests an expert's browser makes while they answer."""
