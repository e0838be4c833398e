"""Setting a study up and planning it."""
