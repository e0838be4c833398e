"""Setting up and planning a study."""
