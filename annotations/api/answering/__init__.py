"""What an expert's browser asks while they answer."""
